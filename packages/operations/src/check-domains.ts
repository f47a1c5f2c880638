/** Several domains in one request: each is one free check. */
import type { DomainReport, NameOptions } from '@mailgrade/core'
import { check } from './check.js'
import type { PreparedRequest } from './operation.js'
import { invalidInputProblem, type OperationOutcome, type Problem } from './run-operation.js'

export const MAX_DOMAINS = 20

/** So one page leaves room for other callers. */
const MAX_CONCURRENT = 4

/** One of the domains, as it was entered. */
export interface DomainEntry {
  readonly text: string
  readonly request: PreparedRequest<DomainReport> | Problem
}

export interface CheckedDomain extends Pick<DomainEntry, 'text'> {
  /** The domain, or the text if it is none. */
  readonly name: string
  readonly outcome: OperationOutcome<DomainReport>
}

/** Splits a list as people paste it, and drops what is about a domain that came before. */
export function parseDomainList(list: string, options: NameOptions = {}): DomainEntry[] {
  const entries = new Map<string, DomainEntry>()
  for (const text of list.split(/[\s,;]+/)) {
    if (text === '') continue
    const prepared = check.prepare({ domain: text }, options)
    const isValid = prepared.kind === 'prepared'
    const key = isValid ? prepared.subject : text
    const request = isValid ? prepared : invalidInputProblem(prepared)
    if (!entries.has(key)) entries.set(key, { text, request })
  }
  return [...entries.values()]
}

/** An entry after the rate limit: what is over it became a problem. */
export interface AcceptedEntry extends DomainEntry, Pick<CheckedDomain, 'name'> {}

/** In the order entered, so the first domains are checked; invalid ones do not count. */
export async function applyRateLimit(
  entries: readonly DomainEntry[],
  /** Counts one check; returns the problem if it exceeds the rate limit. */
  consume: () => Promise<Problem | null>,
): Promise<AcceptedEntry[]> {
  const accepted: AcceptedEntry[] = []
  let limit: Problem | null = null
  for (const { text, request } of entries) {
    if (request.kind === 'problem') {
      accepted.push({ text, name: text, request })
      continue
    }
    limit ??= await consume()
    accepted.push({ text, name: request.subject, request: limit ?? request })
  }
  return accepted
}

interface CheckDomainsOptions {
  run(request: PreparedRequest<DomainReport>): Promise<OperationOutcome<DomainReport>>
  /** Called for each domain as it finishes. */
  onChecked(domain: CheckedDomain): void
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

/** Without those that were not checked yet when the caller disconnected. */
export async function checkDomains(
  entries: readonly AcceptedEntry[],
  { run, onChecked, signal }: CheckDomainsOptions,
): Promise<CheckedDomain[]> {
  const checked: CheckedDomain[] = []
  const queue = entries.entries()
  async function work(): Promise<void> {
    for (const [index, { text, name, request }] of queue) {
      if (signal.aborted) return
      const outcome = request.kind === 'problem' ? request : await run(request)
      const domain = { text, name, outcome }
      checked[index] = domain
      onChecked(domain)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
  return checked.filter((it) => it !== undefined)
}

/** Why nothing was looked up; null if anything was. */
export function problemOfAll(checked: readonly CheckedDomain[]): Problem | null {
  const problems: Problem[] = []
  for (const { outcome } of checked) {
    if (outcome.kind === 'result') return null
    if (outcome.code !== 'rate_limited' && outcome.code !== 'invalid_input') return null
    problems.push(outcome)
  }
  return problems.find(({ code }) => code === 'rate_limited') ?? problems[0] ?? null
}
