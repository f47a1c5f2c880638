/** Findings about where a record leads. */
import { hasUselessInclude } from '../../catalog/mail-services.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { createFinding, type Finding, proposeTxtRecord } from '../finding.js'
import { formatList } from '../format-list.js'
import type { SpfGraph } from './spf-graph.js'
import { LOOKUP_LIMIT } from './spf-limits.js'
import { type ActiveTerm, isWellFormedSpf, type Term, termsOf } from './spf-record.js'
import {
  findParentNodes,
  fixOrRequest,
  formatNodeDomains,
  formatNodeTerms,
  type SpfRule,
  spfNodeEvidence,
} from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

const includeWithoutRecord: SpfRule = ({ nodes }) => {
  const empty = nodes.filter(
    (node) => node.term && (node.state === 'none' || node.state === 'malformed'),
  )
  if (empty.length === 0) return null
  const terms = formatNodeTerms(empty)
  const holders = findParentNodes(nodes, empty)
  const publishable = empty.filter(({ state }) => state === 'none')
  const unless =
    publishable.length > 0
      ? `, unless you can publish an SPF record at ${formatNodeDomains(publishable)}`
      : ''
  return createFinding(
    'spf.include-without-record',
    {
      title: `Leads to a name without an SPF record: ${terms}`,
      detail:
        'Receivers that reach it report a permanent error for the whole record, so no sender passes.',
      fix: fixOrRequest(
        holders,
        `Remove ${terms} from the record of ${formatNodeDomains(holders)}${unless}.`,
        `remove ${terms}`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

const loop: SpfRule = ({ nodes }) => {
  const loops = nodes.filter(({ state }) => state === 'loop')
  if (loops.length === 0) return null
  const names = formatNodeDomains(loops)
  const holders = findParentNodes(nodes, loops)
  return createFinding(
    'spf.loop',
    {
      title: `The SPF record of ${names} leads back to itself`,
      detail:
        'Receivers follow the loop until they reach the limit of 10 lookups, then report a permanent error.',
      fix: fixOrRequest(
        holders,
        `Remove ${formatNodeTerms(loops)} from the record of ${formatNodeDomains(holders)}.`,
        `remove ${formatNodeTerms(loops)}`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

const duplicateInclude: SpfRule = ({ graph, tree, nodes, authorization }) => {
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
  const terms = formatList(repeated.map(({ term }) => term.text))
  // With another error in the way, removing the repetition alone would not make the record usable.
  const { record } = authorization.hasPermanentError ? {} : withoutRepetitions(tree, repeated)
  return createFinding(
    'spf.duplicate-include',
    {
      title: `Included more than once: ${terms}`,
      detail: 'Each repetition costs all its lookups again and authorizes no additional sender.',
      fix: `Keep ${terms} once in the record of ${formatNodeDomains(holders)} and delete the repetitions${record ? `: "${record.value}"` : '.'}`,
      ...(record && { record }),
    },
    spfNodeEvidence(holders),
  )
}

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
function withoutRepetitions(
  tree: SpfNode,
  repeated: readonly Inclusion[],
): Pick<Finding, 'record'> {
  const [record, ...others] = tree.records
  const isInRoot = repeated.every(({ node }) => node === tree)
  if (!record || others.length > 0 || !isInRoot || !isWellFormedSpf(record.text)) return {}
  const removed = new Set<Term>(repeated.map(({ term }) => term))
  const kept = record.terms.filter((term) => !removed.has(term)).map(({ text }) => text)
  return proposeTxtRecord(tree.domain, ['v=spf1', ...kept].join(' '))
}

const unalignedInclude: SpfRule = ({ domain, nodes }) => {
  // A subdomain may be the bounce domain of such a service, and then it needs the include.
  if (registrableDomain(domain) !== domain) return null
  const unaligned = nodes
    .filter(({ isOwn }) => isOwn)
    .flatMap(({ children }) => children)
    .filter(({ service }) => service && hasUselessInclude(service))
  if (unaligned.length === 0) return null
  const holders = findParentNodes(nodes, unaligned)
  return createFinding(
    'spf.unaligned-include',
    {
      title: `Cannot help ${domain} pass DMARC: ${formatNodeTerms(unaligned)}`,
      detail: `Mail sent through ${formatList(unaligned.map(({ service }) => service?.name ?? ''))} has its bounce address at the service or at a subdomain. Receivers check SPF there and never use this term, so it only costs lookups.`,
      fix: `Set up DKIM for ${domain} at the service, then remove ${formatNodeTerms(unaligned)} from the record of ${formatNodeDomains(holders)}.`,
    },
    spfNodeEvidence(holders),
  )
}

const dependsOnSender: SpfRule = ({ tree, nodes }) => {
  const dynamic = nodes.filter(({ state }) => state === 'dynamic')
  if (dynamic.length === 0) return null
  return createFinding(
    'spf.depends-on-sender',
    {
      title: `Depends on the sender: ${formatNodeTerms(dynamic)}`,
      detail: `Its macros are expanded for each message, so its records cannot be read in advance. The ${tree.lookups} lookups counted are a minimum.`,
      fix: `Ask the service behind it whether it stays within the limit of ${LOOKUP_LIMIT} lookups. If it does, no action is needed.`,
    },
    spfNodeEvidence(findParentNodes(nodes, dynamic)),
  )
}

export const TREE_RULES: readonly SpfRule[] = [
  includeWithoutRecord,
  loop,
  duplicateInclude,
  unalignedInclude,
  dependsOnSender,
]
