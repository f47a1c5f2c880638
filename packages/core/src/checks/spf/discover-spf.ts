/** Everything a judgement of an SPF record rests on. */
import type { CharacterStrings, Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckResult, isNonexistent } from '../check-result.js'
import { joinStrings } from '../txt-records.js'
import { createLookupCosts, type LookupCost, type LookupCosts } from './lookup-cost.js'
import { isSpfRecord } from './parse-spf.js'
import { querySpfAnswers, type SpfAnswers } from './spf-answers.js'
import {
  type DefaultResult,
  evaluateAuthorization,
  findDefaultResult,
  type SpfAuthorization,
} from './spf-authorization.js'
import { buildSpfTree, flattenSpfTree, mergeTerms, type SpfNode } from './spf-tree.js'

export interface SpfFacts {
  readonly domain: DomainName
  readonly answers: SpfAnswers
  /** The domain's TXT records, string by string. */
  readonly txtRecords: readonly CharacterStrings[]
  /** Those of them that are SPF records. */
  readonly spfRecords: readonly CharacterStrings[]
  /** Records of the retired type 99. */
  readonly type99Records: readonly string[]
  readonly tree: SpfNode
  /** Every node of the tree, in record order. */
  readonly nodes: readonly SpfNode[]
  readonly costs: LookupCosts
  readonly voidLookups: Pick<LookupCost, 'ipv4VoidLookups' | 'ipv6VoidLookups'>
  readonly authorization: SpfAuthorization
  readonly defaultResult: DefaultResult
}

export async function discoverSpf(dns: Dns, domain: DomainName): Promise<CheckResult<SpfFacts>> {
  const [gathered, leftover] = await Promise.all([
    querySpfAnswers(dns, domain),
    dns.query(domain, 'SPF'),
  ])
  if (gathered.kind === 'unavailable') return gathered
  const { answers } = gathered
  const answer = answers.answer(domain, 'TXT')
  if (answer && isNonexistent(answer)) return { kind: 'unknown-domain' }

  const texts = answer?.kind === 'records' ? answer.records : []
  const costs = createLookupCosts(answers, domain)
  const tree = buildSpfTree(answers, domain, costs)
  const all = mergeTerms(tree.records).map((term) => costs.termCost(term, domain))
  return {
    kind: 'report',
    report: {
      domain,
      answers,
      txtRecords: texts,
      spfRecords: texts.filter((strings) => isSpfRecord(joinStrings(strings))),
      // A server that refuses the old type leaves nothing to tell.
      type99Records: leftover.kind === 'records' ? leftover.records.map(joinStrings) : [],
      tree,
      nodes: flattenSpfTree(tree),
      costs,
      voidLookups: {
        ipv4VoidLookups: all.reduce((sum, cost) => sum + cost.ipv4VoidLookups, 0),
        ipv6VoidLookups: all.reduce((sum, cost) => sum + cost.ipv6VoidLookups, 0),
      },
      authorization: evaluateAuthorization(answers, domain),
      defaultResult: findDefaultResult(answers, domain),
    },
  }
}
