/** The SPF check: who may send for a domain, how many lookups that takes, and what is wrong. */
import type { Dns } from '@mailgrade/doh/dns'
import { findServiceBySpfHost } from '../../catalog/mail-services.js'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckResult, createReport, toCheckResult } from '../check-result.js'
import { deriveStatus } from '../finding.js'
import { judge } from '../rule.js'
import { joinStrings, toDisplayText } from '../txt-records.js'
import { declaresNoSenders, namesSenders } from './default-result.js'
import { discoverSpf, type SpfFacts } from './discover-spf.js'
import { replaceMacros } from './domain-spec.js'
import { evaluateSpf, type SpfMessage } from './evaluate-spf.js'
import { AUTHORIZATION_RULES } from './judge-authorization.js'
import { LOOKUP_RULES } from './judge-lookups.js'
import { FORMAT_RULES } from './judge-spf-format.js'
import { SPF_RECORD_RULES } from './judge-spf-record.js'
import { TREE_RULES } from './judge-tree.js'
import { LOOKUP_LIMIT, MAX_SENDER_TERMS, VOID_LOOKUP_LIMIT } from './spf-limits.js'
import {
  type ActiveTerm,
  activeTerms,
  isDirective,
  QUALIFIER_RESULTS,
  type SpfRecord,
  type Term,
} from './spf-record.js'
import type { SpfReport } from './spf-report.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

/** With a message, the report also has the result that its receiver gets. */
export async function checkSpf(
  dns: Dns,
  domain: DomainName,
  message: SpfMessage | null = null,
): Promise<CheckResult<SpfReport>> {
  const [discovery, evaluation] = await Promise.all([
    discoverSpf(dns, domain),
    message && evaluateSpf(dns, domain, message),
  ])
  return toCheckResult(discovery, (facts) => {
    const report = buildSpfReport(facts)
    return evaluation ? { ...report, evaluation } : report
  })
}

export function buildSpfReport(facts: SpfFacts): SpfReport {
  const { domain, spfRecords, tree, voidLookups, authorization } = facts
  const valid = tree.state === 'record' && !authorization.hasPermanentError
  const issues = judge(RULES, facts)
  const { allQualifier, allResult } = valid ? defaultResultFields(facts) : NO_DEFAULT_RESULT
  const records = spfRecords.map((strings) => toDisplayText(joinStrings(strings)))
  return createReport(domain, {
    status: deriveStatus(issues),
    record: records.length === 1 ? (records[0] ?? null) : null,
    records,
    valid,
    lookupCount: tree.lookups,
    lookupLimit: LOOKUP_LIMIT,
    voidLookupCount: Math.max(voidLookups.ipv4VoidLookups, voidLookups.ipv6VoidLookups),
    voidLookupLimit: VOID_LOOKUP_LIMIT,
    voidLookups: { ipv4: voidLookups.ipv4VoidLookups, ipv6: voidLookups.ipv6VoidLookups },
    allQualifier,
    allResult,
    authorizesSenders: authorization.authorizesSenders,
    namesSenders: namesSenders(facts.graph),
    declaresNoSenders: declaresNoSenders(facts.graph),
    aliasOf: facts.cnames.at(-1) ?? null,
    terms: tree.records.flatMap((record) => reportTerms(record, facts)),
    tree: reportTree(tree),
    senders: listSpfSenders(facts),
    issues,
  })
}

type DefaultResultFields = Pick<SpfReport, 'allQualifier' | 'allResult'>

const NO_DEFAULT_RESULT: DefaultResultFields = { allQualifier: null, allResult: null }

function defaultResultFields({ defaultResult }: SpfFacts): DefaultResultFields {
  if (defaultResult.kind === 'all') {
    const { qualifier } = defaultResult.term
    return { allQualifier: qualifier, allResult: QUALIFIER_RESULTS[qualifier] }
  }
  return { allQualifier: null, allResult: defaultResult.kind === 'none' ? 'neutral' : null }
}

function reportTerms(record: SpfRecord, { costs }: SpfFacts): SpfReport['terms'] {
  const lookups = new Map<Term, number>(
    activeTerms(record).map((term) => [term, costs.termCost(term).lookups]),
  )
  return record.terms.map((term) => ({
    term: toDisplayText(term.text),
    kind: term.kind,
    qualifier: isDirective(term) ? term.qualifier : null,
    position: term.position,
    lookups: lookups.get(term) ?? 0,
    ...(term.kind === 'invalid' && { problem: toDisplayText(term.problem) }),
  }))
}

function reportTree(node: SpfNode): SpfReport['tree'] {
  const [record, ...others] = node.records
  const isSingle = record && others.length === 0
  return {
    domain: toDisplayText(node.domain),
    term: node.term && toDisplayText(node.term.text),
    state: node.state,
    record: isSingle && isFirstOccurrence(node) ? toDisplayText(record.text) : null,
    lookups: node.lookups,
    children: node.children.map(reportTree),
  }
}

/** The services that the records name, but not those that a known service includes in turn. */
export function listSpfSenders({ nodes }: SpfFacts): SpfReport['senders'] {
  const senders = new Map<string, SpfReport['senders'][number]>()
  const records = nodes
    .filter((node) => !node.isWithinService && isFirstOccurrence(node))
    .flatMap((node) => node.records)
  for (const term of records.flatMap(senderTerms)) {
    const service = term.target && findServiceBySpfHost(replaceMacros(term.target))
    if (service && service.kind !== 'forwarder' && !senders.has(service.id)) {
      senders.set(service.id, { id: service.id, name: service.name, via: toDisplayText(term.text) })
    }
  }
  return [...senders.values()]
}

/** `-include:` names senders that are not allowed. The limit bounds the work on long records. */
function senderTerms(record: SpfRecord): ActiveTerm[] {
  return activeTerms(record)
    .filter((term) => term.target && !(isDirective(term) && term.qualifier === '-'))
    .slice(0, MAX_SENDER_TERMS)
}

const RULES = [
  ...SPF_RECORD_RULES,
  ...FORMAT_RULES,
  ...LOOKUP_RULES,
  ...TREE_RULES,
  ...AUTHORIZATION_RULES,
]
