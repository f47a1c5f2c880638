import { z } from 'zod'
import { STATUS_MEANING, STATUSES } from '../finding.js'
import { findingSchema, reportSubjectFields } from '../report-fields.js'
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from './spf-limits.js'
import { MECHANISMS, QUALIFIERS } from './spf-record.js'

/** RFC 7208 §2.6. */
export const SPF_RESULTS = [
  'pass',
  'fail',
  'softfail',
  'neutral',
  'none',
  'temperror',
  'permerror',
] as const

const termSchema = z.object({
  term: z.string().describe('As written in the record'),
  kind: z
    .enum([...MECHANISMS, 'redirect', 'exp', 'unknown-modifier', 'invalid'])
    .describe('The mechanism or modifier'),
  qualifier: z.enum(QUALIFIERS).nullable().describe('Null for anything but a mechanism'),
  position: z.int().describe('Bytes before it in the record'),
  lookups: z
    .int()
    .describe('DNS lookups it needs in the worst case, including everything below it'),
  problem: z.string().optional().describe('Why it is not valid'),
})

const TREE_STATES = [
  'record',
  'several',
  'none',
  'malformed',
  'unasked',
  'unavailable',
  'dynamic',
  'loop',
  'repeated',
] as const

export interface Tree {
  domain: string
  term: string | null
  state: (typeof TREE_STATES)[number]
  record: string | null
  lookups: number
  children: Tree[]
}

const treeSchema: z.ZodType<Tree> = z
  .object({
    domain: z.string().describe('The name whose record this is'),
    term: z.string().nullable().describe('The term that leads here; null at the root'),
    state: z
      .enum(TREE_STATES)
      .describe(
        '`record`: one record. `several`, `none`: no usable record. `malformed`: not a DNS name. `unasked`: not queried, because a limit was reached. `unavailable`: the lookup failed. `dynamic`: depends on the sender. `loop`: leads back to itself. `repeated`: shown above.',
      ),
    record: z
      .string()
      .nullable()
      .describe('Null when there is none, more than one, or it is shown above'),
    lookups: z.int().describe('DNS lookups from here down'),
    get children() {
      return z.array(treeSchema).describe('The records that it includes or redirects to')
    },
  })
  .meta({
    id: 'SpfTree',
    description: 'A name and the records that its own record leads to; at most 100 names',
  })

const evaluationSchema = z
  .object({
    ip: z.string().describe('The address of the sending server, as given'),
    sender: z.string().describe('The MAIL FROM address that was evaluated'),
    helo: z.string().nullable().describe('The HELO name, as given; null when none was'),
    result: z
      .enum(SPF_RESULTS)
      .describe('The SPF result that a receiver gets for this message (RFC 7208 §2.6)'),
    matched: z
      .object({
        term: z.string().describe('The term that decides'),
        record: z.string().describe('The name whose record contains it'),
        path: z
          .array(z.string())
          .describe('The names whose records lead to the match, from the domain to the last'),
        innerTerm: z.string().describe('The term that matches, in the last record of `path`'),
      })
      .nullable()
      .describe('Null when no term matches'),
    explanation: z
      .string()
      .nullable()
      .describe(
        'The domain’s explanation for the sender of a message that fails (`exp`); otherwise null',
      ),
    lookups: z.int().describe('DNS lookups it took to reach the result, at most 11'),
    voidLookups: z.int().describe('Empty (void) lookups it took to reach the result'),
  })
  .meta({
    id: 'SpfEvaluation',
    description: 'RFC 7208 check_host() for one message',
  })

export type SpfEvaluation = z.infer<typeof evaluationSchema>

const reportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES).describe(STATUS_MEANING),
  record: z.string().nullable().describe('Null when there is none, or more than one'),
  records: z.array(z.string()).describe('Every SPF record at the domain'),
  valid: z
    .boolean()
    .describe(
      'There is one record, and it causes no permanent error. Too many void lookups for only IPv4 or only IPv6 senders do not make it false',
    ),
  lookupCount: z
    .int()
    .describe(
      'DNS lookups in the worst case; a minimum if parts are `dynamic`, `unasked` or `unavailable`. For several records, the cost of one merged record',
    ),
  lookupLimit: z.literal(LOOKUP_LIMIT).describe('RFC 7208 §4.6.4'),
  voidLookupCount: z.int().describe('Empty (void) lookups, for the worse of IPv4 and IPv6'),
  voidLookupLimit: z.literal(VOID_LOOKUP_LIMIT).describe('RFC 7208 §4.6.4'),
  voidLookups: z
    .object({
      ipv4: z.int().describe('For a sender over IPv4'),
      ipv6: z.int().describe('For a sender over IPv6'),
    })
    .describe('Void lookups for a sender over IPv4 and over IPv6'),
  allQualifier: z
    .enum(QUALIFIERS)
    .nullable()
    .describe(
      'The qualifier of the `all` that applies, also via a redirect; null when there is none, or the record is not usable',
    ),
  allResult: z
    .enum(['pass', 'fail', 'softfail', 'neutral'])
    .nullable()
    .describe('The result for senders that no term matches; null without a usable record'),
  authorizesSenders: z
    .boolean()
    .describe('At least one sender passes, or may pass where a part depends on the sender'),
  namesSenders: z
    .boolean()
    .describe('A record has a term other than `all`, even one that matches nothing'),
  declaresNoSenders: z
    .boolean()
    .describe('The record is exactly `v=spf1 -all`, also via a redirect: the domain sends no mail'),
  aliasOf: z
    .string()
    .nullable()
    .describe('The name that the domain leads to, if it is itself a CNAME; otherwise null'),
  terms: z.array(termSchema).describe('The terms of the record, in order'),
  tree: treeSchema.describe('The records that the record leads to'),
  senders: z
    .array(
      z.object({
        id: z.string().describe('Stable id of the service'),
        name: z.string().describe('Its name'),
        via: z.string().describe('The term that names it'),
      }),
    )
    .describe('Known services the record authorizes, except those that only forward mail'),
  evaluation: evaluationSchema.optional().describe('With `ip`: the result for this sender'),
  issues: z.array(findingSchema).describe('What is wrong or worth knowing, most general first'),
})

export const spfReportSchema = reportSchema.meta({
  id: 'SpfReport',
  description: 'Who may send mail as the domain',
})

export type SpfReport = z.infer<typeof spfReportSchema>
