/** The MX check: where mail goes, who operates the servers, and what is wrong. */
import type { Dns } from '@mailgrade/doh/dns'
import { findConsumerMailboxByMx } from '../../catalog/address-lists.js'
import { findProviderByMx } from '../../catalog/mail-services.js'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckResult, createReport, toCheckResult } from '../check-result.js'
import { deriveStatus } from '../finding.js'
import { discoverMx, type MxFacts, type MxTarget } from './discover-mx.js'
import { judgeMx, MAX_SHOWN_ADDRESSES } from './judge-mx.js'
import type { MxReport } from './mx-report.js'

export async function checkMx(dns: Dns, domain: DomainName): Promise<CheckResult<MxReport>> {
  return toCheckResult(await discoverMx(dns, domain), buildMxReport)
}

export function buildMxReport(facts: MxFacts): MxReport {
  const { domain, targets, domainAddresses } = facts
  const issues = judgeMx(facts)
  const providers = findProviders(domain, targets)
  return createReport(domain, {
    status: deriveStatus(issues),
    records: targets.map(toReportRecord),
    nullMx: targets.length > 0 && targets.every((target) => target.kind === 'null'),
    implicitMx: targets.length === 0 && domainAddresses.length > 0,
    provider: providers[0] ?? null,
    providers,
    issues,
  })
}

function toReportRecord(target: MxTarget): MxReport['records'][number] {
  const { preference, exchange } = target
  if (target.kind === 'host') {
    const addresses = target.addresses?.slice(0, MAX_SHOWN_ADDRESSES) ?? null
    return { preference, exchange, addresses }
  }
  return { preference, exchange, addresses: target.kind === 'unqueried' ? null : [] }
}

/** The operators of the mail servers, most preferred first. */
function findProviders(domain: DomainName, targets: readonly MxTarget[]): MxReport['providers'] {
  const found = new Map<string, MxReport['providers'][number]>()
  for (const { exchange } of targets) {
    const consumer = findConsumerMailboxByMx(domain, exchange)
    const provider = consumer
      ? { ...consumer, kind: 'mailbox' as const }
      : findProviderByMx(exchange)
    if (!provider || found.has(provider.id)) continue
    found.set(provider.id, { id: provider.id, name: provider.name, kind: provider.kind })
  }
  return [...found.values()]
}
