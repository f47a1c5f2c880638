import { z } from 'zod'
import { findingSchema } from '../../checks/finding.js'
import { reportSubjectFields } from '../../checks/report-subject.js'
import { scoreReportSchema } from '../score/score-report.js'
import { PLAN_RECORD_TYPES, RECORD_ACTIONS, RECORD_PURPOSES } from './planned-record.js'

const partySchema = z.object({
  id: z.string(),
  name: z.string(),
  evidence: z.string().describe('The record that shows it'),
})

const placeholderSchema = z.object({
  token: z.string().describe('As it stands in the name or value, in braces'),
  whereToFind: z.string(),
})

const recordSchema = z
  .object({
    order: z.int().describe('Publish in this order; no mail is lost in between'),
    action: z.enum(RECORD_ACTIONS),
    type: z.enum(PLAN_RECORD_TYPES),
    name: z.string().describe('The whole name, without a final dot'),
    host: z.string().describe('What goes into the name field at the DNS host; may be empty'),
    value: z.string().describe('Plain, without quotes; of a record to delete, what stands there'),
    chunks: z
      .array(z.string())
      .describe('The value of a TXT record in strings of at most 255 octets; else the value alone'),
    ttl: z.int().describe('Seconds'),
    replaces: z.array(z.string()).describe('What goes when this comes'),
    purpose: z.enum(RECORD_PURPOSES),
    why: z.string(),
    placeholders: z
      .array(placeholderSchema)
      .describe('What only you or the provider know, and where to find it'),
    lookupCount: z.int().optional().describe('DNS lookups of an SPF record in the worst case'),
  })
  .meta({ id: 'PlanRecord' })

const stageSchema = z.object({
  stage: z.int(),
  record: z.object({ type: z.literal('TXT'), name: z.string(), value: z.string() }),
  minimumDays: z.int().describe('Stay at least this long; 0 for the last stage'),
  proceedWhen: z.string().describe('What must be true before the next stage'),
  rollback: z.string().describe('What to do when real mail is lost'),
})

const standingSchema = scoreReportSchema.pick({ score: true, grade: true })

export const fixPlanSchema = z.object({
  ...reportSubjectFields,
  sendsMail: z.boolean().describe('Whether anything in the DNS shows that the domain sends mail'),
  mailboxProvider: partySchema.nullable(),
  dnsHost: partySchema
    .nullable()
    .describe('By the name servers of the zone; null when we do not know them'),
  senders: z.array(partySchema).describe('Services that send for the domain, as far as known'),
  current: standingSchema,
  projected: standingSchema
    .extend({
      assumes: z
        .array(z.string())
        .describe('What has to hold beyond the records themselves, a sentence each'),
    })
    .describe(
      'The score over today’s DNS with the records of the plan and the last stage of the rollout laid on top',
    ),
  records: z
    .array(recordSchema)
    .describe('What to publish now; DMARC as in the first stage of `rollout`'),
  rollout: z
    .array(stageSchema)
    .describe(
      'DMARC, step by step from where the domain stands to `p=reject`; empty when it is there, or sends no mail',
    ),
  steps: z.array(z.string()).describe('What to do, in order, at this DNS host'),
  warnings: z.array(findingSchema).describe('What the plan cannot do, or does not know'),
  exports: z.object({
    zoneFile: z
      .string()
      .describe('The records to create or replace, as a zone file fragment (RFC 1035 §5)'),
    terraform: z
      .string()
      .nullable()
      .describe('The same for Terraform; null for DNS hosts that are not covered'),
  }),
})

export type FixPlan = z.infer<typeof fixPlanSchema>
export type PlanRecord = FixPlan['records'][number]
export type RolloutStage = FixPlan['rollout'][number]
export type PlanService = z.infer<typeof partySchema>
