/** Looks up the facts of a domain, including keys from earlier runs that the check does not try. */
import type { ReportSource, SourceResult } from '../command-line/report-source.js'
import {
  areaOf,
  type DomainFacts,
  type FindingFacts,
  type KeyFacts,
  toFacts,
  toKeyFacts,
} from './domain-facts.js'

export type LookedUp =
  | { readonly kind: 'facts'; readonly facts: DomainFacts; readonly checkedAt: string }
  | Exclude<SourceResult<never>, { readonly kind: 'report' }>

export interface LookUpOptions {
  readonly selectors: readonly string[]
  readonly exact: boolean
}

export async function lookUpFacts(
  source: ReportSource,
  domain: string,
  previous: DomainFacts | null,
  { selectors: given, exact }: LookUpOptions,
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
