import { z } from 'zod'
import { findingSchema } from '../finding.js'

const publishedSchema = z.object({
  name: z.string().describe('The DNS name that was queried'),
  present: z.boolean().describe('There is a record'),
  record: z.string().nullable().describe('Null when there is none, or more than one'),
  valid: z.boolean().nullable().describe('Null when there is none'),
})

export type TransportRecord = z.infer<typeof publishedSchema>

export const transportReportSchema = z
  .object({
    mtaSts: publishedSchema.describe('The MTA-STS record; the policy file is not fetched'),
    tlsRpt: publishedSchema.describe('The TLS reporting record'),
    bimi: publishedSchema.describe('The BIMI record of the selector `default`'),
    dnssec: z
      .object({
        validated: z.boolean().describe('The resolver validated the domain’s MX and TXT answers'),
      })
      .describe('Whether the domain is signed with DNSSEC'),
    issues: z.array(findingSchema).describe('What to know'),
  })
  .meta({ id: 'TransportReport', description: 'For information; does not affect the status' })

export type TransportReport = z.infer<typeof transportReportSchema>
