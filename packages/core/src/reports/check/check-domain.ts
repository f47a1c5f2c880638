/** The combined check: all checks of a domain at once, and what they show together. */

import type { Dns } from '@mailgrade/doh/dns'
import type { CheckResult } from '../../checks/check-result.js'
import { STATUSES } from '../../checks/finding.js'
import { toReportSubject } from '../../checks/report-subject.js'
import { checkTransport } from '../../checks/transport/check-transport.js'
import type { DomainName } from '../../names/domain-name.js'
import { type CheckReports, sendingProfile } from './check-reports.js'
import type { DomainReport } from './domain-report.js'
import { judgeAcrossChecks } from './judge-across-checks.js'
import type { Random } from './repeatable-random.js'
import { runChecks } from './run-checks.js'
import { summarizeDomain } from './summarize-domain.js'

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
