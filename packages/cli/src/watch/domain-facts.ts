/** What `mailgrade watch` looks up and remembers about a domain from one run to the next. */
import {
  type DomainReport,
  describeVerdict,
  type Finding,
  findingsBySeverity,
  isActionable,
  type Verdict,
} from '@mailgrade/core'
import type { ReportSource, SourceResult } from '../command-line/report-source.js'

export const AREAS = ['spf', 'dkim', 'dmarc', 'mx'] as const
export type Area = (typeof AREAS)[number]

export interface DomainFacts {
  readonly verdict: Pick<Verdict, 'status' | 'label'>
  readonly policy: Policy | null
  /** Null if none applies or it is unknown. */
  readonly subdomainPolicy: Policy | null
  readonly isTesting: boolean
  /** `SPF relaxed, DKIM strict`; null without a record, missing in older states. */
  readonly alignment?: string | null
  /** URIs that receive aggregate reports; missing in older states. */
  readonly rua?: readonly string[]
  readonly spf: {
    readonly records: readonly string[]
    readonly lookups: number
    /** Names of services. */
    readonly senders: readonly string[]
  }
  readonly keys: readonly KeyFacts[]
  /** As in a zone file: `10 mail.example.com`. */
  readonly mx: readonly string[]
  readonly findings: readonly FindingFacts[]
  /** Selectors with a key that are not among the usual ones; they are queried again. */
  readonly selectors: readonly string[]
  /** Where a lookup failed, so something may be missing in these facts. */
  readonly unknown: readonly Area[]
}

export type Policy = 'none' | 'quarantine' | 'reject'
export type FindingFacts = Pick<Finding, 'id' | 'severity' | 'title'>

export interface KeyFacts {
  readonly selector: string
  readonly record: string
  readonly isValid: boolean
}

function toFacts(report: DomainReport): DomainFacts {
  const { dmarc, spf, dkim, mx } = report
  const { status, label } = describeVerdict(report)
  const findings = findingsBySeverity(report)
  return {
    verdict: { status, label },
    policy: dmarc.policy,
    subdomainPolicy: dmarc.subdomainPolicy,
    isTesting: dmarc.testing === true,
    alignment: dmarc.alignment && `SPF ${dmarc.alignment.spf}, DKIM ${dmarc.alignment.dkim}`,
    rua: dmarc.rua.map(({ uri }) => uri).sort(),
    spf: {
      // DNS returns several records in any order.
      records: [...spf.records].sort(),
      lookups: spf.lookupCount,
      senders: [...new Set(spf.senders.map(({ name }) => name))].sort(),
    },
    keys: toKeyFacts(dkim),
    mx: mx.records.map(({ preference, exchange }) => `${preference} ${exchange}`).sort(),
    findings: findings
      .filter((finding) => isActionable(finding) && !isAboutSelector(finding))
      .map(({ id, severity, title }) => ({ id, severity, title })),
    selectors: [],
    unknown: findings.flatMap(({ id }) => UNAVAILABLE[id] ?? []),
  }
}

function toKeyFacts({ keys }: DomainReport['dkim']): KeyFacts[] {
  return keys.map(({ selector, record, valid }) => ({ selector, record, isValid: valid }))
}

/** A key that is gone is reported as such, and a selector that never had one says nothing. */
function isAboutSelector({ id }: Finding): boolean {
  return id === 'dkim.selector-not-found'
}

/** A failed lookup of a guessed selector loses nothing, so DKIM is not listed. */
const UNAVAILABLE: Readonly<Record<string, Area>> = {
  'spf.lookup-unavailable': 'spf',
  'dmarc.report-destination-unavailable': 'dmarc',
  'mx.host-unavailable': 'mx',
}

/** `spf.missing` → `spf` */
export function areaOf({ id }: Pick<Finding, 'id'>): Area {
  return id.split('.')[0] as Area
}

export type LookedUp =
  | { readonly kind: 'facts'; readonly facts: DomainFacts; readonly checkedAt: string }
  | Exclude<SourceResult<never>, { readonly kind: 'report' }>

/** Also the keys of earlier runs that the check does not try. */
export async function lookUpFacts(
  source: ReportSource,
  domain: string,
  previous: DomainFacts | null,
  { selectors: given, exact }: { readonly selectors: readonly string[]; readonly exact: boolean },
): Promise<LookedUp> {
  const known = new Set(previous?.selectors)
  const first = await check([...given, ...known])
  if (first.kind !== 'report') return first
  const keys = await findLostKeys(source, domain, previous, toKeyFacts(first.report.dkim), exact)
  const unguessed = keys.found.map(({ selector }) => selector)
  // The verdict counts keys, so the check must know those that it did not guess.
  const result = unguessed.length > 0 ? await check([...given, ...unguessed, ...known]) : first
  if (result.kind !== 'report') return result
  const facts = toFacts(result.report)
  const allKeys = mergeKeys(facts.keys, keys.found, keys.unknown)
  const asked = new Set([...given, ...known, ...unguessed].map((it) => it.toLowerCase()))
  return {
    kind: 'facts',
    checkedAt: result.meta.checkedAt,
    facts: {
      ...facts,
      keys: allKeys,
      selectors: [...new Set(allKeys.map(({ selector }) => selector))].filter((it) =>
        asked.has(it),
      ),
      unknown: keys.unknown.length > 0 ? [...facts.unknown, 'dkim'] : facts.unknown,
    },
  }

  function check(selectors: readonly string[]) {
    const limit = Math.max(given.length, source.maxSelectors)
    return source.check(domain, { selectors: [...new Set(selectors)].slice(0, limit), exact })
  }
}

interface LostKeys {
  /** Still published, at a selector that the check did not query. */
  readonly found: readonly KeyFacts[]
  /** Could not be looked up, so they may still be there. */
  readonly unknown: readonly KeyFacts[]
}

/** Keys that were there before and that the check did not find. */
async function findLostKeys(
  source: ReportSource,
  domain: string,
  previous: DomainFacts | null,
  keys: readonly KeyFacts[],
  exact: boolean,
): Promise<LostKeys> {
  const present = new Set(keys.map(({ selector }) => selector))
  const lost = previous?.keys.filter(({ selector }) => !present.has(selector)) ?? []
  const found: KeyFacts[] = []
  const unknown: KeyFacts[] = []
  for (const selector of new Set(lost.map((key) => key.selector))) {
    const result = await source.dkim(domain, { selector, exact })
    if (result.kind === 'report') found.push(...toKeyFacts(result.report))
    else unknown.push(...lost.filter((key) => key.selector === selector))
  }
  return { found, unknown }
}

function mergeKeys(...lists: readonly (readonly KeyFacts[])[]): KeyFacts[] {
  const merged: KeyFacts[] = []
  for (const keys of lists) {
    const present = new Set(merged.map(({ selector }) => selector))
    merged.push(...keys.filter(({ selector }) => !present.has(selector)))
  }
  return merged
}

/** What could not be looked up keeps its last known value. */
export function keepUnknown(previous: DomainFacts, looked: DomainFacts): DomainFacts {
  // If there is a policy but none for subdomains, that one is unknown, not absent.
  const isUnknown = looked.policy !== null && looked.subdomainPolicy === null
  const facts = isUnknown ? { ...looked, subdomainPolicy: previous.subdomainPolicy } : looked
  const newlyUnknown = facts.unknown.filter((area) => !previous.unknown.includes(area))
  if (newlyUnknown.length === 0) return facts
  const isKept = (finding: FindingFacts) => newlyUnknown.includes(areaOf(finding))
  return {
    ...facts,
    verdict: previous.verdict,
    spf: newlyUnknown.includes('spf') ? { ...previous.spf, records: facts.spf.records } : facts.spf,
    findings: [
      ...previous.findings.filter(isKept),
      ...facts.findings.filter((finding) => !isKept(finding)),
    ],
    unknown: facts.unknown.filter((area) => previous.unknown.includes(area)),
  }
}
