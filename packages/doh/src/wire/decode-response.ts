/** Interprets a response message as the answer to a query (RFC 2308, RFC 6604). */
import {
  type AnswerContext,
  type DnsAnswer,
  type DnsQuery,
  failed,
  type RecordType,
} from '../dns.js'
import {
  type DnsMessage,
  MAX_ALIASES,
  parseDnsMessage,
  type ResourceRecord,
} from './parse-dns-message.js'
import { WireError } from './wire-reader.js'

const NOERROR = 0
const SERVFAIL = 2
const NXDOMAIN = 3
const REFUSED = 5

const NO_ALIASES: readonly ResourceRecord<'CNAME'>[] = []
const NO_NAMES: readonly string[] = []

/** Records of a smaller message cost little to read, whatever is in them. */
const LARGE_OCTETS = 8_192

/** Never throws: bytes that cannot be read are a failure, never an absence. */
export function decodeResponse<T extends RecordType>(
  bytes: Buffer,
  query: DnsQuery & { type: T },
  resolver: string,
): DnsAnswer<T> {
  try {
    const answer = toAnswer(parseDnsMessage(bytes, query), query, resolver)
    return bytes.length > LARGE_OCTETS ? { ...answer, octets: bytes.length } : answer
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return failed('malformed', `the DNS message is malformed: ${error.message}`, { resolver })
  }
}

function toAnswer<T extends RecordType>(
  message: DnsMessage<T>,
  query: DnsQuery & { type: T },
  resolver: string,
): DnsAnswer<T> {
  const { extendedError, authenticated, rcode } = message
  if (message.aliases.length > MAX_ALIASES) {
    return failed('cname-loop', `there are more than ${MAX_ALIASES} CNAME records`, { resolver })
  }
  // A query for CNAME is answered by the record itself, which is not followed.
  const chain = query.type === 'CNAME' ? NO_ALIASES : followAliases(query.name, message.aliases)
  if (!chain) return failed('cname-loop', 'the CNAME records form a loop', { resolver })
  const cnames = chain.length === 0 ? NO_NAMES : chain.map((alias) => alias.data)
  if (rcode !== NOERROR && rcode !== NXDOMAIN) {
    return failedByCode(rcode, { cnames, extendedError, resolver })
  }

  const finalName = cnames.at(-1) ?? query.name
  const found = withOwner(message.answers, finalName)
  if (found.length === 0) return toAbsence(message, { cnames, extendedError, resolver })
  if (rcode === NOERROR) {
    const records = found.map((record) => record.data)
    const ttl = found.reduce(leastTtl, chain.reduce(leastTtl, Number.POSITIVE_INFINITY))
    return { kind: 'records', records, ttl, authenticated, cnames, extendedError, resolver }
  }
  const detail = 'the resolver sent NXDOMAIN together with records of the name'
  return failed('malformed', detail, { cnames, extendedError, resolver })
}

/** Nearly always all of them. */
function withOwner<T extends RecordType>(
  records: readonly ResourceRecord<T>[],
  name: string,
): readonly ResourceRecord<T>[] {
  const isOwned = ({ owner }: ResourceRecord<T>) => owner === name
  return records.every(isOwned) ? records : records.filter(isOwned)
}

function leastTtl(least: number, { ttl }: { readonly ttl: number }): number {
  return Math.min(least, ttl)
}

function toAbsence<T extends RecordType>(
  message: DnsMessage<T>,
  context: AnswerContext,
): DnsAnswer<T> {
  const { rcode, negativeTtl, hasAuthorityNs, authenticated } = message
  if (message.answers.length > 0) {
    return failed('malformed', 'the resolver sent records of another name', context)
  }
  // RFC 2308 §2.2: NODATA has an SOA record or no authority at all; NS records alone are a
  // referral. A server without recursion may not have followed a CNAME record to its end.
  const isUnfollowed = !message.isRecursionAvailable && context.cnames.length > 0
  if (rcode === NOERROR && negativeTtl === null && (hasAuthorityNs || isUnfollowed)) {
    return failed('refused', 'the resolver sent a referral instead of an answer', context)
  }
  return {
    kind: rcode === NXDOMAIN ? 'nxdomain' : 'nodata',
    ttl: negativeTtl,
    authenticated,
    cnames: context.cnames,
    extendedError: context.extendedError,
    resolver: context.resolver,
  }
}

/** Returns the CNAME records from `name` on, in order, or null when they form a loop. */
function followAliases(
  name: string,
  aliases: readonly ResourceRecord<'CNAME'>[],
): readonly ResourceRecord<'CNAME'>[] | null {
  if (aliases.length === 0) return NO_ALIASES
  const byOwner = new Map(aliases.map((alias) => [alias.owner, alias]))
  const chain: ResourceRecord<'CNAME'>[] = []
  for (let alias = byOwner.get(name); alias; alias = byOwner.get(alias.data)) {
    if (chain.length === byOwner.size) return null
    chain.push(alias)
  }
  return chain
}

function failedByCode(rcode: number, context: AnswerContext) {
  switch (rcode) {
    case SERVFAIL:
      return failed('servfail', 'the resolver could not get an answer (SERVFAIL)', context)
    case REFUSED:
      return failed('refused', 'the resolver refused the query (REFUSED)', context)
    default:
      return failed('refused', `the resolver answered with response code ${rcode}`, context)
  }
}
