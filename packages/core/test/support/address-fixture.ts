import { createReportDns } from '@mailgrade/doh'
import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { type MailAddress, parseMailAddress } from '../../src/names/mail-address.js'
import { checkAddress } from '../../src/reports/email-check/check-address.js'
import { emailReportSchema } from '../../src/reports/email-check/email-report.js'

export function parseAddressOrThrow(text: string): MailAddress {
  const parsed = parseMailAddress(text)
  if (parsed.kind === 'refused') throw new Error(`${text}: ${parsed.reason}`)
  return parsed
}

export async function runAddressCheck(
  email: string,
  zone: string,
  failing: Record<string, FailureReason> = {},
) {
  const dns = zoneDns(zone, failing)
  const lookup = createReportDns(dns, { deadlineMs: 10_000 })
  const checked = await checkAddress(lookup, parseAddressOrThrow(email))
  lookup.close()
  return { checked, queries: dns.queries }
}

export async function addressReportFromZone(email: string, zone: string) {
  const { checked } = await runAddressCheck(email, zone)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  emailReportSchema.strict().parse(checked.report)
  return checked.report
}
