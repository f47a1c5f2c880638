/** The SPF check: who may send for a domain, at what cost, and what is wrong with it. */

import type { Dns } from '@mailgrade/doh/dns'
import type { FindingId } from '../../catalog/findings/findings.js'
import { serviceOfSpfHost } from '../../catalog/services.js'
import type { DomainName } from '../../names/domain-name.js'
import type { Checked } from '../checked.js'
import { statusOf } from '../finding.js'
import { subjectOf } from '../subject.js'
import { joined, shown } from '../txt.js'
import { withoutMacros } from './domain-spec.js'
import { judgeSpf } from './judge-spf.js'
import { discoverSpf, type SpfFacts } from './spf-facts.js'
import {
  type ActiveTerm,
  activeTerms,
  isDirective,
  type Qualifier,
  type SpfRecord,
  type Term,
} from './spf-record.js'
import { LOOKUP_LIMIT, type SpfReport, VOID_LOOKUP_LIMIT } from './spf-report.js'
import { isShown, type SpfNode } from './spf-tree.js'

/** Permanent errors: receivers behave as if the domain had no SPF at all. */
const BREAKING: ReadonlySet<string> = new Set<FindingId>([
  'spf.missing',
  'spf.multiple-records',
  'spf.syntax',
  'spf.include-without-record',
  'spf.loop',
  'spf.too-many-lookups',
  'spf.mx-limit',
])

const RESULTS: Record<Qualifier, SpfReport['allResult']> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
}

export async function checkSpf(dns: Dns, domain: DomainName): Promise<Checked<SpfReport>> {
  const discovered = await discoverSpf(dns, domain)
  if (discovered.kind !== 'report') return discovered
  return { kind: 'report', report: spfReportOf(discovered.report) }
}

export function spfReportOf(facts: SpfFacts): SpfReport {
  const { domain, published, tree, voids, reach } = facts
  const issues = judgeSpf(facts)
  const records = published.map((strings) => shown(joined(strings)))
  return {
    ...subjectOf(domain),
    status: statusOf(issues),
    record: records.length === 1 ? (records[0] ?? null) : null,
    records,
    valid: !issues.some(({ id }) => BREAKING.has(id)),
    lookupCount: tree.lookups,
    lookupLimit: LOOKUP_LIMIT,
    voidLookupCount: Math.max(voids.ipv4Voids, voids.ipv6Voids),
    voidLookupLimit: VOID_LOOKUP_LIMIT,
    voidLookups: { ipv4: voids.ipv4Voids, ipv6: voids.ipv6Voids },
    ...endingIn(facts),
    authorizesSenders: reach.authorizesSenders,
    terms: tree.records.flatMap((record) => termsIn(record, facts)),
    tree: treeIn(tree),
    senders: sendersIn(facts),
    issues,
  }
}

function endingIn({ ending }: SpfFacts): Pick<SpfReport, 'allQualifier' | 'allResult'> {
  if (ending.kind === 'all') {
    const { qualifier } = ending.term
    return { allQualifier: qualifier, allResult: RESULTS[qualifier] }
  }
  return { allQualifier: null, allResult: ending.kind === 'none' ? 'neutral' : null }
}

function termsIn(record: SpfRecord, { costs, domain }: SpfFacts): SpfReport['terms'] {
  const lookups = new Map<Term, number>(
    activeTerms(record).map((term) => [term, costs.ofTerm(term, domain).lookups]),
  )
  return record.terms.map((term) => ({
    term: shown(term.text),
    kind: term.kind,
    qualifier: isDirective(term) ? term.qualifier : null,
    position: term.position,
    lookups: lookups.get(term) ?? 0,
    ...(term.kind === 'invalid' && { problem: shown(term.problem) }),
  }))
}

function treeIn(node: SpfNode): SpfReport['tree'] {
  const [record, ...others] = node.records
  const isOne = record && others.length === 0
  return {
    domain: shown(node.domain),
    term: node.term && shown(node.term.text),
    state: node.state,
    record: isOne && isShown(node) ? shown(record.text) : null,
    lookups: node.lookups,
    children: node.children.map(treeIn),
  }
}

/** Whom the records name; whom a known service lets send in turn is its own affair. */
export function sendersIn({ nodes }: SpfFacts): SpfReport['senders'] {
  const senders = new Map<string, SpfReport['senders'][number]>()
  const records = nodes
    .filter((node) => !node.isWithinService && isShown(node))
    .flatMap((node) => node.records)
  for (const term of records.flatMap(namingTerms)) {
    const service = term.target && serviceOfSpfHost(withoutMacros(term.target))
    if (service && !senders.has(service.id)) {
      senders.set(service.id, { id: service.id, name: service.name, via: shown(term.text) })
    }
  }
  return [...senders.values()]
}

/** `-include:` names whom it forbids. Nobody follows a record to its hundredth host. */
function namingTerms(record: SpfRecord): ActiveTerm[] {
  return activeTerms(record)
    .filter((term) => term.target && !(isDirective(term) && term.qualifier === '-'))
    .slice(0, 100)
}
