/** Which terms of a record do harm or no good, and why. */

import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { hasHosts } from '../../../checks/spf/spf-authorization.js'
import { evaluatedMxHosts, resolveTermTarget } from '../../../checks/spf/spf-graph.js'
import {
  type ActiveTerm,
  activeTerms,
  invalidTerms,
  isDirective,
} from '../../../checks/spf/spf-record.js'
import { flattenSpfTree, type SpfNode } from '../../../checks/spf/spf-tree.js'
import { registrableDomain } from '../../../names/registrable-domain.js'

export type RemovalReason = 'ptr' | 'dead' | 'broken' | 'unaligned' | 'open'

/** A /8 is the largest block that was ever given to anybody. */
const WIDEST_PREFIX = 8

/** By the text of the term; of a record that stands alone at the domain. */
export function findRemovableTerms(facts: SpfFacts): Map<string, RemovalReason> {
  const [record] = facts.tree.records
  const children = new Map(facts.tree.children.map((node) => [node.term, node]))
  const doomed = new Map<string, RemovalReason>()
  for (const term of record ? activeTerms(record) : []) {
    const child = children.get(term)
    const doom = child ? doomOfInclude(child, facts) : doomOf(term, facts)
    if (doom) doomed.set(term.text, doom)
  }
  return doomed
}

function doomOfInclude(child: SpfNode, { domain, authorization }: SpfFacts): RemovalReason | null {
  if (child.state === 'none' || child.state === 'malformed') return 'dead'
  if (isBroken(child)) return 'broken'
  const below = new Set(flattenSpfTree(child).map((node) => node.domain))
  if (authorization.openTerms.some((one) => below.has(one.domain) && isWide(one.term)))
    return 'open'
  // A subdomain may be the very one that such a service bounces to, and then it needs the include.
  const isRoot = registrableDomain(domain) === domain
  return isRoot && child.service?.alignsAtRoot === 'no' ? 'unaligned' : null
}

/** RFC 7208 §5.2, §4.6: what is broken below breaks everything above it. */
function isBroken(node: SpfNode): boolean {
  return flattenSpfTree(node).some(
    ({ state, records }) =>
      ['none', 'malformed', 'several', 'loop'].includes(state) ||
      records.some((record) => invalidTerms(record).length > 0),
  )
}

function doomOf(
  term: ActiveTerm,
  { domain, answers, authorization }: SpfFacts,
): RemovalReason | null {
  if (term.kind === 'all' || !isDirective(term)) return null
  if (term.kind === 'ptr') return 'ptr'
  const isOpen = authorization.openTerms.some((one) => one.domain === domain && one.term === term)
  if (isOpen && isWide(term)) return 'open'
  const target = resolveTermTarget(term, { domain, origin: domain })
  // Mail servers that lost their addresses are a fault of these, and not of the term.
  const isNamed = term.kind === 'mx' && target.kind === 'name' && hasServers(answers, target.name)
  return isNamed || hasHosts(answers, { term, target }) ? null : 'dead'
}

function hasServers(answers: SpfFacts['answers'], name: string): boolean {
  const answer = answers.answer(name, 'MX')
  return answer !== undefined && evaluatedMxHosts(answer).length > 0
}

/** Ranges may cover everything together; the narrow ones among them are not to blame. */
function isWide({
  kind,
  ipv4Prefix,
  ipv6Prefix,
}: SpfFacts['authorization']['openTerms'][number]['term']) {
  return !kind.startsWith('ip') || ipv4Prefix < WIDEST_PREFIX || ipv6Prefix < WIDEST_PREFIX
}
