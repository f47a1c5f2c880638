/** The DKIM check: which keys exist, whether they are usable, and what it proves if none is found. */
import type { Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckResult, createReport, toCheckResult } from '../check-result.js'
import { deriveStatus } from '../finding.js'
import { truncateForDisplay } from '../format-list.js'
import { type DkimOptions, discoverDkim } from './discover-dkim.js'
import { type DkimFacts, type DkimKey, determinePresence } from './dkim-facts.js'
import type { DkimReport } from './dkim-report.js'
import { judgeDkim } from './judge-dkim.js'

/** Far more than the known hashes or services. */
const MAX_ITEMS = 16

export async function checkDkim(
  dns: Dns,
  domain: DomainName,
  options: DkimOptions,
): Promise<CheckResult<DkimReport>> {
  return toCheckResult(await discoverDkim(dns, domain, options), buildDkimReport)
}

export function buildDkimReport(facts: DkimFacts): DkimReport {
  const issues = judgeDkim(facts)
  return createReport(facts.domain, {
    status: deriveStatus(issues),
    presence: determinePresence(facts),
    keys: facts.keys.map(toReportKey),
    selectorsTried: [...facts.selectorsTried],
    selectorsFailed: [...facts.selectorsFailed],
    wildcard: facts.wildcard,
    issues,
  })
}

function toReportKey(key: DkimKey): DkimReport['keys'][number] {
  const { selector, name, record, keyType, keySize, valid, revoked, testing, strictDomain } = key
  return {
    selector,
    name,
    record,
    keyType,
    keySize,
    valid,
    revoked,
    testing,
    strictDomain,
    hashAlgorithms: key.hashAlgorithms && firstFew(key.hashAlgorithms),
    serviceTypes: key.serviceTypes && firstFew(key.serviceTypes),
    problems: key.faults.map((fault) => fault.problem),
    cname: [...key.cnames],
    provider: key.provider,
    forwarder: key.forwarder,
  }
}

function firstFew(items: readonly string[]): string[] {
  return items.slice(0, MAX_ITEMS).map(truncateForDisplay)
}
