/** The DMARC check: what receivers do with mail that only pretends to come from a domain. */
import type { Dns } from '@mailgrade/doh/dns'
import type { DomainName } from '../../names/domain-name.js'
import type { Checked } from '../checked.js'
import { statusOf } from '../finding.js'
import { subjectOf } from '../subject.js'
import { shown } from '../txt.js'
import { type DmarcFacts, discoverDmarc, type ReportTarget } from './discover-dmarc.js'
import { choiceOf, type DmarcRecord, isTesting, percentOf } from './dmarc-record.js'
import type { DmarcReport } from './dmarc-report.js'
import { judgeDmarc } from './judge-dmarc.js'

export async function checkDmarc(dns: Dns, domain: DomainName): Promise<Checked<DmarcReport>> {
  const discovered = await discoverDmarc(dns, domain)
  if (discovered.kind !== 'report') return discovered
  return { kind: 'report', report: dmarcReportOf(discovered.report) }
}

export function dmarcReportOf(facts: DmarcFacts): DmarcReport {
  const { domain, applied } = facts
  const issues = judgeDmarc(facts)
  return {
    ...subjectOf(domain),
    status: statusOf(issues),
    record: applied && shown(applied.record.text),
    recordName: applied?.station.name ?? null,
    records: ownRecords(facts),
    organizationalDomain: facts.organizationalDomain,
    inherited: applied !== null && applied.station.domain !== domain,
    policy: facts.policy,
    ...policiesBelow(facts),
    ...options(facts),
    rua: facts.rua.map(publishedTarget),
    ruf: facts.ruf.map(publishedTarget),
    tags: applied ? shownTags(applied.record) : {},
    olderReceivers: facts.older,
    issues,
  }
}

function ownRecords({ walk }: DmarcFacts): string[] {
  return (walk.stations[0]?.records ?? []).map(({ text }) => shown(text))
}

function policiesBelow({ below }: DmarcFacts) {
  return {
    subdomainPolicy: below?.policies?.subdomains ?? null,
    nonexistentSubdomainPolicy: below?.policies?.nonexistent ?? null,
  }
}

/** How the policy is applied, where one is. */
function options({ applied, policy }: DmarcFacts) {
  if (!applied || !policy) return { testing: null, percent: null, alignment: null }
  const { record } = applied
  return {
    testing: isTesting(record),
    percent: percentOf(record),
    alignment: { spf: alignmentOf(record, 'aspf'), dkim: alignmentOf(record, 'adkim') },
  }
}

function alignmentOf(record: DmarcRecord, tag: 'adkim' | 'aspf'): 'relaxed' | 'strict' {
  return choiceOf(record, tag, ['r', 's']) === 's' ? 'strict' : 'relaxed'
}

function publishedTarget({ uri, problem, destination }: ReportTarget): DmarcReport['rua'][number] {
  return {
    uri: shown(uri),
    valid: problem === null,
    reason: problem,
    external: destination?.external ?? null,
    authorized: destination?.authorized ?? null,
    acceptsMail: destination?.acceptsMail ?? null,
  }
}

/** Whatever the tags are called: entries become properties of the object itself, `constructor` too. */
function shownTags({ tags }: DmarcRecord): Record<string, string> {
  return Object.fromEntries([...tags].map(([name, value]) => [name, shown(value)]))
}
