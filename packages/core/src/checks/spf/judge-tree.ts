/** Findings about where a record leads. */
import { found, type Rule } from '../rule.js'
import type { SpfFacts } from './discover-spf.js'
import type { SpfGraph } from './spf-graph.js'
import { type ActiveTerm, isWellFormedSpf, type Term, termsOf } from './spf-record.js'
import {
  domainsOf,
  findParentNodes,
  inRecordsOf,
  isNeedless,
  leadingTerms,
  proposeAtDomain,
  spfNodeEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

export const TREE_RULES: readonly Rule<SpfFacts>[] = [
  ({ nodes }) => {
    const empty = nodes.filter(
      ({ term, state }) => term && (state === 'none' || state === 'malformed'),
    )
    if (empty.length === 0) return null
    const holders = findParentNodes(nodes, empty)
    return found(
      inRecordsOf(holders, 'spf.include-without-record'),
      { terms: leadingTerms(empty), places: domainsOf(holders) },
      { evidence: spfNodeEvidence(holders) },
    )
  },

  ({ nodes }) => {
    const loops = nodes.filter(({ state }) => state === 'loop')
    if (loops.length === 0) return null
    const holders = findParentNodes(nodes, loops)
    return found(
      inRecordsOf(holders, 'spf.loop'),
      { names: domainsOf(loops), terms: leadingTerms(loops), places: domainsOf(holders) },
      { evidence: spfNodeEvidence(holders) },
    )
  },

  (facts) => {
    const { domain, graph, tree, nodes, authorization, cnames } = facts
    // Several records have to be merged, which also removes what occurs in two of them.
    if (tree.state === 'several') return null
    const own = nodes.filter(
      (node) => node.isOwn && isFirstOccurrence(node) && node.records.length > 0,
    )
    const includes = own.flatMap((node) => findIncludes(node, graph))
    const firsts = new Map(includes.toReversed().map((include) => [include.target, include]))
    const repeated = includes.filter((include) => firsts.get(include.target) !== include)
    if (repeated.length === 0) return null
    const targets = new Set(repeated.map(({ target }) => target))
    const holders = includes.filter(({ target }) => targets.has(target)).map(({ node }) => node)
    const terms = repeated.map(({ term }) => term.text)
    const evidence = spfNodeEvidence(holders)
    // With another error in the way, removing the repetition alone would not make the record usable.
    const record = authorization.hasPermanentError ? null : withoutRepetitions(tree, repeated)
    if (record === null) {
      return found('spf.duplicate-include', { terms, places: domainsOf(holders) }, { evidence })
    }
    const values = { terms, domain, record, alias: cnames.slice(-1) }
    const isAlias = cnames.length > 0
    return found(
      isAlias ? 'spf.duplicate-include (alias)' : 'spf.duplicate-include (record)',
      values,
      {
        evidence,
        ...proposeAtDomain(facts, record),
      },
    )
  },

  ({ domain, nodes }) => {
    const unaligned = nodes
      .filter(({ isOwn }) => isOwn)
      .flatMap(({ children }) => children)
      .filter(({ service }) => isNeedless(service, domain))
    if (unaligned.length === 0) return null
    const holders = findParentNodes(nodes, unaligned)
    const services = unaligned.map(({ service }) => service?.name ?? '')
    return found(
      'spf.unaligned-include',
      {
        domain,
        terms: leadingTerms(unaligned),
        services,
        unsigned: services,
        places: domainsOf(holders),
      },
      { evidence: spfNodeEvidence(holders) },
    )
  },

  ({ tree, nodes }) => {
    const dynamic = nodes.filter(({ state }) => state === 'dynamic')
    if (dynamic.length === 0) return null
    return found(
      'spf.depends-on-sender',
      { terms: leadingTerms(dynamic), count: tree.lookups },
      { evidence: spfNodeEvidence(findParentNodes(nodes, dynamic)) },
    )
  },
]

interface Inclusion {
  readonly node: SpfNode
  readonly term: ActiveTerm
  readonly target: string
}

function findIncludes(node: SpfNode, { targetOf }: SpfGraph): Inclusion[] {
  return termsOf(node.records).flatMap((term) => {
    const target = targetOf(term)
    const isNamed = term.kind === 'include' && target.kind === 'name'
    return isNamed ? [{ node, term, target: target.name }] : []
  })
}

/** A sender that the first does not match is not matched by the second, whatever its qualifier (§5.2). */
function withoutRepetitions(tree: SpfNode, repeated: readonly Inclusion[]): string | null {
  const [record, ...others] = tree.records
  const isInRoot = repeated.every(({ node }) => node === tree)
  if (!record || others.length > 0 || !isInRoot || !isWellFormedSpf(record.text)) return null
  const removed = new Set<Term>(repeated.map(({ term }) => term))
  const kept = record.terms.filter((term) => !removed.has(term)).map(({ text }) => text)
  return ['v=spf1', ...kept].join(' ')
}
