import type { Dns } from '@mailgrade/doh/dns'
import { world } from '@mailgrade/testing/world'
import { checkSpf } from '../../src/checks/spf/check-spf.js'
import { spfReportSchema } from '../../src/checks/spf/spf-report.js'
import type { DomainName } from '../../src/names/domain-name.js'

/** The SPF report of a domain in a small world, and what was asked for it. */
export async function check(zone: string, domain = 'acme.test') {
  const dns = world(zone)
  return { ...(await spfReport(dns, domain)), asked: dns.asked }
}

export async function spfReport(dns: Dns, domain = 'acme.test') {
  const checked = await checkSpf(dns, domain as DomainName)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  spfReportSchema.parse(checked.report)
  const { issues, ...report } = checked.report
  return { report, issues, ids: issues.map((issue) => issue.id) }
}
