/** What a response message means for the question it answers (RFC 2308, RFC 6604). */
import {
  type AnswerContext,
  type DnsAnswer,
  type DnsQuery,
  failed,
  type RecordData,
  type RecordType,
} from '../dns.js'
import { type DnsMessage, parseDnsMessage, type ResourceRecord } from './parse-dns-message.js'
import { WireError } from './wire-reader.js'

const NOERROR = 0
const SERVFAIL = 2
const NXDOMAIN = 3
const REFUSED = 5

const NO_ALIASES: readonly ResourceRecord<'CNAME'>[] = []
const NO_NAMES: readonly string[] = []

/** Total over any bytes: what cannot be read is a failure, never an absence. */
export function decodeResponse<T extends RecordType>(
  bytes: Buffer,
  question: DnsQuery & { type: T },
  resolver: string,
): DnsAnswer<T> {
  try {
    return interpret(parseDnsMessage(bytes, question), question, resolver)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return failed('malformed', `the DNS message cannot be read: ${error.message}`, { resolver })
  }
}

function interpret<T extends RecordType>(
  message: DnsMessage<T>,
  question: DnsQuery & { type: T },
  resolver: string,
): DnsAnswer<T> {
  const { extendedError, authenticated, rcode } = message
  // A question for the CNAME itself is answered by it, not redirected.
  const chain =
    question.type === 'CNAME' ? NO_ALIASES : followAliases(question.name, message.aliases)
  if (!chain) return failed('cname-loop', 'its CNAMEs lead back to themselves', { resolver })
  const cnames = chain.length === 0 ? NO_NAMES : chain.map((alias) => alias.data)
  if (rcode !== NOERROR && rcode !== NXDOMAIN) {
    return failedByCode(rcode, { cnames, extendedError, resolver })
  }

  const finalName = cnames.at(-1) ?? question.name
  const records: RecordData[T][] = []
  let ttl = chain.reduce((least, alias) => Math.min(least, alias.ttl), Number.POSITIVE_INFINITY)
  for (const row of message.answers) {
    if (row.owner !== finalName) continue
    records.push(row.data)
    ttl = Math.min(ttl, row.ttl)
  }
  if (records.length === 0) return absent(message, { cnames, extendedError, resolver })
  if (rcode === NOERROR) {
    return { kind: 'records', records, ttl, authenticated, cnames, extendedError, resolver }
  }
  const detail = 'the resolver sent records of a name that it says does not exist'
  return failed('malformed', detail, { cnames, extendedError, resolver })
}

function absent<T extends RecordType>(
  message: DnsMessage<T>,
  context: AnswerContext,
): DnsAnswer<T> {
  const { rcode, negativeTtl, hasAuthorityNs, authenticated } = message
  if (message.answers.length > 0) {
    return failed('malformed', 'the resolver sent records of another name', context)
  }
  // RFC 2308 §2.2: an absence comes with an SOA, or with nothing at all. Name servers alone are a
  // referral; and who does not look for itself did not follow an alias to its end.
  const isUnfollowed = !message.isRecursionAvailable && context.cnames.length > 0
  if (rcode === NOERROR && negativeTtl === null && (hasAuthorityNs || isUnfollowed)) {
    return failed('refused', 'the resolver sent us elsewhere instead of answering', context)
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

/** The CNAMEs from `name` on, in order, or null when they form a loop. */
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
      return failed('refused', 'the resolver refused the question (REFUSED)', context)
    default:
      return failed('refused', `the resolver answered with response code ${rcode}`, context)
  }
}
