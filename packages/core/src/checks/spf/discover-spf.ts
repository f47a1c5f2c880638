/** Everything that the findings on an SPF record are based on. */
import type { CharacterStrings, Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type Discovery, isNonexistent } from '../check-result.js'
import { joinStrings, limitStrings, selectRecords } from '../txt-records.js'
import { type DefaultResult, findDefaultResult } from './default-result.js'
import {
  discoverMailboxAuthorizations,
  type MailboxAuthorization,
} from './mailbox-authorization.js'
import { findOpenMacros } from './open-macros.js'
import { evaluateAuthorization, type SpfAuthorization } from './spf-authorization.js'
import { resolveSpfGraph, type SpfGraph } from './spf-graph.js'
import { isSpfRecord } from './spf-record.js'
import {
  buildSpfTree,
  createLookupCosts,
  flattenSpfTree,
  type LookupCost,
  type LookupCosts,
  type SpfNode,
} from './spf-tree.js'
import type { SpfAnswers } from './term-lookups.js'

export interface SpfFacts {
  readonly domain: DomainName
  readonly graph: SpfGraph
  readonly answers: SpfAnswers
  /** The domain's TXT records, string by string. */
  readonly txtRecords: readonly CharacterStrings[]
  /** The SPF records among them, or a few of very many. */
  readonly spfRecords: readonly CharacterStrings[]
  readonly spfRecordCount: number
  /** Records of the retired type 99. */
  readonly type99Records: readonly string[]
  readonly tree: SpfNode
  /** Every node of the tree, in record order. */
  readonly nodes: readonly SpfNode[]
  readonly costs: LookupCosts
  readonly voidLookups: Pick<LookupCost, 'ipv4VoidLookups' | 'ipv6VoidLookups'>
  readonly authorization: SpfAuthorization
  readonly defaultResult: DefaultResult
  readonly mailboxes: readonly MailboxAuthorization[]
  /** Targets of the CNAMEs that the domain itself is, in order. */
  readonly cnames: readonly string[]
}

export async function discoverSpf(dns: Dns, domain: DomainName): Promise<Discovery<SpfFacts>> {
  const [resolved, type99, mx] = await Promise.all([
    resolveSpfGraph(dns, domain),
    dns.query(domain, 'SPF'),
    dns.query(domain, 'MX'),
  ])
  if (resolved.kind === 'unavailable') return resolved
  const { graph } = resolved
  const answer = graph.answers.answer(domain, 'TXT')
  if (answer && isNonexistent(answer)) return { kind: 'unknown-domain' }

  const txtRecords = answer?.kind === 'records' ? answer.records.map(limitStrings) : []
  const spfRecords = txtRecords.filter((strings) => isSpfRecord(joinStrings(strings)))
  const costs = createLookupCosts(graph)
  const tree = buildSpfTree(graph, costs)
  const nodes = flattenSpfTree(tree)
  const authorization = await withOpenMacros(evaluateAuthorization(graph))
  const facts = {
    domain,
    graph,
    answers: graph.answers,
    txtRecords,
    spfRecords: selectRecords(spfRecords, joinStrings),
    spfRecordCount: spfRecords.length,
    // Some servers refuse the retired type; that is no finding.
    type99Records:
      type99.kind === 'records' ? selectRecords(type99.records, joinStrings).map(joinStrings) : [],
    tree,
    nodes,
    costs,
    voidLookups: costs.recordsCost(tree.records),
    authorization,
    defaultResult: findDefaultResult(graph),
    mailboxes: await discoverMailboxAuthorizations(dns, mx, { graph, authorization }),
    cnames: answer?.cnames ?? [],
  }
  return { kind: 'facts', facts }

  async function withOpenMacros(known: SpfAuthorization): Promise<SpfAuthorization> {
    if (!known.hasUnknownSenders || known.openTerms.length > 0) return known
    return { ...known, openTerms: await findOpenMacros(dns, { graph, nodes }) }
  }
}
