/** Domain names between text and the wire (RFC 1035 §3.1, §4.1.4). */
import { splitLabels, unescapeOctets } from '../escaped-text.js'
import { DOT, MAX_WIRE_NAME_OCTETS, readName, toLowerCaseOctet } from './read-name.js'
import { WireReader } from './wire-reader.js'

const MAX_LABEL_OCTETS = 63

const PLAIN_NAME = /^[\w-]{1,63}(?:\.[\w-]{1,63})*$/

/** Nearly every name there is: nothing to unescape, one octet a character, short enough. */
const isPlain = (name: string) => name.length <= MAX_WIRE_NAME_OCTETS - 2 && PLAIN_NAME.test(name)

/** Writes a name's wire form and returns where it ends, or null when no DNS message can carry it. */
export function writeName(text: string, target: Buffer, start: number): number | null {
  if (isPlain(text)) return writePlainName(text, target, start)
  const wire = encodeName(text)
  if (!wire) return null
  target.set(wire, start)
  return start + wire.length
}

/** Text and wire form differ only in the dots: each gives way to the length of the label after it. */
function writePlainName(text: string, target: Buffer, start: number): number {
  const end = start + 1 + target.write(text, start + 1, 'latin1')
  target[end] = 0
  let length = 0
  for (let index = end - 1; index > start; index--) {
    if (target[index] !== DOT) length++
    else {
      target[index] = length
      length = 0
    }
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

/** The one spelling by which a name is known and compared: as it reads when it comes off the wire. */
export function canonicalName(text: string): string | null {
  if (isPlain(text)) return text.toLowerCase()
  const wire = encodeName(text)
  return wire && readName(new WireReader(wire))
}

/** Whether the very name `text` comes next. Nearly all echoes are found equal without being decoded. */
export function matchName(reader: WireReader, text: string): boolean {
  const start = reader.offset
  if (isPlain(text) && takePlainName(reader, text)) return true
  reader.offset = start
  return readName(reader) === text
}

function takePlainName(reader: WireReader, text: string): boolean {
  let labelEnd = reader.u8()
  for (let index = 0; index < text.length; index++) {
    const octet = reader.u8()
    const expected = text.charCodeAt(index)
    const isSeparator = index === labelEnd
    if (isSeparator !== (expected === DOT)) return false
    if (isSeparator) labelEnd += octet + 1
    else if (toLowerCaseOctet(octet) !== expected) return false
  }
  return labelEnd === text.length && reader.u8() === 0
}
