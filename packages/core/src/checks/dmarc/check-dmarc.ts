/** The DMARC check: what receivers do with mail that forges a domain. */
import type { Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckResult, createReport, toCheckResult } from '../check-result.js'
import { deriveStatus, type Finding } from '../finding.js'
import { toDisplayText } from '../txt-records.js'
import { type DmarcFacts, discoverDmarc, type ResolvedReportUri } from './discover-dmarc.js'
import { type DmarcRecord, isTesting, readPercentage, readTagChoice } from './dmarc-record.js'
import type { DmarcReport } from './dmarc-report.js'
import { judgeDmarcPresence } from './judge-dmarc-presence.js'
import { judgeDmarcRecord, judgeReports } from './judge-dmarc-record.js'
import {
  judgePolicy,
  judgePublicSuffixPolicy,
  judgeRfc7489,
  judgeSubdomains,
} from './judge-policy.js'

export async function checkDmarc(dns: Dns, domain: DomainName): Promise<CheckResult<DmarcReport>> {
  return toCheckResult(await discoverDmarc(dns, domain), buildDmarcReport)
}

export function buildDmarcReport(facts: DmarcFacts): DmarcReport {
  const { domain, applied } = facts
  const issues = judgeDmarc(facts)
  const below = facts.appliedToSubdomains?.policies
  const { testing, percent, alignment } = policyOptions(facts)
  return createReport(domain, {
    status: deriveStatus(issues),
    record: applied && toDisplayText(applied.record.text),
    recordName: applied?.step.name ?? null,
    records: ownRecords(facts),
    organizationalDomain: facts.organizationalDomain,
    inherited: applied !== null && applied.step.domain !== domain,
    policy: facts.policy,
    subdomainPolicy: below?.subdomains ?? null,
    nonexistentSubdomainPolicy: below?.nonexistent ?? null,
    testing,
    percent,
    alignment,
    rua: facts.rua.map(toReportTarget),
    ruf: facts.ruf.map(toReportTarget),
    tags: applied ? toDisplayTags(applied.record) : {},
    olderReceivers: facts.rfc7489,
    issues,
  })
}

function ownRecords({ walk }: DmarcFacts): string[] {
  return (walk.steps[0]?.records ?? []).map(({ text }) => toDisplayText(text))
}

function policyOptions({ applied, policy }: DmarcFacts) {
  if (!applied || !policy) return { testing: null, percent: null, alignment: null }
  const { record } = applied
  return {
    testing: isTesting(record),
    percent: readPercentage(record),
    alignment: { spf: readAlignment(record, 'aspf'), dkim: readAlignment(record, 'adkim') },
  }
}

function readAlignment(record: DmarcRecord, tag: 'adkim' | 'aspf'): 'relaxed' | 'strict' {
  return readTagChoice(record, tag, ['r', 's']) === 's' ? 'strict' : 'relaxed'
}

function toReportTarget({
  uri,
  problem,
  destination,
}: ResolvedReportUri): DmarcReport['rua'][number] {
  return {
    uri: toDisplayText(uri),
    valid: problem === null,
    reason: problem,
    external: destination?.external ?? null,
    authorized: destination?.authorized ?? null,
    acceptsMail: destination?.acceptsMail ?? null,
  }
}

/** `fromEntries` makes own properties, even of a tag named `constructor`. */
function toDisplayTags({ tags }: DmarcRecord): Record<string, string> {
  return Object.fromEntries([...tags].map(([name, value]) => [name, toDisplayText(value)]))
}

/** Most severe first. */
function judgeDmarc(facts: DmarcFacts): Finding[] {
  return [
    ...judgeDmarcPresence(facts),
    ...judgePolicy(facts),
    ...judgeSubdomains(facts),
    ...judgeDmarcRecord(facts),
    ...judgeReports(facts),
    ...judgeRfc7489(facts),
    ...judgePublicSuffixPolicy(facts),
  ]
}
