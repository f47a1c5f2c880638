/**
 * The one way in which the store fails. The text says why, for operators, and never what was sent:
 * a server may repeat the words of a command it does not know, the password among them.
 */
import { ErrorReply } from '@redis/client'

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** `OOM`, `READONLY`, `WRONGPASS`: what an error reply begins with; null when it is none. */
export function redisErrorCode(error: unknown): string | null {
  if (!(error instanceof ErrorReply)) return null
  return /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR'
}

export function toStoreUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const code = redisErrorCode(error)
  if (code) return new StoreUnavailable(`the store says ${code}`)
  const fault = error as NodeJS.ErrnoException
  return new StoreUnavailable(`the connection failed: ${fault.code ?? fault.constructor.name}`)
}
