/** DKIM: each key with its size. */
import type { DkimReport } from '@mailgrade/core'
import { CheckSection } from './check-section.js'

const WITHOUT_KEYS = {
  absent: 'There is no key.',
  unknown:
    'No key was found under the selectors that services use. That proves nothing: a selector may have any name, and only a signed message tells it.',
}
const WITH_UNUSABLE_KEYS = {
  absent: 'Receivers can use none of the keys.',
  unknown:
    'Receivers can use none of the keys that were found. There may be others, under selectors that cannot be guessed.',
}

type Key = DkimReport['keys'][number]

export function DkimSection({ report }: { report: DkimReport }) {
  const { status, keys, presence, selectorsTried, selectorsFailed } = report
  return (
    <CheckSection id="dkim" title="DKIM: the keys it signs with" status={status}>
      {presence !== 'present' && (
        <p>{(keys.length > 0 ? WITH_UNUSABLE_KEYS : WITHOUT_KEYS)[presence]}</p>
      )}
      {keys.length > 0 && <Keys keys={keys} />}
      <details>
        <summary>{selectorsTried.length} selectors tried</summary>
        <p class="selectors">{selectorsTried.join(' ')}</p>
      </details>
      {selectorsFailed.length > 0 && (
        <p>Could not be looked up, so nothing is made of them: {selectorsFailed.join(', ')}.</p>
      )}
    </CheckSection>
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

function sizeOf({ keyType, keySize, revoked }: Key): string {
  if (revoked) return 'revoked'
  if (keySize === null) return keyType === null ? 'unknown' : 'unreadable'
  return keyType === 'rsa' ? `${keySize} bit` : `${keyType}`
}

function wordsOf({ keyType, valid, testing, provider }: Key): string[] {
  return [
    keyType === null ? 'unknown kind of key' : keyType.toUpperCase(),
    ...(provider ? [provider.name] : []),
    ...(valid ? ['well-formed'] : ['receivers cannot use it']),
    ...(testing ? ['testing'] : []),
  ]
}
