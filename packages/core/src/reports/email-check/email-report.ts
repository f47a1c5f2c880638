import { z } from 'zod'
import { ADDRESS_REASON_CODES } from '../../catalog/address-lists.js'
import { ADDRESS_VERDICTS } from '../../catalog/lists-schema.js'
import { mxReportSchema } from '../../checks/mx/mx-report.js'
import { reportSubjectFields } from '../../checks/report-fields.js'

const syntaxSchema = z.object({
  valid: z.literal(true).describe('Always true: an invalid address gets no report'),
  quoted: z.boolean().describe('The part before the @ needs quotation marks'),
  smtpUtf8: z.boolean().describe('The part before the @ is not ASCII (RFC 6531)'),
  subaddress: z
    .string()
    .nullable()
    .describe('The part between the first `+` and the @, such as `news` in `ann+news@…`'),
})

const { records, nullMx, implicitMx, provider } = mxReportSchema.shape
const mxSchema = z.object({
  acceptsMail: z
    .boolean()
    .describe('DNS, or the address literal, leads to an IP address that mail can be sent to'),
  records,
  nullMx,
  implicitMx,
  provider,
  mayAcceptAll: z
    .boolean()
    .nullable()
    .describe(
      'True: a gateway, such as Mimecast or Proofpoint, receives the mail. Gateways often accept every address and bounce the mail later, so an SMTP probe would not verify the mailbox either. False: the mailbox provider receives it and normally refuses unknown addresses. Null: unknown. Not a risk by itself',
    ),
})

const reportSchema = z.object({
  email: z.string().describe('As given, without surrounding white space'),
  normalized: z
    .string()
    .describe(
      'The same mailbox in its simplest form: A-labels in lower case, no unnecessary quotation marks; the case before the @ is kept',
    ),
  domain: reportSubjectFields.domain.describe(
    'Lower case, A-labels, no trailing dot; an IP address is in brackets',
  ),
  unicodeDomain: reportSubjectFields.unicodeDomain,
  verdict: z
    .enum(ADDRESS_VERDICTS)
    .describe(
      '`undeliverable`: mail cannot be delivered. `risky`: deliverable, but mail may be lost, bounce, or go to no one in particular. `ok`: no risk found. The worst verdict of all reasons',
    ),
  reasons: z.array(z.enum(ADDRESS_REASON_CODES)).describe('Most severe first; empty if `ok`'),
  checks: z
    .object({
      syntax: syntaxSchema.describe('How the address is written'),
      mx: mxSchema.describe('Where mail to the address goes'),
      disposable: z
        .object({
          disposable: z.boolean().describe('The address belongs to a disposable-address service'),
          matched: z
            .string()
            .nullable()
            .describe(
              'The listed domain: the address’s domain, one of its parents, or a mail server’s domain',
            ),
        })
        .describe('Whether the address is disposable'),
      parking: z
        .object({
          parked: z
            .boolean()
            .nullable()
            .describe(
              'The domain is parked or for sale. Null when unknown: its name servers were not looked up, or the lookup failed',
            ),
          matched: z
            .string()
            .nullable()
            .describe('The mail server or name server of the parking service'),
        })
        .describe('Whether the domain is parked'),
      placeholder: z
        .object({
          placeholder: z.boolean().describe('The address looks like filler text'),
          name: z.string().nullable().describe('The name before the @, such as `asdf`'),
          domain: z.string().nullable().describe('The domain, such as `test.com`'),
        })
        .describe('Whether the address is made up'),
      role: z
        .object({
          role: z.boolean().describe('The mailbox belongs to a role, not to a person'),
          name: z.string().nullable().describe('The role, such as `sales`'),
        })
        .describe('Whether the address belongs to a role'),
    })
    .describe('What the verdict is based on'),
  freeProvider: z.boolean().describe('Anyone can get an address there; this is not a risk'),
  privacyRelay: z
    .boolean()
    .describe('A service that forwards mail to a hidden address; this is not a risk'),
  suggestion: z
    .string()
    .nullable()
    .describe('The address that was probably intended, if `reasons` has `possible_typo`'),
  mailboxProbed: z
    .literal(false)
    .describe('The mailbox is not verified: no mail server is contacted'),
})

export const emailReportSchema = reportSchema.meta({
  id: 'EmailReport',
  description: 'Whether mail to an address can arrive',
})

export type EmailReport = z.infer<typeof emailReportSchema>
