/** DKIM: every key with its size. */
import {
  type DkimReport,
  describeDkimKey,
  describeMissingKey,
  dkimKeySize,
  type StatusName,
} from '@mailgrade/core'
import { CheckSection } from './check-section.js'

type Key = DkimReport['keys'][number]

interface DkimSectionProps {
  readonly report: DkimReport
  readonly status: StatusName
}

export function DkimSection({ report, status }: DkimSectionProps) {
  const { keys, presence, selectorsTried, selectorsFailed } = report
  return (
    <CheckSection
      id="dkim"
      title="DKIM: signatures"
      about="DomainKeys Identified Mail: public keys in DNS that prove a message was signed by the domain."
      status={status}
    >
      {presence !== 'present' && <p>{describeMissingKey(keys, presence)}</p>}
      {keys.length > 0 && <Keys keys={keys} />}
      <details>
        <summary>{selectorsTried.length} selectors tried</summary>
        <p class="selectors">{selectorsTried.join(' ')}</p>
      </details>
      {selectorsFailed.length > 0 && (
        <p>Not checked, because the lookup failed: {selectorsFailed.join(', ')}.</p>
      )}
    </CheckSection>
  )
}

function Keys({ keys }: { keys: readonly Key[] }) {
  return (
    <ul class="keys">
      {keys.map((key) => (
        <li>
          <strong class="size">{dkimKeySize(key)}</strong>
          <div>
            <code>{key.name}</code>
            <p>{describeDkimKey(key)}</p>
            {key.problems.map((problem) => (
              <p class="fault">{problem}</p>
            ))}
            <details>
              <summary>Record</summary>
              <code class="text">{key.record}</code>
            </details>
          </div>
        </li>
      ))}
    </ul>
  )
}
