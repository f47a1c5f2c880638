import { z } from 'zod'
import {
  findingSchema,
  proposedRecordSchema,
  reportSubjectFields,
} from '../../checks/report-fields.js'
import { SENDING_PROFILES, SPOOFABLE } from '../check/check-reports.js'
import { bulkSenderSchema } from '../check/own-mail.js'
import { SCORE_COMPONENTS } from './score-components.js'

const componentSchema = z
  .object({
    points: z.int().describe('The points earned, out of `max`'),
    max: z.int().describe('The most points this part can earn'),
    deductions: z
      .array(
        z.object({
          id: z.string().describe('The id of a finding'),
          points: z.int().describe('The points it costs'),
        }),
      )
      .describe(
        'Every deduction and the finding behind it. Together with `points`, they add up to `max`',
      ),
  })
  .meta({ id: 'ScoreComponent', description: 'One part of the score' })

export type ScoreComponent = z.infer<typeof componentSchema>
export type Deduction = ScoreComponent['deductions'][number]

const fixSchema = z.object({
  rank: z.int().describe('1 for the fix to apply first'),
  id: z.string().describe('The finding it fixes'),
  component: z.enum(SCORE_COMPONENTS).describe('The part of the score it belongs to'),
  title: z.string().describe('What is wrong'),
  action: z.string().describe('What to do'),
  record: proposedRecordSchema
    .nullable()
    .describe(
      'The record that `action` publishes; null if it is not fully known, or there are several',
    ),
  pointsGained: z
    .int()
    .describe('How much this fix adds to the total score, after the fixes before it'),
})

const GRADES = ['A', 'B', 'C', 'D', 'F'] as const

const reportSchema = z.object({
  ...reportSubjectFields,
  score: z.int().min(0).max(100).describe('The points of all parts, added up'),
  grade: z.enum(GRADES).describe('A from 90, B from 80, C from 70, D from 60'),
  profile: z
    .enum(SENDING_PROFILES)
    .describe(
      '`non-sending`: SPF (`v=spf1 -all`) or a null MX declares that the domain sends no mail. `covered`: a name without mail records of its own, protected by the enforced policy of its parent domain. For both, DKIM gets the same share of points as SPF and DMARC. `sending`: everything else',
    ),
  summary: z
    .string()
    .describe('The score, the risk of forged mail, and what to fix first, in a few sentences'),
  spoofable: z
    .enum(SPOOFABLE)
    .describe(
      'Whether anyone can send as this domain. `no`: the policy asks receivers to reject forged mail and has no gaps. `partly`: forged mail goes to the spam folder, or some of it, such as mail from subdomains, still gets through. `yes`: forged mail can reach the inbox',
    ),
  bulkSender: bulkSenderSchema,
  range: z
    .object({
      min: z.int().describe('The lowest possible score'),
      max: z.int().describe('The highest possible score'),
    })
    .describe(
      'The lowest and highest possible scores, depending on what is unknown; equal when nothing is',
    ),
  components: z
    .object({
      spf: componentSchema,
      dmarc: componentSchema,
      dkim: componentSchema,
      mx: componentSchema,
    })
    .describe('The parts of the score'),
  findings: z.array(findingSchema).describe('The findings of all checks, most severe first'),
  topFixes: z
    .array(fixSchema)
    .max(3)
    .describe(
      'The fix plan’s first steps that regain points, in the order of the plan; empty if none do',
    ),
})

export const scoreReportSchema = reportSchema.meta({
  id: 'ScoreReport',
  description: 'How well a domain is protected against forged mail',
})

export type ScoreReport = z.infer<typeof scoreReportSchema>
