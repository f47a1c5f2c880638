/** What the reports say about one domain, as plain data. */

import type { PublishedPolicy } from './aggregate-report.js'
import { findQuestions, type Question } from './ask-owner.js'
import type { Origin, SourceIdentity } from './classify-record.js'
import type { DomainTotals } from './collect-domains.js'
import { organizationOf } from './identify-service.js'
import { judgeRollout, judgeSubdomains, type RolloutVerdict } from './judge-rollout.js'
import { type SourceTotals, sortedCounts, sumOfDays, type Tally } from './source-totals.js'

/**
 * `yours-and-passing`: at least 98 % of the messages of its last 31 days pass DMARC.
 * `yours-not-aligned`: it passes SPF or DKIM, but for a domain that is not aligned with From.
 */
export type SourceClass = 'yours-and-passing' | 'yours-not-aligned' | 'forwarded' | 'unknown'

export interface NamedCount {
  readonly name: string
  readonly messages: number
}

export interface Signature {
  readonly domain: string
  readonly selector: string | null
  readonly messages: number
}

export interface SourceSummary {
  readonly class: SourceClass
  /** The owner says that it is theirs. */
  readonly isClaimed: boolean
  /** Why only the owner knows whether an unknown source is theirs. */
  readonly question: Question | null
  readonly kind: SourceIdentity['kind']
  readonly name: string
  /** The domain in From, or `*.` and the domain for many or unknown names below it. */
  readonly at: string
  readonly serviceId: string | null
  readonly messages: number
  readonly passing: number
  readonly failing: number
  /** Of its last 31 days, which decide the class. */
  readonly recent: { readonly messages: number; readonly passing: number }
  readonly spf: { readonly raw: number; readonly aligned: number; readonly domains: NamedCount[] }
  readonly dkim: {
    readonly raw: number
    readonly aligned: number
    readonly signatures: readonly Signature[]
    /** Of the owner's domain, with another result than pass. */
    readonly failedSignatures: readonly Signature[]
  }
  readonly dispositions: NamedCount[]
  readonly reasons: NamedCount[]
  readonly comments: NamedCount[]
  readonly headerFrom: NamedCount[]
  readonly envelopeFrom: NamedCount[]
  readonly addresses: NamedCount[]
  readonly reporters: NamedCount[]
  /** ISO 8601, UTC. */
  readonly firstSeen: string
  readonly lastSeen: string
  /** In which it was seen, `YYYY-MM` in UTC. */
  readonly months: readonly string[]
  /** The start of the first report with a message that fails; null without one. */
  readonly firstFailing: string | null
}

export interface DomainSummary {
  readonly domain: string
  /** From the latest report. */
  readonly policy: PublishedPolicy
  readonly reports: number
  readonly period: { readonly begin: string; readonly end: string; readonly days: number }
  readonly messages: number
  readonly passing: number
  readonly failing: number
  readonly byClass: Readonly<Record<SourceClass, number>>
  readonly reporters: readonly (NamedCount & { readonly reports: number })[]
  readonly days: readonly {
    readonly date: string
    readonly passing: number
    readonly failing: number
  }[]
  /** Most messages first. The smallest may be added up as `others`. */
  readonly sources: readonly SourceSummary[]
  readonly rollout: RolloutVerdict
  /** Of the names below the domain; null unless they have a weaker policy of their own. */
  readonly subdomains: RolloutVerdict | null
}

/** The share of its messages with which a source counts as set up. */
export const PASSING_SHARE = 0.98

export interface SummaryOptions extends Ownership {
  readonly now: Date
}

export function summarizeDomain(
  collected: DomainTotals,
  { now, ...ownership }: SummaryOptions,
): DomainSummary {
  const totals = assignSources(collected, ownership)
  const questions = findQuestions(totals)
  const sources = [...totals.sources.values()]
    .map((source) => summarizeSource(source, questions.get(source) ?? null))
    .sort((one, other) => other.messages - one.messages)
  const days = [...totals.days].sort(([one], [other]) => one - other)
  return {
    domain: totals.domain,
    policy: totals.policy,
    reports: totals.reports,
    period: { begin: isoTime(totals.begin), end: isoTime(totals.end), days: days.length },
    messages: totals.messages,
    passing: totals.passing,
    failing: totals.messages - totals.passing,
    byClass: sumByClass(sources),
    reporters: [...totals.reporters.values()]
      .map(({ name, reports, messages }) => ({ name, reports, messages }))
      .sort((one, other) => other.messages - one.messages),
    days: days.map(([day, { passing, failing }]) => {
      return { date: isoTime(day * 86_400).slice(0, 10), passing, failing }
    }),
    sources,
    rollout: judgeRollout(totals, now),
    subdomains: judgeSubdomains(totals, now),
  }
}

function summarizeSource(source: SourceTotals, question: Question | null): SourceSummary {
  const { identity, origin, messages, passing } = source
  const recent = sumOfDays(source.recent)
  return {
    class: classOf(origin, recent.passing, recent.messages),
    isClaimed: source.answer === 'mine',
    question,
    kind: identity.kind,
    name: identity.name,
    at: source.at,
    serviceId: identity.serviceId,
    messages,
    passing,
    failing: messages - passing,
    recent: { messages: recent.messages, passing: recent.passing },
    spf: {
      raw: source.spfRaw,
      aligned: source.spfAligned,
      domains: sortedCounts(source.spfDomains),
    },
    dkim: {
      raw: source.dkimRaw,
      aligned: source.dkimAligned,
      signatures: signaturesOf(source.signatures),
      failedSignatures: signaturesOf(source.failedSignatures),
    },
    dispositions: sortedCounts(source.dispositions),
    reasons: sortedCounts(source.reasons),
    comments: sortedCounts(source.comments),
    headerFrom: sortedCounts(source.headerFrom),
    envelopeFrom: sortedCounts(source.envelopeFrom),
    addresses: sortedCounts(source.addresses),
    reporters: sortedCounts(source.reporters),
    firstSeen: isoTime(source.firstSeen),
    lastSeen: isoTime(source.lastSeen),
    months: [...source.months.keys()].sort(),
    firstFailing: Number.isFinite(source.firstFailing) ? isoTime(source.firstFailing) : null,
  }
}

function signaturesOf(tally: Tally): Signature[] {
  return sortedCounts(tally).map(({ name, messages }) => {
    const [domain = '', selector] = name.split(' ')
    return { domain, selector: selector || null, messages }
  })
}

function classOf(origin: Origin, passing: number, messages: number): SourceClass {
  if (origin !== 'yours') return origin
  return passing >= messages * PASSING_SHARE ? 'yours-and-passing' : 'yours-not-aligned'
}

function sumByClass(sources: readonly SourceSummary[]): Record<SourceClass, number> {
  const sums = { 'yours-and-passing': 0, 'yours-not-aligned': 0, forwarded: 0, unknown: 0 }
  for (const source of sources) sums[source.class] += source.messages
  return sums
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

interface Ownership {
  /** Names of unknown sources. */
  readonly mine: readonly string[]
  /** Names or ids of sources; `unknown` for all unknown ones. */
  readonly notMine: readonly string[]
  /** Every domain that the reports are about. */
  readonly domains: readonly string[]
}

/** Decides which sources are the owner's, by what no single record shows. */
function assignSources(totals: DomainTotals, { mine, notMine, domains }: Ownership): DomainTotals {
  const claimed = new Set(mine.map((name) => name.toLowerCase()))
  const disowned = new Set(notMine.map((name) => name.toLowerCase()))
  const ownDomains = new Set(domains.map(organizationOf))
  const usual = usualSignatures([...totals.sources.values()])
  const assign = (source: SourceTotals): SourceTotals => {
    const { origin, identity } = source
    if (isNamed(source, claimed)) return { ...source, origin: 'yours', answer: 'mine' }
    if (isNamed(source, disowned)) return { ...source, origin: 'unknown', answer: 'not-mine' }
    if (origin !== 'unknown' || identity.kind !== 'domain') return source
    if (ownDomains.has(identity.name)) return { ...source, origin: 'yours' }
    return isChangedOnTheWay(source, usual) ? { ...source, origin: 'forwarded' } : source
  }
  const sources = [...totals.sources].map(([key, source]) => [key, assign(source)] as const)
  return { ...totals, sources: new Map(sources) }
}

/** The names of the sources where a signature, as `domain selector`, passes. */
function usualSignatures(sources: readonly SourceTotals[]): ReadonlyMap<string, Set<string>> {
  const usual = new Map<string, Set<string>>()
  for (const { signatures, passing, identity } of sources) {
    if (passing === 0) continue
    for (const signature of signatures.counts.keys()) {
      usual.set(signature, (usual.get(signature) ?? new Set()).add(identity.name))
    }
  }
  return usual
}

/** All its mail has a signature that passes at other sources, so it was changed on the way. */
function isChangedOnTheWay(
  { failedSignatures: { counts, others }, messages, identity }: SourceTotals,
  usual: ReadonlyMap<string, Set<string>>,
): boolean {
  const signed = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const passesElsewhere = (signature: string) =>
    [...(usual.get(signature) ?? [])].some((name) => name !== identity.name)
  return others === 0 && signed >= messages && [...counts.keys()].every(passesElsewhere)
}

/** What passes is signed or authorized by the owner, whatever they say. */
function isNamed({ identity, origin, passing }: SourceTotals, names: Set<string>): boolean {
  if (passing > 0 || origin === 'forwarded') return false
  return (
    (origin === 'unknown' && names.has('unknown')) ||
    names.has(identity.name.toLowerCase()) ||
    names.has(identity.serviceId ?? '')
  )
}
