import { z } from 'zod'
import { STATUS_MEANING, STATUSES } from '../finding.js'
import { findingSchema, reportSubjectFields } from '../report-fields.js'
import { DKIM_PRESENCES } from './dkim-facts.js'
import { KEY_TYPES } from './public-key.js'

const keySchema = z.object({
  selector: z.string().describe('The part of the name before `_domainkey`'),
  name: z.string().describe('The DNS name of the record, `<selector>._domainkey.<domain>`'),
  record: z.string().describe('As published; cut after 8192 characters'),
  keyType: z.enum(KEY_TYPES).nullable().describe('Null for an unknown key type'),
  keySize: z
    .int()
    .nullable()
    .describe('Exact length of the modulus in bits (256 for ed25519); null when there is no key'),
  valid: z
    .boolean()
    .describe(
      'The record is well formed, not revoked, and allowed for email. Receivers may still refuse the key because of its size or hashes, which this field ignores',
    ),
  revoked: z.boolean().describe('The p= tag is empty'),
  testing: z.boolean().describe('Flag t=y'),
  strictDomain: z.boolean().describe('Flag t=s: signatures for subdomains are not accepted'),
  hashAlgorithms: z
    .array(z.string())
    .nullable()
    .describe('The hashes that h= allows, the first 16; null when it allows all'),
  serviceTypes: z
    .array(z.string())
    .nullable()
    .describe('The services that s= limits the key to, the first 16; null when it is for all'),
  problems: z.array(z.string()).describe('What is wrong with the record, one sentence each'),
  cname: z
    .array(z.string())
    .describe('Targets of the CNAMEs that lead to the key, in order; empty when there are none'),
  provider: z
    .object({
      id: z.string().describe('Stable id'),
      name: z.string().describe('Display name'),
    })
    .nullable()
    .describe(
      'The service that the key belongs to, identified by its CNAME target, its selector, or the mailbox provider; null when unknown',
    ),
  forwarder: z
    .boolean()
    .describe(
      'The service only forwards mail. Its key signs only mail that passes through it, so it does not count toward `presence`',
    ),
})

const reportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES).describe(STATUS_MEANING),
  presence: z
    .enum(DKIM_PRESENCES)
    .describe(
      '`present`: a key that receivers accept was found. `absent`: DNS proves that there is none, or every selector is revoked; with `selector`, this one has none. `unknown`: no such key at the selectors tried, but others may exist. Keys under 1024 bits, keys only for SHA-1, and forwarders’ keys do not count',
    ),
  keys: z
    .array(keySchema)
    .describe(
      'Every key record found, including broken and revoked ones, at most 4 per selector; a wildcard’s keys only with `selector`',
    ),
  selectorsTried: z.array(z.string()).describe('The selectors that were looked up, in order'),
  selectorsFailed: z
    .array(z.string())
    .describe('The selectors whose lookups failed; they do not affect the result'),
  wildcard: z
    .boolean()
    .nullable()
    .describe(
      'True if even a random selector has a record; null when that was not queried, as with `selector`, or the query failed',
    ),
  issues: z.array(findingSchema).describe('What is wrong or worth knowing'),
})

export const dkimReportSchema = reportSchema.meta({
  id: 'DkimReport',
  description: 'The keys that the domain’s mail is signed with',
})

export type DkimReport = z.infer<typeof dkimReportSchema>
