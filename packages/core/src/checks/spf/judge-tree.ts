/** What is wrong with where a record leads. */
import { registrableDomain } from '../../names/registrable-domain.js'
import { createFinding, type Finding, proposeTxtRecord } from '../finding.js'
import { formatList } from '../format-list.js'
import { isWellFormedSpf } from './parse-spf.js'
import type { SpfGraph } from './spf-graph.js'
import { type ActiveTerm, activeTerms, type Term } from './spf-record.js'
import { LOOKUP_LIMIT } from './spf-report.js'
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
      ? `, unless you can have an SPF record published at ${formatNodeDomains(publishable)}`
      : ''
  return createFinding(
    'spf.include-without-record',
    {
      title: `Leads to a name without SPF: ${terms}`,
      detail:
        'Receivers that come to it report a permanent error for the whole record, and nobody passes.',
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
        'Receivers go round until they reach the limit of 10 lookups and then report a permanent error.',
      fix: fixOrRequest(
        holders,
        `Remove ${formatNodeTerms(loops)} from the record of ${formatNodeDomains(holders)}.`,
        `remove ${formatNodeTerms(loops)}`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

const duplicateInclude: SpfRule = ({ graph, tree, nodes }) => {
  // Several records are to be merged, and what stands in two of them is then written once.
  if (tree.state === 'several') return null
  const own = nodes.filter(
    (node) => node.isOwn && isFirstOccurrence(node) && node.records.length > 0,
  )
  const includes = own.flatMap((node) => includesIn(node, graph))
  const firsts = new Map(includes.toReversed().map((each) => [each.target, each]))
  const again = includes.filter((each) => firsts.get(each.target) !== each)
  if (again.length === 0) return null
  const targets = new Set(again.map(({ target }) => target))
  const holders = includes.filter(({ target }) => targets.has(target)).map(({ node }) => node)
  const terms = formatList(again.map(({ term }) => term.text))
  const { record } = writtenOnce(tree, again)
  return createFinding(
    'spf.duplicate-include',
    {
      title: `Included more than once: ${terms}`,
      detail: 'Each time costs all its lookups again and lets nobody send who could not before.',
      fix: `Keep ${terms} once in the record of ${formatNodeDomains(holders)} and delete the others${record ? `: "${record.value}"` : '.'}`,
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

function includesIn(node: SpfNode, { targetOf }: SpfGraph): Inclusion[] {
  return node.records.flatMap(activeTerms).flatMap((term) => {
    const target = targetOf(term)
    const isNamed = term.kind === 'include' && target.kind === 'name'
    return isNamed ? [{ node, term, target: target.name }] : []
  })
}

/** Whoever the first does not match, the second does not either, whatever its qualifier (§5.2). */
function writtenOnce(tree: SpfNode, again: readonly Inclusion[]): Pick<Finding, 'record'> {
  const [record, ...others] = tree.records
  const isHere = again.every(({ node }) => node === tree)
  if (!record || others.length > 0 || !isHere || !isWellFormedSpf(record.text)) return {}
  const repeated = new Set<Term>(again.map(({ term }) => term))
  const kept = record.terms.filter((term) => !repeated.has(term)).map(({ text }) => text)
  return proposeTxtRecord(tree.domain, ['v=spf1', ...kept].join(' '))
}

const unalignedInclude: SpfRule = ({ domain, nodes }) => {
  // A subdomain may be the very one that such a service bounces to, and then it needs the include.
  if (registrableDomain(domain) !== domain) return null
  const idle = nodes
    .filter(({ isOwn }) => isOwn)
    .flatMap(({ children }) => children)
    .filter(({ service }) => service?.alignsAtRoot === 'no')
  if (idle.length === 0) return null
  const holders = findParentNodes(nodes, idle)
  return createFinding(
    'spf.unaligned-include',
    {
      title: `Cannot help ${domain} to pass DMARC: ${formatNodeTerms(idle)}`,
      detail: `Mail through ${formatList(idle.map(({ service }) => service?.name ?? ''))} has a bounce address at the service itself or at a subdomain. Receivers check SPF there and never look at this term: it only costs lookups.`,
      fix: `Set up DKIM for ${domain} with the service, and then remove ${formatNodeTerms(idle)} from the record of ${formatNodeDomains(holders)}.`,
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
      title: `Depends on who is sending: ${formatNodeTerms(dynamic)}`,
      detail: `Its macros are filled in for each message, so what lies behind it cannot be read beforehand. The ${tree.lookups} lookups counted are a minimum.`,
      fix: `Ask the service behind it whether it keeps to the limit of ${LOOKUP_LIMIT} lookups. If it does, there is nothing to do.`,
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
