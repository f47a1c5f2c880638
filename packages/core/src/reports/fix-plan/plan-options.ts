/** What the caller of a plan knows and DNS does not show. */
import type { CheckOptions } from '../check/run-checks.js'

export interface PlanOptions extends CheckOptions {
  /** The mail address that reports should go to. */
  readonly rua?: string | undefined
  /** The ids of services that send for the domain. */
  readonly uses?: readonly string[] | undefined
  /** The ids of services that no longer send for it. */
  readonly unused?: readonly string[] | undefined
  /** Where the free checks answer; without it the steps have no links. */
  readonly baseUrl?: string | undefined
  readonly now: Date
}
