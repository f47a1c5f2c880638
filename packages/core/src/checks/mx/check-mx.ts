/** The MX check: where mail goes, who runs it, what is wrong with it. */

import type { Dns } from '@mailgrade/doh/dns'
import { type MailboxProvider, providerOfMx } from '../../catalog/mailbox-providers.js'
import type { DomainName } from '../../names/domain-name.js'
import type { Checked } from '../checked.js'
import { statusOf } from '../finding.js'
import { subjectOf } from '../subject.js'
import { discoverMx, type MxFacts, type Target } from './discover-mx.js'
import { judgeMx } from './judge-mx.js'
import type { MxReport } from './mx-report.js'

export async function checkMx(dns: Dns, domain: DomainName): Promise<Checked<MxReport>> {
  const discovered = await discoverMx(dns, domain)
  if (discovered.kind !== 'report') return discovered
  return { kind: 'report', report: mxReportOf(discovered.report) }
}

export function mxReportOf(facts: MxFacts): MxReport {
  const { domain, targets, ownAddresses } = facts
  const issues = judgeMx(facts)
  return {
    ...subjectOf(domain),
    status: statusOf(issues),
    records: targets.map(publishedRecord),
    nullMx: targets.length > 0 && targets.every((target) => target.kind === 'null'),
    implicitMx: targets.length === 0 && ownAddresses.length > 0,
    provider: providerOf(targets),
    issues,
  }
}

function publishedRecord(target: Target): MxReport['records'][number] {
  const { preference, exchange } = target
  if (target.kind === 'host') return { preference, exchange, addresses: [...target.addresses] }
  return { preference, exchange, addresses: target.kind === 'unasked' ? null : [] }
}

/** Whoever runs the most preferred mail server that we know. */
function providerOf(targets: readonly Target[]): MxReport['provider'] {
  for (const { exchange } of targets) {
    const provider: MailboxProvider | null = providerOfMx(exchange)
    if (provider) return { id: provider.id, name: provider.name, kind: provider.kind }
  }
  return null
}
