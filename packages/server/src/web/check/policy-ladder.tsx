/** The four levels of DMARC, with the one the domain is at. */
import type { DmarcReport } from '@mailgrade/core'

const LEVELS = [
  { policy: null, name: 'No policy', effect: 'Receivers decide alone' },
  { policy: 'none', name: 'Monitor', effect: 'You get reports; nothing is blocked' },
  { policy: 'quarantine', name: 'Quarantine', effect: 'Fakes go to spam' },
  { policy: 'reject', name: 'Reject', effect: 'Fakes are refused' },
] as const

const STATUSES = ['fail', 'fail', 'warn', 'pass'] as const

export function PolicyLadder({ report: { policy, testing } }: { report: DmarcReport }) {
  const here = LEVELS.findIndex((level) => level.policy === policy)
  return (
    <section aria-labelledby="ladder">
      <h2 id="ladder">How far along you are</h2>
      <ol class="ladder">
        {LEVELS.map(({ name, policy: level, effect }, index) => (
          <li
            class={index === here ? `here ${STATUSES[index]}` : index < here ? 'done' : undefined}
            aria-current={index === here ? 'step' : undefined}
          >
            <strong>
              {index + 1}. {name}
              {level === 'none' && ' (none)'}
            </strong>
            {index === here && (
              <em>You are here{testing && level !== 'none' && ', in test mode'}</em>
            )}
            <span>{effect}</span>
            {index === LEVELS.length - 1 && (
              <small>{index === here ? 'Goal reached' : 'Goal'}</small>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
