/** What a response message means for the question it answers (RFC 2308, RFC 6604). */
import type { Answer, Question, RecordType } from '../dns.js'
import { failed } from '../dns.js'
import { type Message, type Row, readMessage } from './message.js'
import { WireError } from './reader.js'

const NOERROR = 0
const SERVFAIL = 2
const NXDOMAIN = 3
const REFUSED = 5

/** Total over any bytes: what cannot be read is a failure, never an absence. */
export function decodeResponse<T extends RecordType>(
  bytes: Buffer,
  question: Question & { type: T },
  resolver: string,
): Answer<T> {
  try {
    return interpret(readMessage(bytes, question), question, resolver)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return failed('malformed', `the DNS message cannot be read: ${error.message}`, { resolver })
  }
}

function interpret<T extends RecordType>(
  message: Message<T>,
  question: Question & { type: T },
  resolver: string,
): Answer<T> {
  const { extendedError, authenticated, rcode } = message
  // A question for the CNAME itself is answered by it, not redirected.
  const chain = question.type === 'CNAME' ? [] : followAliases(question.name, message.aliases)
  if (!chain) return failed('cname-loop', 'its CNAMEs lead back to themselves', { resolver })
  const cnames = chain.map((alias) => alias.data)
  const context = { cnames, extendedError, resolver }

  if (rcode !== NOERROR && rcode !== NXDOMAIN) return failedByCode(rcode, context)

  const finalName = cnames.at(-1) ?? question.name
  const rows = message.answers.filter((row) => row.owner === finalName)
  if (rcode === NOERROR && rows.length > 0) {
    const ttl = Math.min(...chain.map((alias) => alias.ttl), ...rows.map((row) => row.ttl))
    return { kind: 'records', records: rows.map((row) => row.data), ttl, authenticated, ...context }
  }
  if (rcode === NOERROR && message.hasAuthorityNs && !message.soa) {
    // RFC 2308 §2.2: name servers without an SOA are a referral, not a "no such data".
    return failed('refused', 'the resolver referred us elsewhere instead of answering', context)
  }
  return {
    kind: rcode === NXDOMAIN ? 'nxdomain' : 'nodata',
    // RFC 2308 §5: an absence lives as long as the lesser of the SOA's TTL and its minimum.
    ttl: message.soa && Math.min(message.soa.ttl, message.soa.data.minimum),
    authenticated,
    ...context,
  }
}

/** The CNAMEs from `name` on, in order, or null when they form a loop. */
function followAliases(
  name: string,
  aliases: readonly Row<'CNAME'>[],
): readonly Row<'CNAME'>[] | null {
  if (aliases.length === 0) return []
  const byOwner = new Map(aliases.map((alias) => [alias.owner, alias]))
  const chain: Row<'CNAME'>[] = []
  for (let alias = byOwner.get(name); alias; alias = byOwner.get(alias.data)) {
    if (chain.length === byOwner.size) return null
    chain.push(alias)
  }
  return chain
}

function failedByCode(rcode: number, context: Parameters<typeof failed>[2]) {
  switch (rcode) {
    case SERVFAIL:
      return failed('servfail', 'the resolver could not get an answer (SERVFAIL)', context)
    case REFUSED:
      return failed('refused', 'the resolver refused the question (REFUSED)', context)
    default:
      return failed('refused', `the resolver answered with response code ${rcode}`, context)
  }
}
