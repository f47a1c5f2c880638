/** DKIM: every key with its size. */
import type { DkimReport, StatusName } from '@mailgrade/core'
import { CheckSection } from './check-section.js'

const WITHOUT_KEYS = {
  absent: 'There is no key.',
  unknown:
    'No key at the usual selectors. Yours may use another name: look for s= in the DKIM-Signature header of a message you sent.',
}
const WITH_UNUSABLE_KEYS = {
  absent: 'Receivers don’t accept any of the keys.',
  unknown:
    'Receivers don’t accept any of the keys we found. There may be others at selectors we don’t know.',
}

type Key = DkimReport['keys'][number]

interface DkimSectionProps {
  readonly report: DkimReport
  readonly status: StatusName
}

export function DkimSection({ report, status }: DkimSectionProps) {
  const { keys, presence, selectorsTried, selectorsFailed } = report
  const hasOwnKeys = keys.some(({ forwarder }) => !forwarder)
  return (
    <CheckSection
      id="dkim"
      title="DKIM: signatures"
      about="DomainKeys Identified Mail: public keys in DNS that prove a message was signed by the domain."
      status={status}
    >
      {presence !== 'present' && (
        <p>{(hasOwnKeys ? WITH_UNUSABLE_KEYS : WITHOUT_KEYS)[presence]}</p>
      )}
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
          <strong class="size">{keySizeText(key)}</strong>
          <div>
            <code>{key.name}</code>
            <p>{describeKey(key).join(' · ')}</p>
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

function keySizeText({ keyType, keySize, revoked }: Key): string {
  if (revoked) return 'revoked'
  if (keySize === null) return keyType === null ? 'unknown' : 'unreadable'
  return keyType === 'rsa' ? `${keySize} bit` : `${keyType}`
}

function describeKey({ keyType, valid, testing, provider, forwarder }: Key): string[] {
  return [
    keyType === null ? 'unknown key type' : keyType.toUpperCase(),
    ...(provider ? [provider.name] : []),
    ...(valid ? ['well-formed'] : ['receivers can’t use it']),
    ...(testing ? ['testing'] : []),
    ...(forwarder ? ['signs forwarded mail only'] : []),
  ]
}
