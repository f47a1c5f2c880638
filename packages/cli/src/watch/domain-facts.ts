/** What `mailgrade watch` remembers about a domain from one run to the next. */
import {
  type DomainReport,
  describeVerdict,
  type Finding,
  findingsBySeverity,
  isActionable,
  type Verdict,
} from '@mailgrade/core'

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

export function toFacts(report: DomainReport): DomainFacts {
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

export function toKeyFacts({ keys }: DomainReport['dkim']): KeyFacts[] {
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
