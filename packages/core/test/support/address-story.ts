import { createLookup } from '@mailgrade/doh'
import type { FailureReason } from '@mailgrade/doh/dns'
import { world } from '@mailgrade/testing/world'
import { type MailAddress, parseMailAddress } from '../../src/names/mail-address.js'
import { checkAddress } from '../../src/reports/email-check/check-address.js'
import { emailReportSchema } from '../../src/reports/email-check/email-report.js'

export function addressOf(text: string): MailAddress {
  const parsed = parseMailAddress(text)
  if (parsed.kind === 'refused') throw new Error(`${text}: ${parsed.reason}`)
  return parsed
}

export async function checkedAddress(
  email: string,
  zone: string,
  failing: Record<string, FailureReason> = {},
) {
  const dns = world(zone, failing)
  const lookup = createLookup(dns, { deadlineMs: 10_000 })
  const checked = await checkAddress(lookup, addressOf(email))
  lookup.end()
  return { checked, asked: dns.asked }
}

export async function reportOn(email: string, zone: string) {
  const { checked } = await checkedAddress(email, zone)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  emailReportSchema.strict().parse(checked.report)
  return checked.report
}
