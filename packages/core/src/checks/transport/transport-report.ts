import { z } from 'zod'
import { findingSchema } from '../report-fields.js'

const publishedSchema = z.object({
  name: z.string().describe('The DNS name that was queried'),
  present: z
    .boolean()
    .nullable()
    .describe('Whether there is such a record; null when the lookup failed'),
  record: z
    .string()
    .nullable()
    .describe('As published; null when there is none, more than one, or it is unknown'),
  valid: z
    .boolean()
    .nullable()
    .describe('Whether the record is well formed; null when there is none or it is unknown'),
})

export type TransportRecord = z.infer<typeof publishedSchema>

const bimiSchema = publishedSchema.extend({
  name: z.string().describe('The DNS name of the record that applies'),
  inherited: z
    .boolean()
    .describe(
      'True if the domain has no record of its own, so the organizational domain’s applies',
    ),
})

export type BimiRecord = z.infer<typeof bimiSchema>

const tlsRptSchema = publishedSchema.extend({
  rua: z
    .array(z.string())
    .describe('The URIs that reports go to; empty when there is no valid record'),
})

const daneSchema = z.object({
  present: z
    .boolean()
    .nullable()
    .describe(
      'Whether a mail server has TLSA records; null when none was found and a lookup failed',
    ),
  hosts: z
    .array(
      z.object({
        host: z.string().describe('The mail server; its TLSA records are at _25._tcp.<host>'),
        tlsa: z
          .int()
          .min(0)
          .nullable()
          .describe('How many TLSA records it has; null when the lookup failed'),
        secure: z
          .boolean()
          .nullable()
          .describe(
            'Whether the resolver validated the answer with DNSSEC, which senders require; null when the lookup failed',
          ),
      }),
    )
    .describe('The mail servers in the MX records, most preferred first, at most five'),
})

export type DaneReport = z.infer<typeof daneSchema>

export const transportReportSchema = z
  .object({
    mtaSts: publishedSchema.describe('The MTA-STS record; the policy file is not fetched'),
    tlsRpt: tlsRptSchema.describe('The TLS reporting record'),
    bimi: bimiSchema.describe('The BIMI record of the selector `default`'),
    dane: daneSchema.describe('DANE: whether senders can verify the mail servers’ certificates'),
    dnssec: z
      .object({
        validated: z
          .boolean()
          .nullable()
          .describe(
            'Whether the resolver validated the domain’s MX and TXT answers; null when unknown',
          ),
      })
      .describe('Whether DNSSEC protects the domain'),
    issues: z.array(findingSchema).describe('What is wrong or worth knowing'),
  })
  .meta({ id: 'TransportReport', description: 'For information only; does not affect the status' })

export type TransportReport = z.infer<typeof transportReportSchema>
