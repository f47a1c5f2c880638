import { z } from 'zod'
import { findingSchema, proposedRecordSchema } from '../../checks/finding.js'
import { reportSubjectFields } from '../../checks/report-subject.js'
import { SENDING_PROFILES } from '../check/check-reports.js'

export const SCORE_COMPONENTS = ['spf', 'dkim', 'dmarc', 'mx'] as const
export type ScoreComponentName = (typeof SCORE_COMPONENTS)[number]

const componentSchema = z
  .object({
    points: z.int(),
    max: z.int(),
    deductions: z
      .array(z.object({ id: z.string().describe('Of a finding'), points: z.int() }))
      .describe('Every point that is lost, and to what; together with `points` they make `max`'),
  })
  .meta({ id: 'ScoreComponent' })

export type ScoreComponent = z.infer<typeof componentSchema>
export type Deduction = ScoreComponent['deductions'][number]

const REQUIREMENTS = ['spf', 'dkim', 'dmarc'] as const

const fixSchema = z.object({
  rank: z.int(),
  id: z.string().describe('The finding that it mends'),
  component: z.enum(SCORE_COMPONENTS),
  title: z.string().describe('What is wrong'),
  action: z.string().describe('What to do'),
  record: proposedRecordSchema
    .nullable()
    .describe(
      'The first record that `action` has published, with what the records before it have brought; null where it is not known in full',
    ),
  pointsGained: z
    .int()
    .describe(
      'What the score gains by `record`, published after the records of the fixes before it; without a record, what it gains once the finding is gone',
    ),
})

const GRADES = ['A', 'B', 'C', 'D', 'F'] as const
const SPOOFABLE = ['no', 'partly', 'yes'] as const

export const scoreReportSchema = z.object({
  ...reportSubjectFields,
  score: z.int().min(0).max(100),
  grade: z.enum(GRADES).describe('A from 90, B from 80, C from 70, D from 60'),
  profile: z
    .enum(SENDING_PROFILES)
    .describe(
      '`non-sending`: nobody may send, and the domain says so; DKIM then goes with the rest',
    ),
  summary: z.string().describe('How the domain stands, in one sentence'),
  spoofable: z
    .enum(SPOOFABLE)
    .describe(
      'Whether a stranger can send as this domain. `no`: receivers are asked to reject such mail, and there is no hole. `partly`: they put it into the spam folder, or do less for some of it or for subdomains. `yes`: nothing keeps it out',
    ),
  bulkSender: z
    .object({
      ready: z.boolean().describe('Everything is there'),
      missing: z
        .array(z.enum(REQUIREMENTS))
        .describe('What is not there, or not in a form that receivers accept'),
      unknown: z
        .array(z.enum(REQUIREMENTS))
        .describe(
          'What may be there, but the DNS does not show it (DKIM selectors cannot be listed)',
        ),
    })
    .describe(
      'What Gmail, Yahoo and Outlook ask of large senders, as far as the DNS can tell: SPF that lets somebody send, a DKIM key of at least 1024 bits, a DMARC policy',
    ),
  range: z
    .object({ min: z.int(), max: z.int() })
    .describe(
      'The score if DKIM, where it is unknown, turned out absent, and if it turned out present with a good key',
    ),
  components: z.object({
    spf: componentSchema,
    dmarc: componentSchema,
    dkim: componentSchema,
    mx: componentSchema,
  }),
  findings: z.array(findingSchema).describe('Of all checks, gravest first'),
  topFixes: z
    .array(fixSchema)
    .max(3)
    .describe('What gains most, first, to be done in this order; none when nothing is lost'),
})

export type ScoreReport = z.infer<typeof scoreReportSchema>
