/** What is wrong with an SPF record: its text, its cost, where it leads, whom it lets send. */
import type { Finding } from '../finding.js'
import { COST_RULES } from './judge-cost.js'
import { REACH_RULES } from './judge-reach.js'
import { RECORD_RULES } from './judge-record.js'
import { SHAPE_RULES } from './judge-shape.js'
import { TREE_RULES } from './judge-tree.js'
import type { SpfFacts } from './spf-facts.js'

const RULES = [...RECORD_RULES, ...SHAPE_RULES, ...COST_RULES, ...TREE_RULES, ...REACH_RULES]

export function judgeSpf(facts: SpfFacts): Finding[] {
  return RULES.flatMap((rule) => rule(facts) ?? [])
}
