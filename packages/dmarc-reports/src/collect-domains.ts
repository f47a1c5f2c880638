/** Adds up reports by policy domain. Memory does not grow with the number of reports or records. */
import { registrableDomain } from '@mailgrade/core'
import type { AggregateMetadata, PublishedPolicy } from './aggregate-report.js'
import {
  type CollectedAggregateReport,
  foldSmallest,
  type Sources,
  sourceFor,
} from './collect-aggregate-report.js'
import { levelOf, subdomainLevelOf } from './ladder-stage.js'
import { addCounts, dayOf, mergeSource } from './source-totals.js'

export interface DayTotals {
  passing: number
  failing: number
  /** The lowest of the reports of this day, for the domain and for names below it. */
  level: number | null
  subdomainLevel: number | null
}

interface ReporterTotals {
  readonly name: string
  reports: number
  messages: number
  /** Of the latest report. */
  end: number
}

export interface DomainTotals {
  readonly domain: string
  /** From the latest report. */
  policy: PublishedPolicy
  reports: number
  messages: number
  passing: number
  begin: number
  end: number
  readonly sources: Sources
  /** By days since 1970, UTC. */
  readonly days: Map<number, DayTotals>
  /** By organization. */
  readonly reporters: Map<string, ReporterTotals>
}

const MAX_DOMAINS = 10_000
const MAX_REPORTERS = 1_000

/** Shared by all domains, with a minimum for each. */
const SOURCES = { total: 20_000, least: 20, most: 500 }
const DAYS = { total: 1_000_000, least: 100, most: 1_100 }

const DAY = 86_400

/** Above this, a report covers several days. */
const LONG_PERIOD = 27 * 3600

export function createDomainCollector() {
  const domains = new Map<string, DomainTotals>()

  return {
    domains,

    /** False when there are too many domains. */
    add(metadata: AggregateMetadata, report: CollectedAggregateReport): boolean {
      const { domain } = metadata.policy
      const totals = domains.get(domain) ?? createTotals(metadata)
      if (!domains.has(domain) && domains.size >= MAX_DOMAINS) return false
      domains.set(domain, totals)
      addReport(totals, metadata, report)
      foldSmallest(totals.sources, shareOf(SOURCES, domains.size))
      forgetOldest(totals.days, shareOf(DAYS, domains.size))
      return true
    },
  }
}

function shareOf({ total, least, most }: typeof SOURCES, domains: number): number {
  return Math.max(least, Math.min(most, Math.floor(total / domains)))
}

function createTotals({ policy, begin, end }: AggregateMetadata): DomainTotals {
  return {
    domain: policy.domain,
    policy,
    reports: 0,
    messages: 0,
    passing: 0,
    begin,
    end,
    sources: new Map(),
    days: new Map(),
    reporters: new Map(),
  }
}

function addReport(
  totals: DomainTotals,
  metadata: AggregateMetadata,
  { sources, messages, passing }: CollectedAggregateReport,
): void {
  const { begin, end, policy } = metadata
  if (isLaterPolicy(metadata, totals)) totals.policy = policy
  totals.reports += 1
  totals.messages = addCounts(totals.messages, messages)
  totals.passing = addCounts(totals.passing, passing)
  totals.begin = Math.min(totals.begin, begin)
  totals.end = Math.max(totals.end, end)
  for (const source of sources.values()) {
    const reporter = metadata.orgName
    const at = isBelow(source.at, policy.domain) ? source.at : policy.domain
    const into = sourceFor(totals.sources, { ...source, at })
    mergeSource(into, source, { begin, end, reporter })
  }
  addReporter(totals.reporters, metadata, messages)
  addDays(totals.days, metadata, passing, messages - passing)
}

export function isBelow(name: string, domain: string): boolean {
  return name.endsWith(`.${domain}`)
}

/** Of two that end together the weaker: receivers keep a record for a while after it changed. */
function isLaterPolicy({ policy, end }: AggregateMetadata, before: DomainTotals): boolean {
  const level = levelOf(policy)
  const known = levelOf(before.policy)
  if (level === null || known === null) return known === null
  return end > before.end || (end === before.end && level <= known)
}

/** One company may report under several names, with one address. */
function addReporter(
  reporters: DomainTotals['reporters'],
  { orgName, email, end }: AggregateMetadata,
  messages: number,
): void {
  const host = email?.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const key = host ? registrableDomain(host) : orgName.toLowerCase()
  const reporter = reporters.get(key) ?? { name: orgName, reports: 0, messages: 0, end }
  if (!reporters.has(key) && reporters.size >= MAX_REPORTERS) return
  reporters.set(key, reporter)
  reporter.reports += 1
  reporter.end = Math.max(reporter.end, end)
  reporter.messages = addCounts(reporter.messages, messages)
}

function addDays(
  days: DomainTotals['days'],
  metadata: AggregateMetadata,
  passing: number,
  failing: number,
): void {
  const covered = daysOf(metadata)
  const level = levelOf(metadata.policy)
  const subdomainLevel = subdomainLevelOf(metadata.policy)
  for (const [index, day] of covered.entries()) {
    const totals = days.get(day) ?? { passing: 0, failing: 0, level, subdomainLevel }
    days.set(day, totals)
    totals.passing = addCounts(totals.passing, partOf(passing, index, covered.length))
    totals.failing = addCounts(totals.failing, partOf(failing, index, covered.length))
    totals.level = lower(totals.level, level)
    totals.subdomainLevel = lower(totals.subdomainLevel, subdomainLevel)
  }
}

/** The day that has most of a usual period, or every day of a long one. */
function daysOf({ begin, end }: AggregateMetadata): number[] {
  if (end - begin <= LONG_PERIOD) return [dayOf({ begin, end })]
  const first = Math.floor(begin / DAY)
  const last = Math.floor((end - 1) / DAY)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** Whole messages that add up to the total. */
function partOf(total: number, index: number, parts: number): number {
  return Math.floor((total * (index + 1)) / parts) - Math.floor((total * index) / parts)
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.min(one, other)
}

function forgetOldest(days: DomainTotals['days'], limit: number): void {
  if (days.size <= limit) return
  const oldest = [...days.keys()].sort((one, other) => one - other)
  for (const day of oldest.slice(0, days.size - limit)) days.delete(day)
}
