/** The stages from where a domain stands to the end, each with its way on and its way back. */
import type { Stage } from '../fix-plan-report.js'
import { ownStation, tagsBeside, tagsInForce } from './base-record.js'
import { EXCEPTIONS_LEFT, LADDER, LAST_RUNG, type Rung } from './ladder.js'
import type { Standing } from './standing.js'
import { type Draft, valueAt } from './write-dmarc.js'

interface Climb {
  readonly record: Stage['record']
  readonly rung: Rung
}

/** `today` is the record of the first stage; none where there is nowhere to go. */
export function rolloutFrom(draft: Draft, standing: Standing, today: Stage['record']): Stage[] {
  const later = laterStages(draft, standing)
  if (later.length === 0) return []
  const rung = LADDER[standing.rung] ?? LAST_RUNG
  const first = {
    record: today,
    rung: standing.hasExceptions ? { ...rung, ...EXCEPTIONS_LEFT } : rung,
  }
  const all = [first, ...later]
  return all.map(({ record, rung: { minimumDays, proceedWhen } }, index) => ({
    stage: index + 1,
    record,
    minimumDays,
    proceedWhen,
    rollback: rollbackOf(index, all),
  }))
}

/** Today's rung once more where it has exceptions, and then those above it. */
function laterStages(draft: Draft, { rung, hasExceptions, isComplete }: Standing): Climb[] {
  if (isComplete) return []
  const rungs = LADDER.slice(hasExceptions ? rung : rung + 1)
  const climbs = rungs.filter((each) => !isSetback(draft, each)).map((each) => climb(draft, each))
  return [...halfway(draft, rung), ...climbs]
}

/** RFC 9989 §4.7: `t=y` takes a level off `sp` and `np` as well, which may be in force already. */
function isSetback({ base, facts }: Draft, { policy, testing }: Rung): boolean {
  const { sp, np } = tagsBeside(policy, tagsInForce(base, facts))
  return testing && (sp !== null || np !== null)
}

/** Names below a domain that rejects are not taken from nothing to rejection in a day. */
function halfway(draft: Draft, rung: number): Climb[] {
  const isOpen = tagsInForce(draft.base, draft.facts).sp === 'none'
  if (rung !== LADDER.length - 1 || !isOpen) return []
  return [climb(draft, { ...LAST_RUNG, ...EXCEPTIONS_LEFT }, { sp: 'quarantine' })]
}

function climb(draft: Draft, rung: Rung, changes = {}): Climb {
  const { name } = ownStation(draft.facts)
  return { record: { type: 'TXT', name, value: valueAt(draft, rung, changes) }, rung }
}

/** To the last stage without `t=y`: older receivers take that for the policy itself. */
function rollbackOf(index: number, all: readonly Climb[]): string {
  const [first] = all
  const { record } = all[index] ?? {}
  if (index === 0 || !first || !record) {
    return 'Nothing is stricter than today, so there is nothing to take back.'
  }
  const before = all.slice(0, index).findLast(({ rung }) => !rung.testing) ?? first
  const step =
    before.record.name === record.name
      ? `Publish the record of stage ${all.indexOf(before) + 1} again, "${before.record.value}",`
      : `Delete the record at ${record.name}, so that the one at ${before.record.name} applies again,`
  return `${step} and find the sender in the reports.`
}
