import type { Dns } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { checkSpf } from '../../src/checks/spf/check-spf.js'
import { spfReportSchema } from '../../src/checks/spf/spf-report.js'
import type { DomainName } from '../../src/names/domain-name.js'

/** The SPF report of a domain in a small zone, and the queries made. */
export async function checkSpfZone(zone: string, domain = 'acme.test') {
  const dns = zoneDns(zone)
  return { ...(await requireSpfReport(dns, domain)), queries: dns.queries }
}

export async function requireSpfReport(dns: Dns, domain = 'acme.test') {
  const checked = await checkSpf(dns, domain as DomainName)
  if (checked.kind !== 'report') throw new Error(`expected a report, got ${checked.kind}`)
  spfReportSchema.parse(checked.report)
  const { issues, ...report } = checked.report
  return { report, issues, ids: issues.map((issue) => issue.id) }
}
