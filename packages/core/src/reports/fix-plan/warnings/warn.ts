import type { Finding } from '../../../checks/finding.js'
import type { PlanContext } from '../plan-context.js'
import type { RecordsPlan } from '../plan-records.js'

/** Null if there is nothing to warn about. */
export type Warn = (context: PlanContext, plan: RecordsPlan) => Finding | null
