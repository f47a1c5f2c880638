/** The MX check: where mail goes, who runs it, what is wrong with it. */

import type { Dns } from '@mailgrade/doh/dns'
import { findProviderByMx, type MailboxProvider } from '../../catalog/mailbox-providers.js'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckResult, toCheckResult } from '../check-result.js'
import { deriveStatus } from '../finding.js'
import { toReportSubject } from '../report-subject.js'
import { discoverMx, type MxFacts, type MxTarget } from './discover-mx.js'
import { judgeMx } from './judge-mx.js'
import type { MxReport } from './mx-report.js'

export async function checkMx(dns: Dns, domain: DomainName): Promise<CheckResult<MxReport>> {
  return toCheckResult(await discoverMx(dns, domain), buildMxReport)
}

export function buildMxReport(facts: MxFacts): MxReport {
  const { domain, targets, domainAddresses } = facts
  const issues = judgeMx(facts)
  return {
    ...toReportSubject(domain),
    status: deriveStatus(issues),
    records: targets.map(publishedRecord),
    nullMx: targets.length > 0 && targets.every((target) => target.kind === 'null'),
    implicitMx: targets.length === 0 && domainAddresses.length > 0,
    provider: providerOf(targets),
    issues,
  }
}

function publishedRecord(target: MxTarget): MxReport['records'][number] {
  const { preference, exchange } = target
  if (target.kind === 'host') return { preference, exchange, addresses: [...target.addresses] }
  return { preference, exchange, addresses: target.kind === 'unasked' ? null : [] }
}

/** Whoever runs the most preferred mail server that we know. */
function providerOf(targets: readonly MxTarget[]): MxReport['provider'] {
  for (const { exchange } of targets) {
    const provider: MailboxProvider | null = findProviderByMx(exchange)
    if (provider) return { id: provider.id, name: provider.name, kind: provider.kind }
  }
  return null
}
