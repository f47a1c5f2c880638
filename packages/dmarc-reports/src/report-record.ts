/** The records of a report: RFC 7489 appendix C and RFC 9990, read tolerantly. */
import { formatIpAddress, parseIpAddress, unmapIpAddress } from '@mailgrade/core'
import { memoized } from './memoized.js'
import { child, childrenNamed, domainOf, textOf, wordOf, type XmlElement } from './xml-element.js'

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

export interface ReportRecord {
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
const MAX_COMMENT = 1000

/** Larger counts are mistakes, and their sum would not be exact. */
const MAX_COUNT = 2 ** 40

/** Null when the record has no valid source address or count. */
export function readRecord(record: XmlElement, policyDomain: string | null): ReportRecord | null {
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
