import { z } from 'zod'
import { reportSubjectFields } from '../check-result.js'
import { findingSchema, STATUSES } from '../finding.js'

const providerSchema = z.object({
  id: z.string().describe('Stable id of the service'),
  name: z.string().describe('The name of the service'),
  kind: z
    .enum(['mailbox', 'gateway', 'forwarder'])
    .describe('Whether it hosts mailboxes, filters mail or forwards it'),
})

const reportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES).describe('Follows from the most severe of `issues`'),
  records: z
    .array(
      z.object({
        preference: z.int().describe('Senders try the lowest first'),
        exchange: z.string().describe('The name of the mail server'),
        addresses: z
          .array(z.string())
          .nullable()
          .describe('IPv4 first; null when it was not looked up (see `mx.too-many`)'),
      }),
    )
    .describe('As published, most preferred first'),
  nullMx: z.boolean().describe('The domain declares that it accepts no mail (RFC 7505)'),
  implicitMx: z.boolean().describe('No MX; mail goes to the address of the domain itself'),
  provider: providerSchema
    .nullable()
    .describe('Null when the operator of the mail servers is unknown'),
  issues: z.array(findingSchema).describe('What to fix or to know'),
})

export const mxReportSchema = reportSchema.meta({
  id: 'MxReport',
  description: 'Where the domain’s mail goes',
})

export type MxReport = z.infer<typeof mxReportSchema>
