/** Everything a judgement of an SPF record rests on. */
import type { CharacterStrings, Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type Checked, doesNotExist } from '../checked.js'
import { joined } from '../txt.js'
import { isSpf } from './parse-spf.js'
import { gatherSpfAnswers, type SpfAnswers } from './spf-answers.js'
import { type Cost, type CostReader, createCostReader } from './spf-cost.js'
import { type Ending, endingOf, type Reach, reachOf } from './spf-reach.js'
import { growTree, mergedTerms, nodesOf, type SpfNode } from './spf-tree.js'

export interface SpfFacts {
  readonly domain: DomainName
  readonly answers: SpfAnswers
  /** The domain's TXT records, string by string. */
  readonly texts: readonly CharacterStrings[]
  /** Those of them that are SPF records. */
  readonly published: readonly CharacterStrings[]
  /** Records of the retired type 99. */
  readonly leftovers: readonly string[]
  readonly tree: SpfNode
  /** Every node of the tree, in record order. */
  readonly nodes: readonly SpfNode[]
  readonly costs: CostReader
  readonly voids: Pick<Cost, 'ipv4Voids' | 'ipv6Voids'>
  readonly reach: Reach
  readonly ending: Ending
}

export async function discoverSpf(dns: Dns, domain: DomainName): Promise<Checked<SpfFacts>> {
  const [gathered, leftover] = await Promise.all([
    gatherSpfAnswers(dns, domain),
    dns.ask(domain, 'SPF'),
  ])
  if (gathered.kind === 'unavailable') return gathered
  const { answers } = gathered
  const answer = answers.of(domain, 'TXT')
  if (answer && doesNotExist(answer)) return { kind: 'unknown-domain' }

  const texts = answer?.kind === 'records' ? answer.records : []
  const costs = createCostReader(answers, domain)
  const tree = growTree(answers, domain, costs)
  const all = mergedTerms(tree.records).map((term) => costs.ofTerm(term, domain))
  return {
    kind: 'report',
    report: {
      domain,
      answers,
      texts,
      published: texts.filter((strings) => isSpf(joined(strings))),
      // A server that refuses the old type leaves nothing to tell.
      leftovers: leftover.kind === 'records' ? leftover.records.map(joined) : [],
      tree,
      nodes: nodesOf(tree),
      costs,
      voids: {
        ipv4Voids: all.reduce((sum, cost) => sum + cost.ipv4Voids, 0),
        ipv6Voids: all.reduce((sum, cost) => sum + cost.ipv6Voids, 0),
      },
      reach: reachOf(answers, domain),
      ending: endingOf(answers, domain),
    },
  }
}
