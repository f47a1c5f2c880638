/** Findings: what is wrong, why it matters, what to do, and the evidence. */
import type { Finding } from '@mailgrade/core'
import { PATHS } from '../../operations/service-paths.js'
import { useLink } from '../site-context.js'
import { Reference } from './inline-text.js'
import { RecordFields } from './record-fields.js'
import { Badge, SEVERITY_TONES } from './status-badge.js'

export function FindingList({ findings }: { findings: readonly Finding[] }) {
  return (
    <ol class="findings">
      {findings.map((finding) => (
        <li>
          <FindingCard finding={finding} />
        </li>
      ))}
    </ol>
  )
}

function FindingCard({ finding }: { finding: Finding }) {
  const { id, severity, title, detail, fix, record, evidence, reference } = finding
  const link = useLink()
  return (
    <article class={`finding ${SEVERITY_TONES[severity]}`}>
      <h3>
        <Badge tone={SEVERITY_TONES[severity]} word={severity} /> {title}
      </h3>
      <p>
        <strong>Why it matters.</strong> {detail}
      </p>
      <p>
        <strong>What to do.</strong> {fix}
      </p>
      {record && <RecordFields {...record} />}
      {evidence.length > 0 && <Evidence evidence={evidence} />}
      <p class="source">
        <a href={`${link(PATHS.findings)}#${id}`}>{id}</a> · <Reference text={reference} />
      </p>
    </article>
  )
}

function Evidence({ evidence }: Pick<Finding, 'evidence'>) {
  return (
    <details>
      <summary>Evidence</summary>
      <ul class="evidence">
        {evidence.map(({ name, type, value }) => (
          <li>
            <code>
              {name} {type}
            </code>
            <code>{value}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}
