import type { PlanContext } from '../plan-context.js'
import type { RecordsPlan } from '../plan-records.js'

/** What a warning may look at. */
export interface PlanFacts extends PlanContext {
  readonly plan: RecordsPlan
}
