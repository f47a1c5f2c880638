/** No more reports at once than there are places for; who finds none in time is told to come again. */
import type { Problem, RequestContext, RunOperation } from './run-operation.js'

/** Resolves to what gives the place back, or to null when there is none. */
type Enter = (caller: RequestContext['caller'], signal: AbortSignal) => Promise<(() => void) | null>

export const OVERLOADED: Problem = {
  kind: 'problem',
  code: 'overloaded',
  detail: 'Too many reports are being made at the moment. Ask again in 2 seconds.',
  retryAfterSeconds: 2,
  cause: 'no place in time',
}

export function withConcurrencyLimit(perform: RunOperation, enter: Enter): RunOperation {
  return async function performInTurn(job, visitor) {
    const leave = await enter(visitor.caller, visitor.signal)
    if (!leave) return OVERLOADED
    try {
      return await perform(job, visitor)
    } finally {
      leave()
    }
  }
}
