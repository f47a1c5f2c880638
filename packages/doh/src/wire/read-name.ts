/** Reads domain names off the wire (RFC 1035 §3.1, §4.1.4). */
import { WireError, type WireReader } from './wire-reader.js'

export const MAX_WIRE_NAME_OCTETS = 255
/** No name has more labels, so an honest one needs no more pointers. */
const MAX_POINTERS = 127
const POINTER = 0xc0
export const DOT = 0x2e

/** Characters that are written as they are, by their code. */
const isPlainCharacter = Array.from({ length: 128 }, (_, code) =>
  /[\w-]/.test(String.fromCharCode(code)),
)

/** The name being read, as it would stand on the wire uncompressed, and whether it needs no escape. */
const octets = Buffer.alloc(MAX_WIRE_NAME_OCTETS)
let isPlainSoFar = true

/** Reads a possibly compressed name as lower-case text. */
export function readName(reader: WireReader): string {
  isPlainSoFar = true
  const end = followName(reader, keepLabel)
  if (end === 0) return '.'
  return isPlainSoFar ? plainText(end) : escapedText(end)
}

/** Passes over a name that must be sound but is of no interest. */
export function skipName(reader: WireReader): void {
  followName(reader, passLabel)
}

/**
 * Returns how long the name is uncompressed. Every pointer must lead to an earlier place than the
 * last one did, and there may not be many, so a hostile message cannot make this loop or toil.
 */
function followName(
  reader: WireReader,
  takeLabel: (reader: WireReader, length: number, start: number) => void,
): number {
  let end = 0
  let resumeAt: number | null = null
  let earliest = reader.offset
  let pointers = 0
  for (;;) {
    const length = reader.u8()
    if (length === 0) break
    if ((length & POINTER) === POINTER) {
      const target = ((length & ~POINTER) << 8) | reader.u8()
      expect(target < earliest && ++pointers <= MAX_POINTERS, 'a name points forward or too often')
      resumeAt ??= reader.offset
      earliest = target
      reader.offset = target
      continue
    }
    expect((length & POINTER) === 0, 'a name has a label of unknown kind')
    // One more octet ends the name.
    expect(end + length + 2 <= MAX_WIRE_NAME_OCTETS, 'a name is longer than 255 octets')
    takeLabel(reader, length, end)
    end += length + 1
  }
  if (resumeAt !== null) reader.offset = resumeAt
  return end
}

function passLabel(reader: WireReader, length: number): void {
  reader.skip(length)
}

/** Moves a label to `octets` in lower case. */
function keepLabel(reader: WireReader, length: number, start: number): void {
  octets[start] = length
  for (let index = start + 1; index <= start + length; index++) {
    const octet = reader.u8()
    octets[index] = toLowerCaseOctet(octet)
    if (!isPlainCharacter[octet]) isPlainSoFar = false
  }
}

function plainText(end: number): string {
  for (let at = 0; at < end; ) {
    const next = at + (octets[at] as number) + 1
    octets[at] = DOT
    at = next
  }
  return octets.toString('latin1', 1, end)
}

/** A dot inside a label must not read as a separator: `a\.b.test` is not `a.b.test`. */
function escapedText(end: number): string {
  const labels: string[] = []
  for (let at = 0; at < end; ) {
    const next = at + (octets[at] as number) + 1
    labels.push(octets.toString('latin1', at + 1, next).replace(/[^\w-]/g, escapeOctet))
    at = next
  }
  return labels.join('.')
}

function expect(isRight: boolean, problem: string): void {
  if (!isRight) throw new WireError(problem)
}

export function toLowerCaseOctet(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet | 0x20 : octet
}

function escapeOctet(octet: string): string {
  if (octet === '.' || octet === '\\') return `\\${octet}`
  if (octet > ' ' && octet <= '~') return octet
  return `\\${String(octet.charCodeAt(0)).padStart(3, '0')}`
}
