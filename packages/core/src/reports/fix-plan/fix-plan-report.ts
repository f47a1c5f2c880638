import { z } from 'zod'
import { findingSchema, reportSubjectFields } from '../../checks/report-fields.js'
import { SPF_RESULTS } from '../../checks/spf/spf-report.js'
import { IN_USE } from '../../streams/find-senders.js'
import { SIGNS } from '../../streams/key-owners.js'
import { scoreReportSchema } from '../score/score-report.js'
import { PLAN_RECORD_TYPES, RECORD_ACTIONS, RECORD_PURPOSES } from './planned-record.js'

const planServiceSchema = z.object({
  id: z.string().describe('Stable id of the service'),
  name: z.string().describe('The name of the service'),
  evidence: z.string().describe('The record that identifies it'),
})

const planSenderSchema = planServiceSchema.extend({
  signs: z
    .enum(SIGNS)
    .describe('Whether it signs with one of the domain’s DKIM keys, as far as DNS can show'),
  inUse: z
    .enum(IN_USE)
    .describe(
      'Whether it still sends mail. `unsure`: its records may be leftovers, so the plan asks',
    ),
})

const placeholderSchema = z.object({
  token: z.string().describe('As written in the name or value, in braces'),
  whereToFind: z.string().describe('Where to find the value'),
})

const onlyIfSchema = z
  .string()
  .nullable()
  .describe('What must be true before you do this; null if it always applies')

const recordSchema = z
  .object({
    order: z.int().describe('The order to publish in, so that no mail is lost along the way'),
    action: z.enum(RECORD_ACTIONS).describe('What to do with the record'),
    type: z.enum(PLAN_RECORD_TYPES).describe('The type of the record'),
    name: z.string().describe('The full name, without a trailing dot'),
    host: z.string().describe('What to enter in the name field at the DNS host; may be empty'),
    value: z.string().describe('Without quotes. For a record to delete, its current value'),
    valueToEnter: z
      .string()
      .describe(
        'What to enter in the value field at the DNS host, with quotes if the host needs them',
      ),
    chunks: z
      .array(z.string())
      .describe(
        'A TXT value split into strings of at most 255 bytes. For other types, just the value',
      ),
    ttl: z.int().describe('Seconds'),
    replaces: z.array(z.string()).describe('The values that this record replaces'),
    purpose: z.enum(RECORD_PURPOSES).describe('What the record is for'),
    service: z.string().nullable().describe('The id of the service it is for'),
    why: z.string().describe('Why the plan has this record'),
    onlyIf: onlyIfSchema,
    optional: z.boolean().describe('Not needed to protect the domain'),
    placeholders: z
      .array(placeholderSchema)
      .describe('Values that only you or the provider knows, and where to find them'),
    lookupCount: z
      .int()
      .optional()
      .describe('How many DNS lookups an SPF record needs in the worst case'),
  })
  .meta({ id: 'PlanRecord', description: 'A record to create, replace, delete, or keep' })

const STEP_KINDS = [
  'publish',
  'get-values',
  'turn-on-signing',
  'verify',
  'rollout',
  'remove',
  'monitor',
] as const

const stepSchema = z
  .object({
    order: z.int().describe('1 for the first step'),
    kind: z
      .enum(STEP_KINDS)
      .describe(
        '`publish`, `remove`: records. `get-values`, `turn-on-signing`: at the service. `verify`: something only you can find out or fix. `monitor`: what makes reports arrive. `rollout`: the stages',
      ),
    stream: z.string().nullable().describe('The id of the stream it is about, as in `/v1/check`'),
    when: z.enum(['today', 'later', 'optional']).describe('When to do it'),
    notBefore: z.iso
      .date()
      .nullable()
      .describe('The earliest day for a later step; null if it has none'),
    title: z.string().describe('What the step achieves'),
    service: z.string().nullable().describe('The id of the service it is about'),
    where: z.string().describe('The service and the screen'),
    actions: z.array(z.string()).describe('What to do there, one action per entry'),
    records: z.array(z.int()).describe('The `order` of the records it publishes or deletes'),
    onlyIf: onlyIfSchema,
    optional: z.boolean().describe('Not needed to protect the domain'),
    verify: z
      .object({
        text: z.string().describe('How you can see that it worked'),
        url: z
          .string()
          .nullable()
          .describe('A free check that confirms it; null if DNS cannot confirm it'),
      })
      .describe('How to check the step'),
  })
  .meta({ id: 'PlanStep', description: 'One thing to do, where, and how to check it' })

const stageSchema = z.object({
  stage: z.int().describe('1 for the first stage'),
  record: z
    .object({
      type: z.literal('TXT').describe('The type of the record'),
      name: z.string().describe('The full name, without a trailing dot'),
      value: z.string().describe('Plain, without quotes'),
    })
    .describe('The DMARC record of this stage'),
  onlyIf: onlyIfSchema,
  dashboard: z
    .object({
      service: z.string().describe('The name of the service'),
      screen: z.string().nullable().describe('The screen; null if we don’t know it'),
    })
    .nullable()
    .describe('Where to set the policy if a service hosts the record; null if you publish it'),
  minimumDays: z
    .int()
    .describe(
      'The minimum number of days in this stage, counting time already spent; 0 for the last stage',
    ),
  proceedWhen: z.array(z.string()).describe('What must be true before the next stage'),
  rollback: z.string().describe('What to do if legitimate mail is lost'),
})

const gradedScoreSchema = scoreReportSchema.pick({ score: true, grade: true })

const planSchema = z.object({
  ...reportSubjectFields,
  sendsMail: z.boolean().describe('Whether DNS shows that the domain sends mail'),
  summary: z
    .string()
    .describe(
      'What is wrong, what to do today and how long it takes, and when you can reach the last stage',
    ),
  effort: z
    .object({
      minutesToday: z.int().describe('The estimated time for today’s steps'),
      earliestEnd: z.iso.date().describe('The earliest day you can publish the last stage'),
    })
    .describe('How long it takes'),
  mailboxProvider: planServiceSchema
    .nullable()
    .describe('Where the domain’s mailboxes are; null if unknown'),
  dnsHost: planServiceSchema
    .nullable()
    .describe('Detected from the name servers of the zone; null if unknown'),
  senders: z
    .array(planSenderSchema)
    .describe('Other services that send, or may send, for the domain'),
  current: gradedScoreSchema.describe('The score today'),
  projected: gradedScoreSchema
    .extend({
      assumes: z
        .array(z.string())
        .describe('Assumptions behind the projected score, one sentence each'),
    })
    .describe('The score once the plan’s records and the last rollout stage are published'),
  records: z
    .array(recordSchema)
    .describe('The records to publish now, with DMARC at the first stage of `rollout`'),
  steps: z.array(stepSchema).describe('What to do, in order; empty if there is nothing to change'),
  rollout: z
    .array(stageSchema)
    .describe(
      'The DMARC stages from the current policy to the strictest safe one; empty if it is already in place or the domain sends no mail',
    ),
  safety: z
    .object({
      tested: z
        .array(
          z.object({
            sender: z.string().describe('The service or server'),
            ip: z.string().describe('One of its addresses'),
            before: z.enum(SPF_RESULTS).describe('Its SPF result today'),
            after: z.enum(SPF_RESULTS).describe('Its SPF result with the plan'),
          }),
        )
        .describe('SPF for every sender we could identify, today and with the plan'),
    })
    .describe('Proof that the plan loses no mail'),
  warnings: z.array(findingSchema).describe('What the plan cannot do or does not know'),
  exports: z
    .object({
      zoneFile: z
        .string()
        .describe('The records to create or replace, as a zone file fragment (RFC 1035 §5)'),
      terraform: z
        .string()
        .nullable()
        .describe('The same records for Terraform; null if the DNS host is not supported'),
      calendar: z
        .string()
        .nullable()
        .describe('The stages as an iCalendar file (RFC 5545); null if there are no later steps'),
    })
    .describe('The plan in other formats'),
})

export const fixPlanSchema = planSchema.meta({
  id: 'FixPlan',
  description: 'The DNS records that secure a domain’s email, in order',
})

export type FixPlan = z.infer<typeof fixPlanSchema>
export type PlanRecord = FixPlan['records'][number]
export type PlanStep = FixPlan['steps'][number]
export type RolloutStage = FixPlan['rollout'][number]
export type PlanService = z.infer<typeof planServiceSchema>
export type PlanSender = z.infer<typeof planSenderSchema>
