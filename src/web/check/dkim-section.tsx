/** DKIM: each key with its size. */
import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import { Section } from './section.js'

const PRESENCES = {
  present: '',
  absent: 'There is no key.',
  unknown:
    'No key was found under the selectors that services use. That proves nothing: a selector may have any name, and only a signed message tells it.',
}

type Key = DkimReport['keys'][number]

export function DkimSection({ report }: { report: DkimReport }) {
  const { status, keys, presence, selectorsTried, selectorsFailed } = report
  return (
    <Section id="dkim" title="DKIM: the keys it signs with" status={status}>
      {presence !== 'present' && <p>{PRESENCES[presence]}</p>}
      {keys.length > 0 && <Keys keys={keys} />}
      <details>
        <summary>{selectorsTried.length} selectors tried</summary>
        <p class="selectors">{selectorsTried.join(' ')}</p>
      </details>
      {selectorsFailed.length > 0 && (
        <p>Could not be looked up, so nothing is made of them: {selectorsFailed.join(', ')}.</p>
      )}
    </Section>
  )
}

function Keys({ keys }: { keys: readonly Key[] }) {
  return (
    <ul class="keys">
      {keys.map((key) => (
        <li>
          <strong class="size">{sizeOf(key)}</strong>
          <div>
            <code>{key.name}</code>
            <p>{wordsOf(key).join(' · ')}</p>
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

function sizeOf({ keyType, keySize }: Key): string {
  if (keySize === null) return 'no key'
  return keyType === 'rsa' ? `${keySize} bit` : `${keyType}`
}

function wordsOf({ keyType, valid, revoked, testing, provider }: Key): string[] {
  return [
    keyType === null ? 'unknown kind of key' : keyType.toUpperCase(),
    ...(provider ? [provider.name] : []),
    ...(revoked ? ['revoked'] : valid ? ['receivers can use it'] : ['receivers cannot use it']),
    ...(testing ? ['testing'] : []),
  ]
}
