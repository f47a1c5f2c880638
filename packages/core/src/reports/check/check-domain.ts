/** Runs every check of a domain and judges the results together. */

import type { Dns } from '@mailgrade/doh/dns'
import { type CheckResult, toReportSubject } from '../../checks/check-result.js'
import { STATUSES } from '../../checks/finding.js'
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
import { type CheckOptions, type Random, runChecks } from './run-checks.js'

export async function checkDomain(
  dns: Dns,
  domain: DomainName,
  random: Random,
  options: CheckOptions = {},
): Promise<CheckResult<DomainReport>> {
  const [checked, transport] = await Promise.all([
    runChecks(dns, domain, random, options),
    checkTransport(dns, domain),
  ])
  if (checked.kind !== 'report') return checked
  if (transport.kind !== 'report') return transport

  const reports = judgeAcrossChecks(checked.report)
  return {
    kind: 'report',
    report: {
      ...toReportSubject(domain),
      status: worstStatus(reports),
      summary: summarizeDomain(reports),
      profile: sendingProfile(reports),
      ...reports,
      transport: transport.report,
    },
  }
}

function worstStatus({ mx, spf, dmarc, dkim }: CheckReports): DomainReport['status'] {
  const ranks = [mx, spf, dmarc, dkim].map(({ status }) => STATUSES.indexOf(status))
  return STATUSES[Math.max(...ranks)] ?? 'fail'
}

const TREATMENTS = {
  reject: 'forged mail is rejected',
  quarantine: 'forged mail goes to the spam folder',
  none: 'forged mail is delivered, because no DMARC policy stops it',
}

function summarizeDomain(reports: CheckReports): string {
  const { domain } = reports.mx
  const allowsEveryone = reports.spf.issues.some(({ id }) => id === 'spf.allows-everyone')
  const treatment = allowsEveryone
    ? 'anyone can send mail that looks genuine, because SPF allows every server'
    : TREATMENTS[effectiveTreatment(reports.dmarc)]
  const profile = sendingProfile(reports) === 'non-sending' ? ' The domain sends no mail.' : ''
  return `${domain}: ${treatment}.${profile} ${describeFirstFix(reports)}`
}

function describeFirstFix(reports: CheckReports): string {
  const [first, ...others] = findingsBySeverity(reports).filter(isActionable)
  if (!first) return 'Nothing to fix.'
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `Fix first: ${first.title}${more}.`
}
