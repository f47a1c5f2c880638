/** Which terms of a record do harm or no good, and why. */
import { mailServers } from '../../../checks/spf/spf-answers.js'
import type { SpfFacts } from '../../../checks/spf/spf-facts.js'
import { hasHosts } from '../../../checks/spf/spf-reach.js'
import {
  type ActiveTerm,
  activeTerms,
  brokenTerms,
  isDirective,
} from '../../../checks/spf/spf-record.js'
import { nodesOf, type SpfNode } from '../../../checks/spf/spf-tree.js'
import { targetOf } from '../../../checks/spf/target.js'
import { registrableDomain } from '../../../names/registrable-domain.js'

export type Doom = 'ptr' | 'dead' | 'broken' | 'unaligned' | 'open'

/** A /8 is the largest block that was ever given to anybody. */
const WIDEST_PREFIX = 8

/** By the text of the term; of a record that stands alone at the domain. */
export function doomedTerms(facts: SpfFacts): Map<string, Doom> {
  const [record] = facts.tree.records
  const children = new Map(facts.tree.children.map((node) => [node.term, node]))
  const doomed = new Map<string, Doom>()
  for (const term of record ? activeTerms(record) : []) {
    const child = children.get(term)
    const doom = child ? doomOfInclude(child, facts) : doomOf(term, facts)
    if (doom) doomed.set(term.text, doom)
  }
  return doomed
}

function doomOfInclude(child: SpfNode, { domain, reach }: SpfFacts): Doom | null {
  if (child.state === 'none' || child.state === 'malformed') return 'dead'
  if (isBroken(child)) return 'broken'
  const below = new Set(nodesOf(child).map((node) => node.domain))
  if (reach.openTo.some((one) => below.has(one.domain) && isWide(one.term))) return 'open'
  // A subdomain may be the very one that such a service bounces to, and then it needs the include.
  const isRoot = registrableDomain(domain) === domain
  return isRoot && child.service?.alignsAtRoot === 'no' ? 'unaligned' : null
}

/** RFC 7208 §5.2, §4.6: what is broken below breaks everything above it. */
function isBroken(node: SpfNode): boolean {
  return nodesOf(node).some(
    ({ state, records }) =>
      ['none', 'malformed', 'several', 'loop'].includes(state) ||
      records.some((record) => brokenTerms(record).length > 0),
  )
}

function doomOf(term: ActiveTerm, { domain, answers, reach }: SpfFacts): Doom | null {
  if (term.kind === 'all' || !isDirective(term)) return null
  if (term.kind === 'ptr') return 'ptr'
  const isOpen = reach.openTo.some((one) => one.domain === domain && one.term === term)
  if (isOpen && isWide(term)) return 'open'
  const target = targetOf(term, { domain, origin: domain })
  // Mail servers that lost their addresses are a fault of these, and not of the term.
  const isNamed = term.kind === 'mx' && target.kind === 'name' && hasServers(answers, target.name)
  return isNamed || hasHosts(answers, { term, target }) ? null : 'dead'
}

function hasServers(answers: SpfFacts['answers'], name: string): boolean {
  const answer = answers.of(name, 'MX')
  return answer !== undefined && mailServers(answer).length > 0
}

/** Ranges may cover everything together; the narrow ones among them are not to blame. */
function isWide({ kind, ipv4Prefix, ipv6Prefix }: SpfFacts['reach']['openTo'][number]['term']) {
  return !kind.startsWith('ip') || ipv4Prefix < WIDEST_PREFIX || ipv6Prefix < WIDEST_PREFIX
}
