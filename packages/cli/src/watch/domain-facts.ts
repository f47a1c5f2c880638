/** What `mailgrade watch` looks up and remembers about a domain from one run to the next. */
import {
  type Delegation,
  type DomainReport,
  describeVerdict,
  type Finding,
  findingsBySeverity,
  isActionable,
  registrableDomain,
  type Verdict,
} from '@mailgrade/core'
import type { ReportSource, SourceResult } from '../command-line/report-source.js'

export const AREAS = ['spf', 'dkim', 'dmarc', 'mx'] as const
export type Area = (typeof AREAS)[number]

/** What is unknown as a whole if its lookup failed, and compared only if both runs know it. */
const PARTS = ['name-servers', 'mta-sts', 'tls-rpt', 'dane'] as const
export type Part = (typeof PARTS)[number]

/** What an optional field describes is unknown without it: a lookup failed, or the state is older. */
export interface DomainFacts {
  readonly verdict: Pick<Verdict, 'status' | 'label'>
  readonly policy: Policy | null
  /** Null if none applies or it is unknown. */
  readonly subdomainPolicy: Policy | null
  readonly isTesting: boolean
  /** `SPF relaxed, DKIM strict`; null without a record. */
  readonly alignment?: string | null
  /** URIs that receive aggregate reports, and those that receive failure reports. */
  readonly rua?: readonly string[]
  readonly ruf?: readonly string[]
  readonly spf: {
    readonly records: readonly string[]
    readonly lookups: number
    /** Names of services. */
    readonly senders: readonly string[]
    readonly services?: readonly Service[]
    /**
     * By the names that the record leads to, what is published there: the text at names of the same
     * organization, `PUBLISHED` at others, and an empty text if there is no record.
     */
    readonly below?: Readonly<Record<string, string>>
  }
  readonly keys: readonly KeyFacts[]
  /** As in a zone file: `10 mail.example.com`. */
  readonly mx: readonly string[]
  readonly mxServices?: readonly Service[]
  /** By name: the domain, with the servers of its zone, and names below it that may be zones. */
  readonly nameServers?: Readonly<Record<string, readonly string[]>>
  /** The first target of a CNAME record at `_dmarc`; null without one. */
  readonly dmarcCname?: string | null
  readonly mtaSts?: { readonly record: string | null; readonly isValid: boolean }
  /** URIs that receive TLS reports. */
  readonly tlsRpt?: readonly string[]
  /** Mail servers with TLSA records that DNSSEC protects. */
  readonly dane?: readonly string[]
  /** Selectors whose lookup had an answer in some run, separated by spaces to keep the file small. */
  readonly answeredSelectors?: string
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
  /** The first target of a CNAME record; null without one. */
  readonly cname?: string | null
  readonly service?: Service | null
}

export interface Service {
  readonly id: string
  readonly name: string
}

export const PUBLISHED = 'published'

function toFacts(report: DomainReport, delegation: Delegation | null): DomainFacts {
  const { dmarc, spf, dkim, mx, transport } = report
  const { status, label } = describeVerdict(report)
  const findings = findingsBySeverity(report)
  return {
    verdict: { status, label },
    policy: dmarc.policy,
    subdomainPolicy: dmarc.subdomainPolicy,
    isTesting: dmarc.testing === true,
    alignment: dmarc.alignment && `SPF ${dmarc.alignment.spf}, DKIM ${dmarc.alignment.dkim}`,
    rua: dmarc.rua.map(({ uri }) => uri).sort(),
    ruf: dmarc.ruf.map(({ uri }) => uri).sort(),
    spf: {
      // DNS returns several records in any order.
      records: [...spf.records].sort(),
      lookups: spf.lookupCount,
      senders: [...new Set(spf.senders.map(({ name }) => name))].sort(),
      services: spf.senders.map(toService),
      below: recordsBelow(spf),
    },
    keys: toKeyFacts(dkim),
    mx: mx.records.map(({ preference, exchange }) => `${preference} ${exchange}`).sort(),
    mxServices: mx.provider ? [toService(mx.provider)] : [],
    ...delegationFacts(report.domain, delegation),
    ...transportFacts(transport),
    answeredSelectors: dkim.selectorsTried
      .filter((selector) => !dkim.selectorsFailed.includes(selector))
      .join(' '),
    findings: findings
      .filter((finding) => isActionable(finding) && !isAboutSelector(finding))
      .map(({ id, severity, title }) => ({ id, severity, title })),
    selectors: [],
    unknown: findings.flatMap(({ id }) => UNAVAILABLE[id] ?? []),
  }
}

function toKeyFacts({ keys }: DomainReport['dkim']): KeyFacts[] {
  return keys.map(({ selector, record, valid, cname: [cname = null], provider }) => ({
    selector,
    record,
    isValid: valid,
    cname,
    service: provider && toService(provider),
  }))
}

function toService({ id, name }: Service): Service {
  return { id, name }
}

/** At names of others only whether there is a record: what they write in it is up to them. */
function recordsBelow({ domain, tree }: DomainReport['spf']): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = ({ domain: name, state, record, children }: typeof tree) => {
    const isOwn = registrableDomain(name) === registrableDomain(domain)
    if (state === 'record') found[name] ??= isOwn ? (record ?? '') : PUBLISHED
    else if (state === 'none') found[name] ??= ''
    children.forEach(visit)
  }
  tree.children.forEach(visit)
  return found
}

function delegationFacts(
  domain: string,
  delegation: Delegation | null,
): Pick<DomainFacts, 'nameServers' | 'dmarcCname'> {
  if (!delegation) return {}
  const { nameServers, delegated, dmarcCname } = delegation
  const names = [{ name: domain, nameServers }, ...delegated]
  return {
    nameServers: Object.fromEntries(
      names.flatMap((each) => (each.nameServers ? [[each.name, each.nameServers]] : [])),
    ),
    ...(dmarcCname && { dmarcCname: dmarcCname[0] ?? null }),
  }
}

function transportFacts({
  mtaSts,
  tlsRpt,
  dane,
}: DomainReport['transport']): Pick<DomainFacts, 'mtaSts' | 'tlsRpt' | 'dane'> {
  const isDaneKnown = dane.present !== null && dane.hosts.every(({ tlsa }) => tlsa !== null)
  const secured = dane.hosts.filter(({ tlsa, secure }) => tlsa !== null && tlsa > 0 && secure)
  return {
    ...(mtaSts.present !== null && {
      mtaSts: {
        record: mtaSts.present ? (mtaSts.record ?? 'several records') : null,
        isValid: mtaSts.valid === true,
      },
    }),
    ...(tlsRpt.present !== null && { tlsRpt: [...tlsRpt.rua].sort() }),
    ...(isDaneKnown && { dane: secured.map(({ host }) => host).sort() }),
  }
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
  | {
      readonly kind: 'facts'
      readonly facts: DomainFacts
      readonly checkedAt: string
      readonly unknownParts: readonly Part[]
    }
  | Exclude<SourceResult<never>, { readonly kind: 'report' }>

/** Also the keys of earlier runs that the check does not try. */
export async function lookUpFacts(
  source: ReportSource,
  domain: string,
  previous: DomainFacts | null,
  { selectors: given, exact }: { readonly selectors: readonly string[]; readonly exact: boolean },
): Promise<LookedUp> {
  const known = new Set(previous?.selectors)
  const [first, delegated] = await Promise.all([
    check([...given, ...known]),
    source.delegation?.(domain, { exact }),
  ])
  const delegation = delegated && (delegated.kind === 'report' ? delegated.report : null)
  if (first.kind !== 'report') return first
  const keys = await findLostKeys(source, domain, previous, toKeyFacts(first.report.dkim), exact)
  const unguessed = keys.found.map(({ selector }) => selector)
  // The verdict counts keys, so the check must know those that it did not guess.
  const result = unguessed.length > 0 ? await check([...given, ...unguessed, ...known]) : first
  if (result.kind !== 'report') return result
  const facts = toFacts(result.report, delegation ?? null)
  const allKeys = mergeKeys(facts.keys, keys.found, keys.unknown)
  const asked = new Set([...given, ...known, ...unguessed].map((it) => it.toLowerCase()))
  return {
    kind: 'facts',
    checkedAt: result.meta.checkedAt,
    unknownParts: unknownParts(facts, delegation),
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

/** `delegation`: undefined from a service, which has no such report. */
function unknownParts(
  { mtaSts, tlsRpt, dane }: DomainFacts,
  delegation: Delegation | null | undefined,
): Part[] {
  const isKnown: Record<Part, boolean> = {
    'name-servers': delegation === undefined || isComplete(delegation),
    'mta-sts': mtaSts !== undefined,
    'tls-rpt': tlsRpt !== undefined,
    dane: dane !== undefined,
  }
  return PARTS.filter((part) => !isKnown[part])
}

function isComplete(delegation: Delegation | null): boolean {
  if (!delegation) return false
  const { nameServers, delegated, dmarcCname } = delegation
  return [nameServers, dmarcCname, ...delegated.map((each) => each.nameServers)].every(Boolean)
}

/** What could not be looked up keeps its last known value. */
export function keepUnknown(previous: DomainFacts, current: DomainFacts): DomainFacts {
  const answered = [previous.answeredSelectors, current.answeredSelectors].join(' ').trim()
  const looked = {
    ...previous,
    ...current,
    nameServers: { ...previous.nameServers, ...current.nameServers },
    answeredSelectors: [...new Set(answered.split(' '))].join(' '),
  }
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
