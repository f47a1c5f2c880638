/** A question as the `dns` parameter of a DoH request (RFC 8484 §4.1). */
import type { DnsQuery } from '../dns.js'
import { TYPE_NUMBERS } from './record-data.js'
import { writeName } from './wire-name.js'

/**
 * Id 0, so that equal questions have equal addresses (RFC 8484 §4.1); recursion desired; AD, which
 * asks whether the answer was validated without asking for signatures (RFC 6840 §5.7); one
 * question and one additional record.
 */
const HEADER = Buffer.from('000001200001000000000001', 'hex')
const CLASS_IN = 1
/** Without an OPT record a resolver may not send extended errors (RFC 8914 §2). */
const OPT_RECORD = Buffer.from('0000291000000000000000', 'hex')

/** Every message is written here and leaves as text, so that a question costs no buffer of its own. */
const message = Buffer.concat([HEADER, Buffer.alloc(255 + 4 + OPT_RECORD.length)])

/** The message in base64url, or null when the name cannot be asked for. */
export function encodeQuery({ name, type }: DnsQuery): string | null {
  const nameEnd = writeName(name, message, HEADER.length)
  if (nameEnd === null) return null
  const classAt = message.writeUInt16BE(TYPE_NUMBERS[type], nameEnd)
  const optAt = message.writeUInt16BE(CLASS_IN, classAt)
  message.set(OPT_RECORD, optAt)
  return message.toString('base64url', 0, optAt + OPT_RECORD.length)
}
