/** How long a payment is remembered, by whichever ledger. */

/** A payment may be valid for years; who wants the report again comes sooner. */
export const MAX_RETENTION_MS = 10 * 60_000

/** What was settled at the last moment can be asked for again, too: answers get lost. */
export const MIN_RETENTION_MS = 60_000
