/** Domain names between text and the wire (RFC 1035 §3.1, §4.1.4). */
import { octetsOf, splitLabels } from '../escaped-text.js'
import { type Reader, WireError } from './reader.js'

const MAX_NAME_OCTETS = 255
const MAX_LABEL_OCTETS = 63
const POINTER = 0xc0

const PLAIN_LABEL = /^[\w-]+$/

/** The wire form of a name, or null when no DNS message can carry it. */
export function encodeName(text: string): Buffer | null {
  if (text === '.') return Buffer.of(0)
  const labels = splitLabels(text)
  if (labels.at(-1) === '') labels.pop()
  const parts: Buffer[] = []
  let octets = 1
  for (const label of labels.map(octetsOf)) {
    if (label.length === 0 || label.length > MAX_LABEL_OCTETS) return null
    octets += label.length + 1
    parts.push(Buffer.of(label.length), label)
  }
  if (labels.length === 0 || octets > MAX_NAME_OCTETS) return null
  parts.push(Buffer.of(0))
  return Buffer.concat(parts, octets)
}

/**
 * Reads a possibly compressed name as lower-case text. Every pointer must lead to an earlier
 * place than the last one did, so a hostile message cannot make this loop.
 */
export function readName(reader: Reader): string {
  const labels: string[] = []
  let octets = 1
  let resumeAt: number | null = null
  let earliest = reader.offset
  for (;;) {
    const length = reader.u8()
    if (length === 0) break
    if ((length & POINTER) === POINTER) {
      const target = ((length & ~POINTER) << 8) | reader.u8()
      if (target >= earliest) throw new WireError('a name points forward')
      resumeAt ??= reader.offset
      earliest = target
      reader.offset = target
      continue
    }
    if (length & POINTER) throw new WireError('a name has a label of unknown kind')
    octets += length + 1
    if (octets > MAX_NAME_OCTETS) throw new WireError('a name is longer than 255 octets')
    labels.push(labelText(reader.octets(length)))
  }
  if (resumeAt !== null) reader.offset = resumeAt
  return labels.length === 0 ? '.' : labels.join('.')
}

/** A dot inside a label must not read as a separator: `a\.b.test` is not `a.b.test`. */
function labelText(octets: Buffer): string {
  const text = octets.toString('latin1').toLowerCase()
  if (PLAIN_LABEL.test(text)) return text
  let escaped = ''
  for (const octet of octets) escaped += octetText(octet)
  return escaped
}

function octetText(octet: number): string {
  const character = String.fromCharCode(octet)
  if (octet < 0x21 || octet > 0x7e) return `\\${String(octet).padStart(3, '0')}`
  return character === '.' || character === '\\' ? `\\${character}` : character.toLowerCase()
}
