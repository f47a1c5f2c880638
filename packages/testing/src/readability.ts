/**
 * How hard a text is to read, as a US school grade (Flesch-Kincaid: 0.39 × words per sentence + 11.8
 * × syllables per word − 15.59).
 */
import { syllable } from 'syllable'

export const HIGHEST_GRADE = 9

/** The pages that people visit most. */
export const MOST_VISITED = [
  '/',
  '/?domain=good.test',
  '/?domain=monitoring.test',
  '/?domain=lookups.test',
  '/?domain=parked.test',
  '/?domain=selector.test',
  '/reports/fix-plan/sample',
  '/learn',
  '/learn/dmarc',
  '/faq',
]

export function readingGrade(sentences: readonly string[]): number {
  const words = sentences.flatMap((sentence) => sentence.split(/\s+/))
  const syllables = words.reduce((sum, word) => sum + Math.max(1, syllable(word)), 0)
  const grade = (0.39 * words.length) / sentences.length + (11.8 * syllables) / words.length - 15.59
  return Math.round(grade * 10) / 10
}

/** What is not prose: code, names to look up, controls, and what repeats on every page. */
const NOT_PROSE =
  /<(head|header|footer|nav|form|pre|code|svg|table|button|script|noscript|small|template|time)\b[^>]*>.*?<\/\1>/gs
const BLOCK =
  /<\/?(p|li|ul|ol|dd|dt|dl|div|h[1-6]|section|article|details|summary|main|br)\b[^>]*>/g

/** The sentences of a page's main part. A heading or label of less than four words is none. */
export function toSentences(html: string): string[] {
  let text = html.replace(/<!--.*?-->/gs, '')
  // Twice, because one may be inside another.
  for (let pass = 0; pass < 2; pass++) text = text.replace(NOT_PROSE, ' ')
  return text
    .replace(BLOCK, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&#?\w+;/g, ' ')
    .split(/\n|(?<=[.!?])\s+/)
    .map((sentence) => sentence.replace(/[^\p{L}\p{N}’.'-]+/gu, ' ').trim())
    .filter((sentence) => sentence.split(' ').length >= 4)
}
