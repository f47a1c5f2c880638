/** Who reports, about which domain and period, and the policy that receivers found. */
import type { DmarcPolicy } from '@mailgrade/core'
import { child, childrenNamed, domainOf, textOf, wordOf, type XmlElement } from './xml-element.js'

const POLICIES = ['none', 'quarantine', 'reject'] as const satisfies readonly DmarcPolicy[]

type ReportedPolicy = DmarcPolicy | 'other'

export interface PublishedPolicy {
  readonly domain: string
  /** Null when the report does not give it. */
  readonly p: ReportedPolicy | null
  /** The same as `p` when the report does not give it. */
  readonly sp: ReportedPolicy | null
  readonly np: ReportedPolicy | null
  readonly adkim: 'r' | 's'
  readonly aspf: 'r' | 's'
  /** Null when the report does not give it; 100 then applies. */
  readonly pct: number | null
  /** The `t` tag; null when the report does not give it. */
  readonly testing: boolean | null
  readonly discoveryMethod: 'psl' | 'treewalk' | 'other' | null
}

export interface ReportMetadata {
  readonly orgName: string
  readonly email: string | null
  readonly reportId: string
  /** Seconds since 1970, UTC. */
  readonly begin: number
  readonly end: number
  readonly errors: readonly string[]
  readonly generator: string | null
  readonly schema: 'rfc7489' | 'rfc9990'
  readonly policy: PublishedPolicy
}

export type ReadMetadata =
  | { readonly kind: 'metadata'; readonly metadata: ReportMetadata }
  | { readonly kind: 'incomplete' | 'bad-period' }

const MAX_COMMENT = 1000
const MAX_ERRORS = 20
const MAX_POLICY_DOMAIN = 253

/** DMARC was first published in 2012, and a time after 2100 is a mistake. */
const EARLIEST = Date.UTC(2012, 0) / 1000
const LATEST = Date.UTC(2100, 0) / 1000
const MAX_PERIOD_DAYS = 366

export function readMetadata(
  metadata: XmlElement | undefined,
  published: XmlElement | undefined,
  hasNewNamespace: boolean,
): ReadMetadata {
  const range = child(metadata, 'date_range')
  const begin = readTime(textOf(range, 'begin'))
  const end = readTime(textOf(range, 'end'))
  const domain = domainOf(published, 'domain')
  if (begin === null || end === null || domain === null || domain.length > MAX_POLICY_DOMAIN) {
    return { kind: 'incomplete' }
  }
  if (!isPlausiblePeriod(begin, end)) return { kind: 'bad-period' }
  const policy = readPolicy(domain, published)
  const generator = textOf(metadata, 'generator')
  // The version is the same in both, and not everyone writes the namespace.
  const isNew = hasNewNamespace || generator !== null || hasNewPolicyFields(policy)
  const email = textOf(metadata, 'email')
  return {
    kind: 'metadata',
    metadata: {
      orgName: textOf(metadata, 'org_name') ?? email?.split('@').at(-1) ?? 'unknown',
      email,
      reportId: (textOf(metadata, 'report_id') ?? '').replace(/^<|>$/g, ''),
      begin,
      end,
      errors: childrenNamed(metadata, 'error')
        .slice(0, MAX_ERRORS)
        .map(({ text }) => text.trim().slice(0, MAX_COMMENT)),
      generator,
      schema: isNew ? 'rfc9990' : 'rfc7489',
      policy,
    },
  }
}

/** Some software writes fractions of a second. */
function readTime(text: string | null): number | null {
  const seconds = /^(\d{1,12})(?:\.\d*)?$/.exec(text ?? '')?.[1]
  return seconds === undefined ? null : Number(seconds)
}

function isPlausiblePeriod(begin: number, end: number): boolean {
  return (
    begin >= EARLIEST && end <= LATEST && begin <= end && end - begin <= MAX_PERIOD_DAYS * 86_400
  )
}

function readPolicy(domain: string, published: XmlElement | undefined): PublishedPolicy {
  const p = wordOf(published, 'p', POLICIES)
  const pct = textOf(published, 'pct')
  const testing = wordOf(published, 'testing', ['y', 'n'])
  return {
    domain,
    p,
    sp: wordOf(published, 'sp', POLICIES) ?? p,
    np: wordOf(published, 'np', POLICIES),
    adkim: wordOf(published, 'adkim', ['r', 's']) === 's' ? 's' : 'r',
    aspf: wordOf(published, 'aspf', ['r', 's']) === 's' ? 's' : 'r',
    pct: pct !== null && /^\d{1,3}$/.test(pct) && Number(pct) <= 100 ? Number(pct) : null,
    testing: testing === null ? null : testing === 'y',
    discoveryMethod: wordOf(published, 'discovery_method', ['psl', 'treewalk']),
  }
}

function hasNewPolicyFields({ np, testing, discoveryMethod }: PublishedPolicy): boolean {
  return np !== null || testing !== null || discoveryMethod !== null
}
