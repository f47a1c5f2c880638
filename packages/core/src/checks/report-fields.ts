/**
 * What the schemas of all reports have in common. Only a surface that describes reports loads
 * schemas: making them takes longer than a check.
 */
import { z } from 'zod'
import { SEVERITIES } from '../catalog/severities.js'

/** The first fields of every report. */
export const reportSubjectFields = {
  domain: z.string().describe('Lowercase, A-labels, no trailing dot'),
  unicodeDomain: z.string().optional().describe('Only for an internationalized name'),
  requested: z
    .string()
    .optional()
    .describe('The name that was asked for, if `domain` is that name without `www.`'),
}

export const proposedRecordSchema = z
  .object({
    type: z.enum(['TXT', 'MX', 'CNAME']).describe('The type of the record'),
    name: z.string().describe('The full name, without a trailing dot'),
    value: z.string().describe('Plain, without quotes'),
  })
  .meta({
    id: 'ProposedRecord',
    description: 'A record to publish; it replaces the records of the same kind at that name',
  })

export type ProposedRecord = z.infer<typeof proposedRecordSchema>

export const findingSchema = z
  .object({
    id: z.string().describe('Stable id, `area.problem`'),
    severity: z.enum(SEVERITIES).describe('`info` needs no action'),
    title: z.string().describe('What is wrong, in one line'),
    detail: z.string().describe('Why it matters'),
    fix: z.string().describe('What to do'),
    record: proposedRecordSchema
      .optional()
      .describe('The record that `fix` asks you to publish, if it is fully known'),
    evidence: z
      .array(
        z.object({
          name: z.string().describe('The name that was looked up'),
          type: z.string().describe('The type of the record'),
          value: z.string().describe('Its value, cut if it is very long'),
        }),
      )
      .describe('The DNS records that prove it'),
    reference: z.string().describe('The RFC section it is based on'),
  })
  .meta({ id: 'Finding', description: 'One thing to fix or to know about' })

export type Finding = z.infer<typeof findingSchema>
