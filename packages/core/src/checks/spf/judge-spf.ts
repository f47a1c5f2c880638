/** What is wrong with an SPF record: its text, its cost, where it leads, whom it lets send. */
import type { Finding } from '../finding.js'
import type { SpfFacts } from './discover-spf.js'
import { AUTHORIZATION_RULES } from './judge-authorization.js'
import { LOOKUP_RULES } from './judge-lookups.js'
import { FORMAT_RULES } from './judge-spf-format.js'
import { SPF_RECORD_RULES } from './judge-spf-record.js'
import { TREE_RULES } from './judge-tree.js'

const RULES = [
  ...SPF_RECORD_RULES,
  ...FORMAT_RULES,
  ...LOOKUP_RULES,
  ...TREE_RULES,
  ...AUTHORIZATION_RULES,
]

export function judgeSpf(facts: SpfFacts): Finding[] {
  return RULES.flatMap((rule) => rule(facts) ?? [])
}
