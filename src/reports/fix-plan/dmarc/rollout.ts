/** The stages from where a domain stands to the end, each with its way on and its way back. */
import type { Stage } from '../fix-plan-report.js'
import { ownStation } from './base-record.js'
import { EXCEPTIONS_LEFT, LADDER, LAST_RUNG, type Rung, rungBelow } from './ladder.js'
import type { Standing } from './standing.js'
import { type Draft, valueAt } from './write-dmarc.js'

interface Climb {
  readonly value: string
  readonly rung: Rung
}

/** `today` is the record of the first stage; none where there is nowhere to go. */
export function rolloutFrom(draft: Draft, standing: Standing, today: Stage['record']): Stage[] {
  const later = laterStages(draft, standing)
  if (later.length === 0) return []
  const rung = LADDER[standing.rung] ?? LAST_RUNG
  const first = standing.hasExceptions ? { ...rung, ...EXCEPTIONS_LEFT } : rung
  const { name } = ownStation(draft.facts)
  return [
    {
      stage: 1,
      record: today,
      ...wayOn(first),
      rollback: 'Nothing is stricter than today, so there is nothing to take back.',
    },
    ...later.map(({ value, rung: each }, index) => ({
      stage: index + 2,
      record: { type: 'TXT' as const, name, value },
      ...wayOn(each),
      rollback: rollbackOf(draft, each, today),
    })),
  ]
}

function wayOn({ minimumDays, proceedWhen }: Rung) {
  return { minimumDays, proceedWhen }
}

/** Today's rung once more where it has exceptions, and then those above it. */
function laterStages(draft: Draft, { rung, hasExceptions, isComplete }: Standing): Climb[] {
  if (isComplete) return []
  const rungs = LADDER.slice(hasExceptions ? rung : rung + 1)
  return [...halfway(draft, rung), ...rungs.map((each) => climb(draft, each))]
}

/** Names below a domain that rejects are not taken from nothing to rejection in a day. */
function halfway(draft: Draft, rung: number): Climb[] {
  const { applied, below } = draft.facts
  const isOpen = below?.station === applied?.station && below?.policies?.subdomains === 'none'
  if (rung !== LADDER.length - 1 || !isOpen) return []
  const value = valueAt(draft, LAST_RUNG, { sp: 'quarantine' })
  return [{ value, rung: { ...LAST_RUNG, ...EXCEPTIONS_LEFT } }]
}

function climb(draft: Draft, rung: Rung): Climb {
  return { value: valueAt(draft, rung), rung }
}

function rollbackOf(draft: Draft, rung: Rung, today: Stage['record']): string {
  const { name } = ownStation(draft.facts)
  const value = valueAt(draft, rungBelow(rung))
  const isInherited = today.name !== name && draft.facts.policy === rungBelow(rung).policy
  const step = isInherited
    ? `Delete the record at ${name}, so that the one at ${today.name} applies again,`
    : `Publish "${value}" instead,`
  return `${step} and find the sender in the reports.`
}
