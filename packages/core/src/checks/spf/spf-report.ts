import { z } from 'zod'
import { reportSubjectFields } from '../check-result.js'
import { findingSchema, STATUSES } from '../finding.js'
import { MECHANISMS, QUALIFIERS } from './spf-record.js'

export const LOOKUP_LIMIT = 10
export const VOID_LOOKUP_LIMIT = 2

const termSchema = z.object({
  term: z.string().describe('As written in the record'),
  kind: z
    .enum([...MECHANISMS, 'redirect', 'exp', 'unknown-modifier', 'invalid'])
    .describe('The mechanism or modifier'),
  qualifier: z.enum(QUALIFIERS).nullable().describe('Null for anything but a mechanism'),
  position: z.int().describe('Octets before it in the record'),
  lookups: z
    .int()
    .describe('DNS lookups that it costs in the worst case, including everything below it'),
  problem: z.string().optional().describe('Why it is not valid'),
})

export interface Tree {
  domain: string
  term: string | null
  state: 'record' | 'several' | 'none' | 'malformed' | 'unasked' | 'dynamic' | 'loop' | 'repeated'
  record: string | null
  lookups: number
  children: Tree[]
}

const treeSchema: z.ZodType<Tree> = z
  .object({
    domain: z.string().describe('The name whose record this is'),
    term: z.string().nullable().describe('The term that leads here; null at the root'),
    state: z
      .enum(['record', 'several', 'none', 'malformed', 'unasked', 'dynamic', 'loop', 'repeated'])
      .describe(
        '`record`: one record. `several`, `none`: no usable record. `malformed`: not a DNS name. `unasked`: not queried, because a limit was reached. `dynamic`: depends on the sender. `loop`: leads back to itself. `repeated`: shown above.',
      ),
    record: z
      .string()
      .nullable()
      .describe('Null when there is none, more than one, or it is shown above'),
    lookups: z.int().describe('DNS lookups from here down'),
    get children() {
      return z.array(treeSchema).describe('The records that its terms lead to')
    },
  })
  .meta({
    id: 'SpfTree',
    description: 'A name and the records that its own record leads to; at most 300 names',
  })

const reportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES).describe('Follows from the most severe of `issues`'),
  record: z.string().nullable().describe('Null when there is none, or more than one'),
  records: z.array(z.string()).describe('Every SPF record at the domain'),
  valid: z.boolean().describe('Receivers can use it: one record and no permanent error'),
  lookupCount: z
    .int()
    .describe(
      'DNS lookups in the worst case; a minimum if parts are `dynamic` or `unasked`. For several records, the cost of one merged record',
    ),
  lookupLimit: z.literal(LOOKUP_LIMIT).describe('Receivers stop after this many (RFC 7208 §4.6.4)'),
  voidLookupCount: z.int().describe('Empty (void) lookups, for the worse of IPv4 and IPv6'),
  voidLookupLimit: z
    .literal(VOID_LOOKUP_LIMIT)
    .describe('Receivers stop after this many empty lookups (RFC 7208 §4.6.4)'),
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
      'The qualifier of the `all` that applies, also via a redirect; null when there is none',
    ),
  allResult: z
    .enum(['pass', 'fail', 'softfail', 'neutral'])
    .nullable()
    .describe('The result for senders that no term matches; null without a usable record'),
  authorizesSenders: z.boolean().describe('At least one sender is authorized'),
  terms: z.array(termSchema).describe('The terms of the record, in order'),
  tree: treeSchema,
  senders: z
    .array(
      z.object({
        id: z.string().describe('Stable id of the service'),
        name: z.string().describe('The name of the service'),
        via: z.string().describe('The term that authorizes it'),
      }),
    )
    .describe('Known services that the record authorizes'),
  issues: z.array(findingSchema).describe('What to fix or to know'),
})

export const spfReportSchema = reportSchema.meta({
  id: 'SpfReport',
  description: 'Who may send for the domain',
})

export type SpfReport = z.infer<typeof spfReportSchema>
