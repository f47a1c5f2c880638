import { z } from 'zod'
import { findingSchema, STATUSES } from '../finding.js'
import { reportSubjectFields } from '../report-subject.js'
import { DMARC_POLICIES } from './dmarc-record.js'

const policySchema = z.enum(DMARC_POLICIES).nullable()

const alignmentSchema = z.enum(['relaxed', 'strict'])

const destinationSchema = z.object({
  uri: z.string().describe('As written in the record'),
  valid: z
    .boolean()
    .describe('Whether it is a mailto: URI with an address; receivers ignore others'),
  reason: z.string().nullable().describe('Why it is not valid'),
  external: z
    .boolean()
    .nullable()
    .describe(
      'Whether it belongs to another organisation, which then has to agree; null when it was not looked up',
    ),
  authorized: z
    .boolean()
    .nullable()
    .describe(
      'Whether receivers may send reports there (RFC 9990 §4); always true when not external, null when it was not looked up',
    ),
  acceptsMail: z
    .boolean()
    .nullable()
    .describe('Whether it has a mail server or an address; null when it was not looked up'),
})

export const dmarcReportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES),
  record: z
    .string()
    .nullable()
    .describe('The record that applies to this domain, its own or inherited; null when none does'),
  recordName: z.string().nullable().describe('Where that record stands'),
  records: z
    .array(z.string())
    .describe('All DMARC records at the domain’s own `_dmarc` name; several cancel each other'),
  organizationalDomain: z
    .string()
    .nullable()
    .describe(
      'By the DNS tree walk of RFC 9989 §4.10; the domain itself when no record is found, null when the walk could not be finished',
    ),
  inherited: z.boolean().describe('The record stands at a parent domain'),
  policy: policySchema.describe(
    'What receivers are asked to do with mail from this very domain that fails: `p` of its own record, `sp` or, if the domain does not exist, `np` of an inherited one; null when no DMARC applies. `testing` is not taken off it',
  ),
  subdomainPolicy: policySchema.describe(
    'The same for names below this domain that exist and have no record of their own; null when none applies or the tree walk could not be finished',
  ),
  nonexistentSubdomainPolicy: policySchema.describe(
    'The same for names below this domain that do not exist',
  ),
  testing: z
    .boolean()
    .nullable()
    .describe('`t=y`: receivers apply the policy one level down; null when no DMARC applies'),
  percent: z
    .int()
    .nullable()
    .describe(
      'The obsolete `pct`, 100 by default; only receivers by RFC 7489 go by it. Null when no DMARC applies',
    ),
  alignment: z
    .object({ spf: alignmentSchema, dkim: alignmentSchema })
    .nullable()
    .describe(
      'How closely the authenticated domain has to match the one in From; null when no DMARC applies',
    ),
  rua: z.array(destinationSchema).describe('Where aggregate reports go'),
  ruf: z.array(destinationSchema).describe('Where failure reports go'),
  tags: z
    .record(z.string(), z.string())
    .describe(
      'Every tag of the record, names in lower case, the last of repeated ones; empty without a record',
    ),
  olderReceivers: z
    .object({
      organizationalDomain: z.string().describe('By the public suffix list'),
      recordName: z.string().nullable(),
      policy: policySchema,
    })
    .nullable()
    .describe(
      'What receivers find that still go by RFC 7489; null when a name that they ask for could not be looked up',
    ),
  issues: z.array(findingSchema),
})

export type DmarcReport = z.infer<typeof dmarcReportSchema>
