import type { Problem } from './run-operation.js'

/** An unexpected error. If a payment was sent, it may have happened before or after the charge. */
export function internalProblem(hasPayment: boolean): Problem {
  return {
    kind: 'problem',
    code: 'internal',
    ...(hasPayment && { charged: 'unknown' }),
    detail: hasPayment
      ? 'Something went wrong on our side. You may have been charged. Do not sign a new payment: send the same one again in a few seconds. If it was charged, you get its report.'
      : 'Something went wrong on our side. Try again in a few seconds.',
    cause: 'fault',
  }
}
