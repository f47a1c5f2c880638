/** Texts that were meant as SPF, and strings that were meant to have a space between them. */
import type { CharacterStrings } from '@mailgrade/doh/dns'
import { toDisplayText } from '../txt-records.js'
import { isSpfRecord, isWellFormedSpf } from './parse-spf.js'

/** `v=spf10`, `v = spf1`, `"v=spf1`, `v=spf1;`, `v=spf1include:`, `spf1 include:`, a space before. */
const MEANT_AS_SPF = /^[^a-z]{0,8}(?:v\s{0,3}[=:]\s{0,3}spf\d?|spf1[\s:])/i

const TERM_START =
  /^[+?~-]?(?:include:|ip4:|ip6:|exists:|redirect=|exp=|(?:a|mx|ptr)(?:[:/ ]|$)|all(?: |$))/i

export function isSpfNearMiss(text: string): boolean {
  return !isSpfRecord(text) && MEANT_AS_SPF.test(text)
}

/** The record that a near miss was meant to be; null when more than its beginning is wrong. */
export function repairSpfNearMiss(text: string): string | null {
  const rest = plain(text.replace(MEANT_AS_SPF, ''))
  const terms = rest.slice(0, endWithout(rest, /["'\s]/)).replace(/^[;,:"'\s]+/, '')
  return validOrNull(`v=spf1 ${terms}`)
}

/** Where a text ends without its last characters of a kind; a pattern would try each run anew. */
function endWithout(text: string, kind: RegExp): number {
  let end = text.length
  while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1
  return end
}

/** A record without what was pasted into it unseen; null when that does not make it valid. */
export function removeHiddenCharacters(text: string): string | null {
  return validOrNull(plain(text).trimEnd())
}

function validOrNull(text: string): string | null {
  return isWellFormedSpf(text) ? text : null
}

/** Look-alikes from word processors and web pages, as the ASCII they stand for. */
function plain(octets: string): string {
  return toDisplayText(octets)
    .replace(/[\u200b-\u200d\u2060\ufeff\u00ad]/g, '')
    .replace(/\s/g, ' ')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201f]/g, '')
}

interface Joint {
  /** Octets before it. */
  readonly at: number
  /** The number of the string that begins here. */
  readonly index: number
  /** The term that begins here. */
  readonly text: string
}

/** More of a word than tells whether it looks complete. */
const WORD_END = 300

/** Where a string begins with a term although what is before it does not end in a space. */
export function findMissingSpaces(strings: CharacterStrings): Joint[] {
  let at = 0
  let before = ''
  return strings.flatMap((text, index) => {
    const joint = { at, index, text: text.split(' ', 1)[0] ?? '' }
    const isJoint = TERM_START.test(text) && endsTerm(before)
    at += text.length
    before = (before + text).slice(-WORD_END)
    return isJoint ? [joint] : []
  })
}

/** A split in the middle of a term is harmless: the text before it must look complete. */
function endsTerm(before: string): boolean {
  const last = before.slice(before.lastIndexOf(' ') + 1)
  return /^v=spf1$|[.:][a-z\d-]*[a-z\d]$|\/\d+$|^[+?~-]?(?:a|mx|ptr|all)$/i.test(last)
}
