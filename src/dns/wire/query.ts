/** A question as a DNS message (RFC 8484 §4.1). */
import type { Question } from '../dns.js'
import { encodeName } from './name.js'
import { TYPE_NUMBERS } from './record-data.js'

/** RFC 8484 §4.1: the id is 0, so that equal questions have equal addresses. */
const ID = 0
/** Recursion desired, and AD: "tell me whether you validated" without asking for signatures (RFC 6840 §5.7). */
const FLAGS = 0x0120
const CLASS_IN = 1
const HEADER = [ID, FLAGS, 1, 0, 0, 1]
/** Without an OPT record a resolver may not send extended errors (RFC 8914 §2). */
const OPT_RECORD = Buffer.from('0000291000000000000000', 'hex')

/** The query in wire format, or null when the name cannot be asked for. */
export function encodeQuery({ name, type }: Question): Buffer | null {
  const encodedName = encodeName(name)
  if (!encodedName) return null
  const message = Buffer.allocUnsafe(12 + encodedName.length + 4 + OPT_RECORD.length)
  let offset = 0
  for (const field of HEADER) offset = message.writeUInt16BE(field, offset)
  offset += encodedName.copy(message, offset)
  offset = message.writeUInt16BE(TYPE_NUMBERS[type], offset)
  offset = message.writeUInt16BE(CLASS_IN, offset)
  OPT_RECORD.copy(message, offset)
  return message
}
