/** Findings: what is wrong, what to do, and the evidence. */
import type { Finding } from '@mailgrade/core'
import { findingPagePath } from '../page-paths.js'
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
  const { id, severity, title, detail, fix, record } = finding
  const link = useLink()
  return (
    <article class={`finding ${SEVERITY_TONES[severity]}`}>
      <h3>
        <Badge tone={SEVERITY_TONES[severity]} word={severity} /> {title}
      </h3>
      <p>{detail}</p>
      <p>
        <strong>What to do.</strong> {fix}
      </p>
      {record && <RecordFields {...record} />}
      <p>
        <a href={link(findingPagePath(id))}>How to fix this, step by step</a>
      </p>
      <Evidence finding={finding} />
    </article>
  )
}

function Evidence({ finding: { id, evidence, reference } }: { finding: Finding }) {
  return (
    <details>
      <summary>Evidence and source</summary>
      {evidence.length > 0 && (
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
      )}
      <p class="source">
        <code>{id}</code> · <Reference text={reference} />
      </p>
    </details>
  )
}
