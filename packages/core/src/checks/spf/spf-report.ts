import { z } from 'zod'
import { findingSchema, STATUSES } from '../finding.js'
import { reportSubjectFields } from '../report-subject.js'
import { MECHANISMS } from './spf-record.js'

export const LOOKUP_LIMIT = 10
export const VOID_LOOKUP_LIMIT = 2

const QUALIFIERS = ['+', '-', '~', '?'] as const

const termSchema = z.object({
  term: z.string().describe('As it stands in the record'),
  kind: z.enum([...MECHANISMS, 'redirect', 'exp', 'unknown-modifier', 'invalid']),
  qualifier: z.enum(QUALIFIERS).nullable().describe('Null for anything but a mechanism'),
  position: z.int().describe('Octets before it in the record'),
  lookups: z.int().describe('DNS lookups it costs in the worst case, everything below it included'),
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
    term: z.string().nullable().describe('The term that leads here; null at the start'),
    state: z
      .enum(['record', 'several', 'none', 'malformed', 'unasked', 'dynamic', 'loop', 'repeated'])
      .describe(
        '`record`: read. `several`, `none`: no usable record. `malformed`: not a DNS name. `unasked`: beyond what we ask for. `dynamic`: depends on the sender. `loop`: leads back to itself. `repeated`: shown above.',
      ),
    record: z
      .string()
      .nullable()
      .describe('Null when there is none, more than one, or it is shown above'),
    lookups: z.int().describe('DNS lookups from here down'),
    get children() {
      return z.array(treeSchema)
    },
  })
  .meta({ id: 'SpfTree', description: 'A name, and where its record leads; 300 names at most' })

export const spfReportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES),
  record: z.string().nullable().describe('Null when there is none, or more than one'),
  records: z.array(z.string()).describe('Every SPF record at the domain'),
  valid: z.boolean().describe('Receivers can use it: one record, no permanent error'),
  lookupCount: z
    .int()
    .describe(
      'DNS lookups in the worst case; a minimum where parts are `dynamic` or `unasked`. Of several records, what one would cost that says the same',
    ),
  lookupLimit: z.literal(LOOKUP_LIMIT),
  voidLookupCount: z.int().describe('Lookups that find nothing, for the worse kind of sender'),
  voidLookupLimit: z.literal(VOID_LOOKUP_LIMIT),
  voidLookups: z
    .object({ ipv4: z.int(), ipv6: z.int() })
    .describe('The same for a sender that comes over IPv4 and over IPv6'),
  allQualifier: z
    .enum(QUALIFIERS)
    .nullable()
    .describe('Of the `all` that applies, also behind a redirect; null when there is none'),
  allResult: z
    .enum(['pass', 'fail', 'softfail', 'neutral'])
    .nullable()
    .describe('What a sender gets that the record does not name; null without a usable record'),
  authorizesSenders: z.boolean().describe('Somebody is allowed to send'),
  terms: z.array(termSchema),
  tree: treeSchema,
  senders: z
    .array(z.object({ id: z.string(), name: z.string(), via: z.string() }))
    .describe('Services that the record lets send, as far as we know them'),
  issues: z.array(findingSchema),
})

export type SpfReport = z.infer<typeof spfReportSchema>
