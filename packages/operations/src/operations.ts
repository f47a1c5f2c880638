/** Everything the service offers, in display order. */
import { check } from './check.js'
import { dkim } from './dkim.js'
import { dmarc } from './dmarc.js'
import { emailCheck } from './email-check.js'
import { fixPlan } from './fix-plan.js'
import { mx } from './mx.js'
import type { Operation } from './operation.js'
import { score } from './score.js'
import { spf } from './spf.js'

export const OPERATIONS: readonly Operation[] = [
  check,
  spf,
  dmarc,
  dkim,
  mx,
  score,
  emailCheck,
  fixPlan,
]

/** The version of the API as callers see it. */
export const API_VERSION = '1.0.0'
