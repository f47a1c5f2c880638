import { z } from 'zod'
import { STATUS_MEANING, STATUSES } from '../finding.js'
import { findingSchema, reportSubjectFields } from '../report-fields.js'

const providerSchema = z.object({
  id: z.string().describe('Stable id'),
  name: z.string().describe('Display name'),
  kind: z
    .enum(['mailbox', 'gateway', 'forwarder'])
    .describe(
      '`mailbox`: hosts mailboxes. `gateway`: filters mail. `forwarder`: passes mail on to mailboxes elsewhere',
    ),
})

const reportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES).describe(STATUS_MEANING),
  records: z
    .array(
      z.object({
        preference: z.int().describe('Senders try the lowest first'),
        exchange: z.string().describe('The host name of the mail server; `.` in a null MX'),
        addresses: z
          .array(z.string())
          .nullable()
          .describe(
            'IPv4 first, at most 20. Null when unknown: not looked up (`mx.too-many`) or the lookup failed (`mx.host-unavailable`)',
          ),
      }),
    )
    .describe('As published, most preferred first; at most 21 (`mx.too-many`)'),
  nullMx: z.boolean().describe('The domain declares that it accepts no mail (RFC 7505)'),
  implicitMx: z
    .boolean()
    .describe('There is no MX record, so mail goes to the domain’s own address'),
  provider: providerSchema
    .nullable()
    .describe('Null when the operator of the mail servers is unknown'),
  providers: z
    .array(providerSchema)
    .describe('Every known operator of the mail servers, most preferred first'),
  issues: z.array(findingSchema).describe('What is wrong or worth knowing'),
})

export const mxReportSchema = reportSchema.meta({
  id: 'MxReport',
  description: 'Where the domain’s mail goes',
})

export type MxReport = z.infer<typeof mxReportSchema>
