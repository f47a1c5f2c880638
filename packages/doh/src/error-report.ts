/** Reports exceptions that no code expects, so they are noticed although nothing ends with them. */

/** Called for every exception that no code expects. It must not throw. */
export type OnUnexpectedError = (event: {
  readonly resolver: string
  readonly error: unknown
}) => void

const INTERVAL_MS = 60_000

/** Counts the errors and warns at most once a minute. */
export function createErrorReport(
  now: () => number,
  warn: (message: string, stack: string | undefined) => void,
): OnUnexpectedError {
  let count = 0
  let nextWarningAt = Number.NEGATIVE_INFINITY
  return ({ resolver, error }) => {
    count++
    if (now() < nextWarningAt) return
    const errors = count === 1 ? '1 unexpected error' : `${count} unexpected errors, the last`
    const stack = error instanceof Error ? error.stack : undefined
    warn(`${errors} in the connection to ${resolver}: ${error}`, stack)
    nextWarningAt = now() + INTERVAL_MS
    count = 0
  }
}
