/** The combined check: all checks of a domain at once, and what they show together. */
import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { STATUSES } from '../../checks/finding.js'
import { toReportSubject } from '../../checks/report-subject.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { DomainName } from '../../names/domain-name.js'
import {
  type CheckReports,
  effectiveTreatment,
  findingsBySeverity,
  isActionable,
  sendingProfile,
} from './check-reports.js'
import type { DomainReport } from './domain-report.js'
import { judgeAcrossChecks } from './judge-across-checks.js'
import { type Random, runChecks } from './run-checks.js'

export async function checkDomain(
  dns: Dns,
  domain: DomainName,
  chance: Random,
): Promise<CheckResult<DomainReport>> {
  const [gathered, transport] = await Promise.all([
    runChecks(dns, domain, chance),
    checkTransport(dns, domain),
  ])
  if (gathered.kind !== 'report') return gathered
  if (transport.kind !== 'report') return transport

  const parts = judgeAcrossChecks(gathered.report)
  return {
    kind: 'report',
    report: {
      ...toReportSubject(domain),
      status: worstOf(parts),
      summary: summarizeDomain(parts),
      profile: sendingProfile(parts),
      ...parts,
      transport: transport.report,
    },
  }
}

function worstOf({ mx, spf, dmarc, dkim }: CheckReports): DomainReport['status'] {
  const ranks = [mx, spf, dmarc, dkim].map(({ status }) => STATUSES.indexOf(status))
  return STATUSES[Math.max(...ranks)] ?? 'fail'
}

const TREATMENTS = {
  reject: 'forged mail is rejected',
  quarantine: 'forged mail goes to the spam folder',
  none: 'forged mail is delivered, because no DMARC policy stops it',
}

export function summarizeDomain(parts: CheckReports): string {
  const { domain } = parts.mx
  const isOpen = parts.spf.issues.some(({ id }) => id === 'spf.allows-everyone')
  const fate = isOpen
    ? 'anybody can send mail that looks genuine, because SPF lets everybody pass'
    : TREATMENTS[effectiveTreatment(parts.dmarc)]
  const silent = sendingProfile(parts) === 'non-sending' ? ' It sends no mail itself.' : ''
  return `${domain}: ${fate}.${silent} ${nextStep(parts)}`
}

function nextStep(parts: CheckReports): string {
  const [first, ...others] = findingsBySeverity(parts).filter(isActionable)
  if (!first) return 'Nothing needs mending.'
  const rest = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `To mend first: ${first.title}${rest}.`
}
