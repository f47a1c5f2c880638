import type { Finding } from '../../../checks/finding.js'
import type { PlanContext } from '../plan-context.js'
import type { RecordsPlan } from '../plan-records.js'

/** The words for one thing, or for several. */
export function forCount<Words>(items: readonly unknown[], one: Words, several: Words): Words {
  return new Set(items).size === 1 ? one : several
}

/** Null if there is nothing to warn about. */
export type Warn = (context: PlanContext, plan: RecordsPlan) => Finding | null
