/** Runs every check of a domain and judges the results together. */

import type { Dns } from '@mailgrade/doh/dns'
import { type CheckResult, createReport } from '../../checks/check-result.js'
import { type Finding, STATUSES } from '../../checks/finding.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import { judgeBimiEnforcement } from '../../checks/transport/judge-transport.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import type { DomainName } from '../../names/domain-name.js'
import {
  allowsEveryone,
  type CheckReports,
  describeFirstFix,
  effectiveTreatment,
  findingsBySeverity,
  isActionable,
  sendingProfile,
} from './check-reports.js'
import type { DomainReport } from './domain-report.js'
import { judgeAcrossChecks } from './judge-across-checks.js'
import { assessOwnMail, describeLoss } from './own-mail.js'
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

  const reports = judgeAcrossChecks(checked.report)
  const { mx, spf, dmarc, dkim } = reports
  return {
    kind: 'report',
    report: createReport(domain, {
      status: worstStatus(reports),
      summary: summarizeDomain(reports),
      profile: sendingProfile(reports),
      mx,
      spf,
      dmarc,
      dkim,
      transport: { ...transport, issues: [...transport.issues, ...judgeBimi(transport, reports)] },
      streams: [...reports.streams],
      ownMail: assessOwnMail(reports),
    }),
  }
}

function judgeBimi(transport: TransportReport, { dmarc }: CheckReports): Finding[] {
  const treatment = effectiveTreatment(dmarc)
  return judgeBimiEnforcement(transport, { treatment, percent: dmarc.percent })
}

function worstStatus({ mx, spf, dmarc, dkim }: CheckReports): DomainReport['status'] {
  const ranks = [mx, spf, dmarc, dkim].map(({ status }) => STATUSES.indexOf(status))
  return STATUSES[Math.max(...ranks)] ?? 'fail'
}

const TREATMENTS = {
  reject: 'receivers refuse forged mail',
  quarantine: 'forged mail goes to the spam folder',
  none: 'forged mail can reach the inbox, because no DMARC policy stops it',
}

function summarizeDomain(reports: CheckReports): string {
  const { domain } = reports.mx
  const treatment = allowsEveryone(reports)
    ? 'anyone can send mail that looks genuine, because SPF allows every server'
    : TREATMENTS[effectiveTreatment(reports.dmarc)]
  const loss = describeLoss(reports)
  const danger = loss ? `${lowerFirst(loss)}. ${upperFirst(treatment)}` : treatment
  return `${domain}: ${danger}.${describeProfile(reports)} ${describeFixes(reports)}`
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function describeProfile(reports: CheckReports): string {
  switch (sendingProfile(reports)) {
    case 'non-sending':
      return ' The domain sends no mail.'
    case 'covered':
      return ` The name has no mail records of its own; ${reports.dmarc.organizationalDomain}’s policy protects it.`
    case 'sending':
      return ''
  }
}

function describeFixes(reports: CheckReports): string {
  const first = describeFirstFix(reports)
  if (!first) return 'Nothing to fix.'
  const count = findingsBySeverity(reports).filter(isActionable).length - 1
  const more = count === 1 ? ' 1 more finding needs a fix.' : ` ${count} more findings need a fix.`
  return `${first}${count === 0 ? '' : more}`
}
