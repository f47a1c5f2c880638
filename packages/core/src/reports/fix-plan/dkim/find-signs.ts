/** Says whether a service signs, as far as DNS shows it. */
import { determinePresence } from '../../../checks/dkim/dkim-facts.js'
import type { PlanSender } from '../fix-plan-report.js'
import type { PlanContext } from '../plan-context.js'
import { findSignsBelow, type SenderInUse } from '../services-in-use.js'
import { hasPossibleKey } from './required-keys.js'

/** Whether it signs, by its keys at the domain or below it. */
export function findSigns(
  sender: SenderInUse,
  { facts, services }: PlanContext,
): PlanSender['signs'] {
  const { dkim } = facts
  const { entry } = sender
  const { id, setup } = entry
  if (sender.setUpAt !== null) return findSignsBelow(sender, facts)
  if (dkim.keys.some((key) => key.valid && services.ownerOf(key)?.id === id)) return 'yes'
  if (determinePresence(dkim) === 'absent') return 'no'
  const selectors = setup.dkim?.records.map(({ selector }) => selector) ?? []
  const isAnswered = (selector: string) =>
    dkim.selectorsTried.includes(selector) && !dkim.selectorsFailed.includes(selector)
  const isFixed = !setup.dkim?.selectorIsChosen && !hasPossibleKey(entry, { facts, services })
  return isFixed && selectors.length > 0 && selectors.every(isAnswered) ? 'no' : 'unknown'
}
