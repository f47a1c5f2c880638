import { z } from 'zod'
import { reportSubjectFields } from '../../checks/check-result.js'
import { findingSchema } from '../../checks/finding.js'
import { scoreReportSchema } from '../score/score-report.js'
import { PLAN_RECORD_TYPES, RECORD_ACTIONS, RECORD_PURPOSES } from './planned-record.js'

const planServiceSchema = z.object({
  id: z.string().describe('Stable id of the service'),
  name: z.string().describe('The name of the service'),
  evidence: z.string().describe('The record that shows it'),
})

const placeholderSchema = z.object({
  token: z.string().describe('As written in the name or value, in braces'),
  whereToFind: z.string().describe('Where the service shows the value'),
})

const recordSchema = z
  .object({
    order: z.int().describe('Publish in this order, so no mail is lost in between'),
    action: z.enum(RECORD_ACTIONS).describe('What to do with the record'),
    type: z.enum(PLAN_RECORD_TYPES).describe('The type of the record'),
    name: z.string().describe('The full name, without a final dot'),
    host: z.string().describe('What to enter in the name field at the DNS host; may be empty'),
    value: z.string().describe('Plain, without quotes; for a record to delete, its current value'),
    chunks: z
      .array(z.string())
      .describe('A TXT value in strings of at most 255 octets; for other types only the value'),
    ttl: z.int().describe('Seconds'),
    replaces: z.array(z.string()).describe('The values that this record replaces'),
    purpose: z.enum(RECORD_PURPOSES).describe('What the record is for'),
    why: z.string().describe('Why the plan has this record'),
    placeholders: z
      .array(placeholderSchema)
      .describe('Values that only you or the provider know, and where to find them'),
    lookupCount: z.int().optional().describe('DNS lookups of an SPF record in the worst case'),
  })
  .meta({ id: 'PlanRecord', description: 'A record to create, replace, delete or keep' })

const stageSchema = z.object({
  stage: z.int().describe('1 for the first stage'),
  record: z
    .object({
      type: z.literal('TXT').describe('The type of the record'),
      name: z.string().describe('The full name, without a final dot'),
      value: z.string().describe('Plain, without quotes'),
    })
    .describe('The DMARC record of this stage'),
  minimumDays: z
    .int()
    .describe('Stay in this stage for at least this many days; 0 for the last stage'),
  proceedWhen: z.string().describe('What must be true before the next stage'),
  rollback: z.string().describe('What to do if legitimate mail is lost'),
})

const gradedScoreSchema = scoreReportSchema.pick({ score: true, grade: true })

const planSchema = z.object({
  ...reportSubjectFields,
  sendsMail: z.boolean().describe('Whether DNS shows that the domain sends mail'),
  mailboxProvider: planServiceSchema
    .nullable()
    .describe('Where the domain’s mailboxes are; null if unknown'),
  dnsHost: planServiceSchema
    .nullable()
    .describe('Detected from the name servers of the zone; null if unknown'),
  senders: z.array(planServiceSchema).describe('Services that are known to send for the domain'),
  current: gradedScoreSchema.describe('The score today'),
  projected: gradedScoreSchema
    .extend({
      assumes: z
        .array(z.string())
        .describe('Assumptions behind the projected score, one sentence each'),
    })
    .describe('The score once the records of the plan and the last rollout stage are published'),
  records: z
    .array(recordSchema)
    .describe('The records to publish now; DMARC as in the first stage of `rollout`'),
  rollout: z
    .array(stageSchema)
    .describe(
      'The DMARC stages from the current policy to `p=reject`; empty if it is reached or the domain sends no mail',
    ),
  steps: z.array(z.string()).describe('What to do at this DNS host, in order'),
  warnings: z.array(findingSchema).describe('What the plan cannot do or does not know'),
  exports: z
    .object({
      zoneFile: z
        .string()
        .describe('The records to create or replace, as a zone file fragment (RFC 1035 §5)'),
      terraform: z
        .string()
        .nullable()
        .describe('The same for Terraform; null for DNS hosts that are not supported'),
    })
    .describe('The records in other formats'),
})

export const fixPlanSchema = planSchema.meta({
  id: 'FixPlan',
  description: 'The DNS records that secure a domain’s email, in order',
})

export type FixPlan = z.infer<typeof fixPlanSchema>
export type PlanRecord = FixPlan['records'][number]
export type RolloutStage = FixPlan['rollout'][number]
export type PlanService = z.infer<typeof planServiceSchema>
