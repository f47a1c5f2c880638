/** What a report has, by RFC 7489 appendix C and RFC 9990, read tolerantly. */
import { type DmarcPolicy, formatIpAddress, parseIpAddress, unmapIpAddress } from '@mailgrade/core'
import { memoized } from './memoized.js'
import { child, childrenNamed, domainOf, textOf, wordOf, type XmlElement } from './xml.js'

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

export interface AggregateMetadata {
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
  | { readonly kind: 'metadata'; readonly metadata: AggregateMetadata }
  | { readonly kind: 'incomplete' | 'bad-period' }

const MAX_COMMENT = 1000
const MAX_ERRORS = 20
const MAX_POLICY_DOMAIN = 253

/** DMARC was first published in 2012. */
const EARLIEST = Date.UTC(2012, 0) / 1000
/** A time after this is a mistake, and would make every other report look old. */
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
  return end <= LATEST && begin <= end && end - begin <= MAX_PERIOD_DAYS * 86_400
}

/** A wrong clock, or a sample: that of RFC 9990 appendix B is from 1979. */
export function isBeforeDmarc({ begin }: Pick<AggregateMetadata, 'begin'>): boolean {
  return begin < EARLIEST
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

const DISPOSITIONS = ['none', 'pass', 'quarantine', 'reject'] as const
const ALIGNED_RESULTS = ['pass', 'fail'] as const
const DKIM_RESULTS = [
  'none',
  'pass',
  'fail',
  'policy',
  'neutral',
  'temperror',
  'permerror',
] as const
const SPF_RESULTS = [...DKIM_RESULTS, 'softfail'] as const
const REASON_TYPES = [
  'forwarded',
  'sampled_out',
  'trusted_forwarder',
  'mailing_list',
  'local_policy',
  'policy_test_mode',
] as const

/** A word outside the enumeration is `other`, a missing one null; neither is ever a pass. */
type Word<Words extends readonly string[]> = Words[number] | 'other'

type Disposition = Word<typeof DISPOSITIONS>
type AlignedResult = Word<typeof ALIGNED_RESULTS>
type ReasonType = Word<typeof REASON_TYPES>

interface OverrideReason {
  readonly type: ReasonType
  readonly comment: string | null
}

export interface DkimResult {
  readonly domain: string | null
  readonly selector: string | null
  readonly result: Word<typeof DKIM_RESULTS> | null
  readonly humanResult: string | null
}

interface SpfResult {
  readonly domain: string | null
  readonly scope: 'mfrom' | 'helo' | 'other' | null
  readonly result: Word<typeof SPF_RESULTS> | null
  readonly humanResult: string | null
}

export interface AggregateRecord {
  readonly sourceIp: string
  readonly count: number
  readonly disposition: Disposition | null
  /** Whether DKIM passed for an aligned domain. */
  readonly dkim: AlignedResult | null
  /** Whether SPF passed for an aligned domain. */
  readonly spf: AlignedResult | null
  readonly reasons: readonly OverrideReason[]
  /** The policy domain where the record has none. */
  readonly headerFrom: string
  /** The domain of the last SPF result when it is empty or missing. */
  readonly envelopeFrom: string | null
  readonly envelopeTo: string | null
  readonly dkimResults: readonly DkimResult[]
  readonly spfResults: readonly SpfResult[]
}

/** RFC 9990: at most 100 signatures per row, best first. */
const MAX_RESULTS = 100
const MAX_REASONS = 20

/** Larger counts are mistakes, and their sum would not be exact. */
const MAX_COUNT = 2 ** 40

/** Null when the record has no valid source address or count. */
export function readRecord(
  record: XmlElement,
  policyDomain: string | null,
): AggregateRecord | null {
  const row = child(record, 'row')
  const sourceIp = canonicalAddress(textOf(row, 'source_ip') ?? '')
  const count = readCount(textOf(row, 'count'))
  if (sourceIp === '' || count === null) return null
  const evaluated = child(row, 'policy_evaluated')
  // Some software writes `identities`.
  const identifiers = child(record, 'identifiers') ?? child(record, 'identities')
  const results = child(record, 'auth_results')
  const spfResults = childrenNamed(results, 'spf').slice(0, MAX_RESULTS).map(readSpfResult)
  return {
    sourceIp,
    count,
    disposition: wordOf(evaluated, 'disposition', DISPOSITIONS),
    dkim: wordOf(evaluated, 'dkim', ALIGNED_RESULTS),
    spf: wordOf(evaluated, 'spf', ALIGNED_RESULTS),
    reasons: childrenNamed(evaluated, 'reason').slice(0, MAX_REASONS).flatMap(readReason),
    headerFrom: domainOf(identifiers, 'header_from') ?? policyDomain ?? '',
    envelopeFrom: domainOf(identifiers, 'envelope_from') ?? spfResults.at(-1)?.domain ?? null,
    envelopeTo: domainOf(identifiers, 'envelope_to'),
    dkimResults: childrenNamed(results, 'dkim').slice(0, MAX_RESULTS).map(readDkimResult),
    spfResults,
  }
}

/** Empty when the text is not an address. */
const canonicalAddress = memoized((text): string => {
  const address = parseIpAddress(text)
  return address === null ? '' : formatIpAddress(unmapIpAddress(address))
})

function readCount(text: string | null): number | null {
  if (text === null || !/^\d{1,15}$/.test(text)) return null
  const count = Number(text)
  return count <= MAX_COUNT ? count : null
}

/** An empty `reason` says nothing. */
function readReason(reason: XmlElement): OverrideReason[] {
  const type = wordOf(reason, 'type', REASON_TYPES)
  const comment = textOf(reason, 'comment', MAX_COMMENT)
  return type === null && comment === null ? [] : [{ type: type ?? 'other', comment }]
}

function readDkimResult(element: XmlElement): DkimResult {
  return {
    domain: domainOf(element, 'domain'),
    selector: textOf(element, 'selector')?.toLowerCase() ?? null,
    result: wordOf(element, 'result', DKIM_RESULTS),
    humanResult: textOf(element, 'human_result', MAX_COMMENT),
  }
}

function readSpfResult(element: XmlElement): SpfResult {
  return {
    domain: domainOf(element, 'domain'),
    scope: wordOf(element, 'scope', ['mfrom', 'helo']),
    result: wordOf(element, 'result', SPF_RESULTS),
    humanResult: textOf(element, 'human_result', MAX_COMMENT),
  }
}
