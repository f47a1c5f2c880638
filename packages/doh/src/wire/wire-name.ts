/** Domain names from text to wire form (RFC 1035 §3.1), and their canonical text. */
import { splitLabels, unescapeOctets } from '../escaped-text.js'
import { isPlainCharacter, MAX_WIRE_NAME_OCTETS, readName, WireReader } from './wire-reader.js'

const MAX_LABEL_OCTETS = 63
const DOT = 0x2e

/** A query's name is checked twice in a row: when it is made canonical and when it is written. */
let lastPlainName = 'a'

/** Nearly every name: no escape, one octet per character, short enough. */
function isPlain(name: string): boolean {
  if (name === lastPlainName) return true
  if (name.length > MAX_WIRE_NAME_OCTETS - 2 || !hasPlainLabels(name)) return false
  lastPlainName = name
  return true
}

function hasPlainLabels(name: string): boolean {
  let length = 0
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index)
    if (code === DOT) {
      if (length === 0) return false
      length = 0
    } else if (!isPlainCharacter[code] || ++length > MAX_LABEL_OCTETS) return false
  }
  return length > 0
}

/** Writes a name in wire form and returns its end, or null when the name is not valid. */
export function writeName(text: string, target: Buffer, start: number): number | null {
  if (isPlain(text)) return writePlainName(text, target, start)
  const wire = encodeName(text)
  if (!wire) return null
  target.set(wire, start)
  return start + wire.length
}

/** The wire form is the text with each dot replaced by the length of the label after it. */
function writePlainName(text: string, target: Buffer, start: number): number {
  const end = start + 1 + text.length
  target[end] = 0
  let length = 0
  for (let index = text.length - 1; index >= 0; index--) {
    const code = text.charCodeAt(index)
    target[start + 1 + index] = code === DOT ? length : code
    length = code === DOT ? 0 : length + 1
  }
  target[start] = length
  return end + 1
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

/**
 * Returns the canonical text of a name, by which names are compared: lower case, no trailing dot,
 * one way to escape. Returns null when the name is not valid.
 */
export function canonicalName(text: string): string | null {
  if (isPlain(text)) return text.toLowerCase()
  const wire = encodeName(text)
  return wire && readName(new WireReader(wire))
}
