/** Where the strings of an SPF record lack a space between them, and the record with these spaces. */
import type { CharacterStrings } from '@mailgrade/doh/dns'
import { joinStrings } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import { findMissingSpaces } from './spf-near-miss.js'
import { activeTerms, isIncludeOrRedirect } from './spf-record.js'

type TreeFacts = Pick<SpfFacts, 'tree' | 'costs'>

/** The missing spaces that break a term. */
export function findBrokenSplits(
  facts: TreeFacts,
  strings: CharacterStrings,
): ReturnType<typeof findMissingSpaces> {
  const text = joinStrings(strings)
  return findMissingSpaces(strings).filter(({ at }) => !isWorkingTerm(facts, text, at))
}

/** The strings, each with the space that is missing at its end. */
export function addMissingSpaces(facts: TreeFacts, strings: CharacterStrings): CharacterStrings {
  const starts = new Set(findBrokenSplits(facts, strings).map(({ index }) => index))
  return strings.map((text, index) => (starts.has(index + 1) ? `${text} ` : text))
}

/** Whether the term across a split works as it is, such as `include:spf.acme.ca`. */
function isWorkingTerm({ tree, costs }: TreeFacts, text: string, at: number): boolean {
  const term = tree.records
    .filter((record) => record.text === text)
    .flatMap(activeTerms)
    .find(({ position, text: { length } }) => position < at && position + length > at)
  if (!term) return false
  if (isIncludeOrRedirect(term)) {
    const target = tree.children.find((child) => child.term === term)
    return target !== undefined && (target.records.length > 0 || target.state === 'loop')
  }
  const { ipv4VoidLookups, ipv6VoidLookups } = costs.termCost(term)
  return ipv4VoidLookups === 0 || ipv6VoidLookups === 0
}
