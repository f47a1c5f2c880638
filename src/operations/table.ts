/** The service: everything it offers, in the order in which it is shown. */
import { mx } from './mx.js'
import type { Operation } from './operation.js'

export const OPERATIONS: readonly Operation[] = [mx]
