import { z } from 'zod'
import { STATUS_MEANING, STATUSES } from '../finding.js'
import { findingSchema, reportSubjectFields } from '../report-fields.js'
import { DMARC_POLICIES } from './dmarc-record.js'

const policySchema = z.enum(DMARC_POLICIES).nullable()

const alignmentSchema = z
  .enum(['relaxed', 'strict'])
  .describe('`relaxed`: a subdomain or parent also matches; `strict`: only the same domain does')

const destinationSchema = z.object({
  uri: z.string().describe('As written in the record'),
  valid: z
    .boolean()
    .describe('Whether it is a mailto: URI with an address; receivers ignore all others'),
  reason: z.string().nullable().describe('Why it is not valid; null when it is'),
  external: z
    .boolean()
    .nullable()
    .describe(
      'Whether it belongs to a different organization, which then has to agree; null when unknown, because it was not looked up or a lookup failed',
    ),
  authorized: z
    .boolean()
    .nullable()
    .describe(
      'Whether receivers may send reports there (RFC 9990 §4); always true when not external, null when unknown',
    ),
  acceptsMail: z
    .boolean()
    .nullable()
    .describe('Whether it has a mail server or an address; null when unknown'),
})

const reportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES).describe(STATUS_MEANING),
  record: z
    .string()
    .nullable()
    .describe('The record that applies to this domain, its own or inherited; null when none does'),
  recordName: z.string().nullable().describe('The DNS name of that record; null without one'),
  records: z
    .array(z.string())
    .describe(
      'All DMARC records at the domain’s own `_dmarc` name; if there is more than one, they cancel each other out',
    ),
  organizationalDomain: z
    .string()
    .nullable()
    .describe(
      'From the DNS tree walk of RFC 9989 §4.10; the domain itself when no record is found, null when the walk could not be finished',
    ),
  inherited: z
    .boolean()
    .describe('Whether the record is published at a parent domain; false without a record'),
  policy: policySchema.describe(
    'What receivers are asked to do with mail from this domain that fails: `p` of its own record, or `sp` (`np` if the domain does not exist) of an inherited one; null when no DMARC policy applies. Does not take `testing` into account',
  ),
  subdomainPolicy: policySchema.describe(
    'The same for existing subdomains that have no record of their own; null when none applies or the tree walk could not be finished',
  ),
  nonexistentSubdomainPolicy: policySchema.describe('The same for nonexistent subdomains'),
  testing: z
    .boolean()
    .nullable()
    .describe('`t=y`: receivers apply the next weaker policy; null when no DMARC policy applies'),
  percent: z
    .int()
    .nullable()
    .describe(
      'The obsolete `pct`, 100 by default; only RFC 7489 receivers use it. Null when no DMARC policy applies',
    ),
  alignment: z
    .object({ spf: alignmentSchema, dkim: alignmentSchema })
    .nullable()
    .describe(
      'How closely the authenticated domain must match the one in From; null when no DMARC policy applies',
    ),
  rua: z
    .array(destinationSchema)
    .describe(
      'Where aggregate reports go, in the order the record lists them; empty if it asks for none',
    ),
  ruf: z
    .array(destinationSchema)
    .describe(
      'Where failure reports go, in the order the record lists them; empty if it asks for none',
    ),
  tags: z
    .record(z.string(), z.string())
    .describe(
      'Every tag of the record, with names in lowercase. A tag that is repeated with different values is left out, because its default applies. Empty without a record',
    ),
  olderReceivers: z
    .object({
      organizationalDomain: z.string().describe('From the public suffix list'),
      recordName: z
        .string()
        .nullable()
        .describe('The DNS name of the record that they apply; null when they find none'),
      policy: policySchema.describe('The policy that they apply; null when they apply none'),
    })
    .nullable()
    .describe(
      'The result of receivers that still follow RFC 7489; null when a query that they need failed',
    ),
  issues: z.array(findingSchema).describe('What is wrong or worth knowing'),
})

export const dmarcReportSchema = reportSchema.meta({
  id: 'DmarcReport',
  description: 'What receivers do with forged mail',
})

export type DmarcReport = z.infer<typeof dmarcReportSchema>
