/** Texts that were meant as SPF, and strings that lack a space between them. */
import type { CharacterStrings } from '@mailgrade/doh/dns'
import { toPlainAscii, trimTrailing } from '../txt-records.js'
import { isSpfRecord, isWellFormedSpf } from './spf-record.js'

/** `v=spf10`, `v = spf1`, `"v=spf1`, `v=spf1;`, `v=spf1include:`, `spf1 include:`, a space before. */
const MEANT_AS_SPF = /^[^a-z]{0,8}(?:v\s{0,3}[=:]\s{0,3}spf\d?|spf1[\s:])/i

const TERM_START =
  /^[+?~-]?(?:include:|ip4:|ip6:|exists:|redirect=|exp=|(?:a|mx|ptr)(?:[:/ ]|$)|all(?: |$))/i

export function isSpfNearMiss(text: string): boolean {
  return !isSpfRecord(text) && MEANT_AS_SPF.test(text)
}

/** The record that was meant; null when more than its start is wrong. */
export function repairSpfNearMiss(text: string): string | null {
  return validOrNull(correctSpfVersion(text))
}

/** With a correct start; its terms may be wrong. */
export function correctSpfVersion(text: string): string {
  const rest = toPlainAscii(text.replace(MEANT_AS_SPF, ''))
  const terms = trimTrailing(rest, /["'\s]/).replace(/^[;,:"'\s]+/, '')
  return terms === '' ? 'v=spf1' : `v=spf1 ${terms}`
}

/** The record without hidden characters; null when it is still invalid. */
export function removeHiddenCharacters(text: string): string | null {
  return validOrNull(toPlainAscii(text).trimEnd())
}

function validOrNull(text: string): string | null {
  return isWellFormedSpf(text) ? text : null
}

interface MissingSpace {
  /** Octets before it. */
  readonly at: number
  /** The index of the string that starts here. */
  readonly index: number
  /** The term that starts here. */
  readonly text: string
}

/** Enough characters to see whether a word looks complete. */
const MAX_WORD_END = 300

/** Where a string starts with a term, but the text before it does not end with a space. */
export function findMissingSpaces(strings: CharacterStrings): MissingSpace[] {
  let at = 0
  let before = ''
  return strings.flatMap((text, index) => {
    const missingSpace = { at, index, text: text.split(' ', 1)[0] ?? '' }
    const isMissing = TERM_START.test(text) && endsTerm(before)
    at += text.length
    before = (before + text).slice(-MAX_WORD_END)
    return isMissing ? [missingSpace] : []
  })
}

/** A split inside a term is harmless, so the text before it must look complete. */
function endsTerm(before: string): boolean {
  const last = before.slice(before.lastIndexOf(' ') + 1)
  return /^v=spf1$|[.:][a-z\d-]*[a-z\d]$|\/\d+$|^[+?~-]?(?:a|mx|ptr|all)$/i.test(last)
}
