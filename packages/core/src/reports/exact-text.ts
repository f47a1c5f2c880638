/**
 * Texts of TXT records that stand for exactly one sequence of octets. Octets that are not UTF-8
 * become halves of surrogate pairs, which no UTF-8 has, as in Python's PEP 383.
 */
import { toDisplayText } from '../checks/txt-records.js'

const FIRST_SURROGATE = 0xdc00

const LONE = /[\udc80-\udcff]/u
const LONE_RUN = /([\udc80-\udcff]+)/u

/** UTF-8 always has fewer characters than octets where it is not ASCII. */
export function toExactText(octets: string): string {
  const text = toDisplayText(octets)
  return text === octets ? octets.replace(/[\x80-\xff]/g, toSurrogate) : text
}

function toSurrogate(octet: string): string {
  return String.fromCharCode(FIRST_SURROGATE + octet.charCodeAt(0))
}

/** The octets again. */
export function toOctets(text: string): Buffer {
  if (!hasOddOctets(text)) return Buffer.from(text)
  // Latin-1 takes the low octet of each half.
  const pieces = text.split(LONE_RUN)
  return Buffer.concat(
    pieces.map((piece, at) => Buffer.from(piece, at % 2 === 1 ? 'latin1' : 'utf8')),
  )
}

/** Whether it has octets that are not UTF-8. */
export function hasOddOctets(text: string): boolean {
  return LONE.test(text)
}

/** The text as shown elsewhere in reports. */
export function toShownText(exact: string): string {
  return hasOddOctets(exact) ? toOctets(exact).toString('latin1') : exact
}
