import { z } from 'zod'
import { findingSchema, STATUSES } from '../finding.js'
import { reportSubjectFields } from '../report-subject.js'
import { DKIM_PRESENCES } from './dkim-key-state.js'
import { KEY_TYPES } from './public-key.js'

const keySchema = z.object({
  selector: z.string(),
  name: z.string().describe('Where the record stands, `<selector>._domainkey.<domain>`'),
  record: z.string().describe('As published; cut after 8192 characters'),
  keyType: z.enum(KEY_TYPES).nullable().describe('Null for a kind of key that DKIM does not know'),
  keySize: z
    .int()
    .nullable()
    .describe('Exact length of the modulus in bits (256 for ed25519); null when there is no key'),
  valid: z
    .boolean()
    .describe('Receivers can use it: well-formed, not revoked, for email; its strength is no part'),
  revoked: z.boolean().describe('The p= tag is empty'),
  testing: z.boolean().describe('Flag t=y'),
  strictDomain: z.boolean().describe('Flag t=s: signatures for subdomains are not accepted'),
  hashAlgorithms: z
    .array(z.string())
    .nullable()
    .describe('Those that h= allows, the first 16; null when it allows all'),
  serviceTypes: z
    .array(z.string())
    .nullable()
    .describe('What s= limits the key to, the first 16; null when it is for everything'),
  problems: z.array(z.string()).describe('What is wrong with the record, a sentence each'),
  cname: z
    .array(z.string())
    .describe('Targets of the CNAMEs that lead to the key, in order; empty when there are none'),
  provider: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe('Whose key it is, by where its CNAME leads or who runs the mailboxes'),
})

export const dkimReportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES),
  presence: z
    .enum(DKIM_PRESENCES)
    .describe(
      '`present`: a key was found that receivers can use. `absent`: the DNS proves that there is none, or every selector is revoked; with `selector`, that this one has none. `unknown`: none was found under the selectors tried, which proves nothing',
    ),
  keys: z
    .array(keySchema)
    .describe(
      'Every key record found, broken and revoked ones too, but at most 4 of a selector; a wildcard’s only by `selector`',
    ),
  selectorsTried: z.array(z.string()),
  selectorsFailed: z
    .array(z.string())
    .describe('Those of them that could not be looked up; nothing is made of these'),
  wildcard: z
    .boolean()
    .nullable()
    .describe(
      'Even a selector that nobody uses is answered; null when that was not looked up, as with `selector`, or could not be',
    ),
  issues: z.array(findingSchema),
})

export type DkimReport = z.infer<typeof dkimReportSchema>
