/** The rows of the table of several domains, also for its CSV file. */
import {
  type DomainSummary,
  type StatusName,
  summarizeDomain,
  toVisibleReport,
  toVisibleText,
} from '@mailgrade/core'
import type { CheckedDomain } from '@mailgrade/operations/check-domains'
import type { Problem } from '@mailgrade/operations/run-operation'

export interface DomainRow extends DomainSummary {
  /** As it was entered. */
  readonly text: string
  /** If it is not `domain`. */
  readonly unicodeDomain: string | null
  readonly isInvalid: boolean
}

export function toDomainRow({ text, name, outcome }: CheckedDomain): DomainRow {
  if (outcome.kind === 'problem') {
    return {
      text,
      domain: shorten(toVisibleText(name)),
      unicodeDomain: null,
      status: 'unknown',
      ...describeProblem(outcome),
      isInvalid: outcome.code === 'invalid_input',
      checked: null,
    }
  }
  const report = toVisibleReport(outcome.result)
  return {
    ...summarizeDomain(report, report.meta.checkedAt),
    text,
    unicodeDomain: report.unicodeDomain ?? null,
    isInvalid: false,
  }
}

function describeProblem({ code, detail, retryAfterSeconds = 0 }: Problem) {
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`
  switch (code) {
    case 'invalid_input':
      return { label: 'Not a domain', answer: toVisibleText(detail) }
    case 'rate_limited':
      return {
        label: 'Not checked',
        answer: `You reached the limit. Try again in ${seconds}.`,
      }
    case 'overloaded':
      return { label: 'Not checked', answer: `The server is busy. Try again in ${seconds}.` }
    case 'unknown_domain':
      return { label: 'Doesn’t exist', answer: toVisibleText(detail) }
    default:
      return { label: 'Unknown', answer: toVisibleText(detail) }
  }
}

const MAX_NAME_CHARACTERS = 80

function shorten(name: string): string {
  const characters = [...name]
  return characters.length <= MAX_NAME_CHARACTERS
    ? name
    : `${characters.slice(0, MAX_NAME_CHARACTERS).join('')}…`
}

export const SORT_ORDERS = ['verdict', 'name', 'entered'] as const
export type SortOrder = (typeof SORT_ORDERS)[number]

/** The worst first; what has no verdict needs a look too, so it comes before what is fine. */
export const VERDICT_RANKS: Record<StatusName, number> = { fail: 0, warn: 1, unknown: 2, pass: 3 }

/** Takes rows in the order entered. */
export function sortDomainRows(rows: readonly DomainRow[], order: SortOrder): DomainRow[] {
  switch (order) {
    case 'verdict':
      return rows.toSorted((a, b) => VERDICT_RANKS[a.status] - VERDICT_RANKS[b.status])
    case 'name':
      return rows.toSorted((a, b) => (a.domain < b.domain ? -1 : Number(a.domain > b.domain)))
    case 'entered':
      return [...rows]
  }
}
