import { z } from 'zod'
import { ADDRESS_REASON_CODES, ADDRESS_VERDICTS } from '../../catalog/address-reasons.js'
import { mxReportSchema } from '../../checks/mx/mx-report.js'
import { reportSubjectFields } from '../../checks/report-subject.js'

const syntaxSchema = z.object({
  valid: z.literal(true).describe('What is not an address at all gets no report'),
  quoted: z.boolean().describe('The part before the @ needs quotation marks'),
  smtpUtf8: z.boolean().describe('The part before the @ is not ASCII (RFC 6531)'),
  subaddress: z
    .string()
    .nullable()
    .describe('What follows the first `+` before the @, such as `news` in `ann+news@…`'),
})

const { records, nullMx, implicitMx, provider } = mxReportSchema.shape
const mxSchema = z.object({
  acceptsMail: z
    .boolean()
    .describe('The DNS, or the address literal, leads to an address that mail can be sent to'),
  records,
  nullMx,
  implicitMx,
  provider,
})

export const emailReportSchema = z.object({
  email: z.string().describe('As given, without white space around it'),
  normalized: z
    .string()
    .describe(
      'The same mailbox, written as simply as can be: A-labels in lower case, no quotation marks without need; the case before the @ is kept',
    ),
  domain: reportSubjectFields.domain.describe(
    'Lower case, A-labels, no trailing dot; an IP address stands in brackets',
  ),
  unicodeDomain: reportSubjectFields.unicodeDomain,
  verdict: z
    .enum(ADDRESS_VERDICTS)
    .describe(
      '`undeliverable`: mail cannot arrive. `risky`: it can, but may be lost, bounce or reach nobody in particular. `ok`: nothing speaks against it. The worst that any of the reasons leads to',
    ),
  reasons: z.array(z.enum(ADDRESS_REASON_CODES)).describe('Gravest first; none when `ok`'),
  checks: z.object({
    syntax: syntaxSchema,
    mx: mxSchema,
    disposable: z.object({
      disposable: z.boolean(),
      matched: z
        .string()
        .nullable()
        .describe('The listed domain: that of the address, one above it, or that of a mail server'),
    }),
    role: z.object({
      role: z.boolean().describe('A function rather than a person'),
      name: z.string().nullable().describe('Which one, such as `sales`'),
    }),
  }),
  freeProvider: z.boolean().describe('Anybody can have an address there; no fault'),
  privacyRelay: z
    .boolean()
    .describe('A service that passes mail on to an address it hides; no fault'),
  suggestion: z
    .string()
    .nullable()
    .describe('The address that was probably meant, where `reasons` has `possible_typo`'),
  mailboxProbed: z
    .literal(false)
    .describe('No mail server was asked: whether the mailbox exists is not known'),
})

export type EmailReport = z.infer<typeof emailReportSchema>
