/**
 * Domain names from text to wire form (RFC 1035 §3.1), their canonical text, and the escapes of names
 * and zone files (RFC 1035 §5.1): `\.` is a literal dot, `\032` an octet.
 */
import { isPlainCharacter, MAX_WIRE_NAME_OCTETS, readName, WireReader } from './wire-reader.js'

const MAX_LABEL_OCTETS = 63
const DOT = 0x2e

/** Writes a name in wire form and returns its end, or null when the name is not valid. */
export function writeName(text: string, target: Buffer, start: number): number | null {
  const wire = encodeName(text)
  if (!wire) return null
  target.set(wire, start)
  return start + wire.length
}

/**
 * The same for a name that is canonical and needs no escape, like nearly every name; null for
 * others. The wire form is the text with each dot replaced by the length of the label after it.
 */
export function writePlainName(text: string, target: Buffer, start: number): number | null {
  if (text.length > MAX_WIRE_NAME_OCTETS - 2) return null
  let lengthAt = start
  for (let index = 0; index <= text.length; index++) {
    const at = start + 1 + index
    const code = index < text.length ? text.charCodeAt(index) : DOT
    if (isPlainCharacter[code]) target[at] = code
    else {
      const length = at - lengthAt - 1
      if (code !== DOT || length === 0 || length > MAX_LABEL_OCTETS) return null
      target[lengthAt] = length
      lengthAt = at
    }
  }
  target[lengthAt] = 0
  return lengthAt + 1
}

function encodeName(text: string): Buffer | null {
  if (text === '.') return Buffer.of(0)
  const labels = splitLabels(text)
  if (labels.at(-1) === '') labels.pop()
  const parts: Buffer[] = []
  let octets = 1
  for (const label of labels.map(unescapeOctets)) {
    if (!label || label.length === 0 || label.length > MAX_LABEL_OCTETS) return null
    octets += label.length + 1
    parts.push(Buffer.of(label.length), label)
  }
  if (labels.length === 0 || octets > MAX_WIRE_NAME_OCTETS) return null
  parts.push(Buffer.of(0))
  return Buffer.concat(parts, octets)
}

/** Lower case, without an escape or a trailing dot. */
const PLAIN_NAME = /^(?:[a-z\d_-]{1,63}\.)*[a-z\d_-]{1,63}$/

/**
 * Returns the canonical text of a name, by which names are compared: lower case, no trailing dot,
 * one way to escape. Returns null when the name is not valid.
 */
export function canonicalName(text: string): string | null {
  // Like nearly every name.
  if (text.length <= MAX_WIRE_NAME_OCTETS - 2 && PLAIN_NAME.test(text)) return text
  const wire = encodeName(text)
  return wire && readName(new WireReader(wire))
}

/** A backslash comes before three digits, at most 255, or before one character that is no digit. */
const WELL_FORMED = /^(?:[^\\]|\\\D|\\(?:[01]\d\d|2[0-4]\d|25[0-5]))*$/su

/**
 * Returns the octets of an escaped text, or null when an escape is invalid. Characters beyond
 * ASCII become their UTF-8 octets.
 */
export function unescapeOctets(text: string): Buffer | null {
  if (!text.includes('\\')) return Buffer.from(text)
  if (!WELL_FORMED.test(text)) return null
  const pieces = text.match(/\\\d{3}|\\.|[^\\]+/gsu) ?? []
  return Buffer.concat(
    pieces.map((piece) => {
      if (/^\\\d/.test(piece)) return Buffer.of(Number(piece.slice(1)))
      return Buffer.from(piece.replace(/^\\/, ''))
    }),
  )
}

/** Splits a name into labels and keeps their escapes. A trailing dot leaves an empty last label. */
export function splitLabels(name: string): string[] {
  if (!name.includes('\\')) return name.split('.')
  const labels = ['']
  for (const [piece] of name.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === '.') labels.push('')
    else labels[labels.length - 1] += piece
  }
  return labels
}
