import { z } from 'zod'
import { dkimReportSchema } from '../../checks/dkim/dkim-report.js'
import { dmarcReportSchema } from '../../checks/dmarc/dmarc-report.js'
import { STATUSES } from '../../checks/finding.js'
import { mxReportSchema } from '../../checks/mx/mx-report.js'
import { reportSubjectFields } from '../../checks/report-fields.js'
import { spfReportSchema } from '../../checks/spf/spf-report.js'
import { transportReportSchema } from '../../checks/transport/transport-report.js'
import { streamSchema } from '../../streams/stream.js'
import { SENDING_PROFILES } from './check-reports.js'
import { ownMailSchema } from './own-mail.js'

const reportSchema = z.object({
  ...reportSubjectFields,
  status: z.enum(STATUSES).describe('The worst status of the four checks'),
  summary: z
    .string()
    .describe('What happens to forged mail, and what to fix first, in two or three sentences'),
  profile: z
    .enum(SENDING_PROFILES)
    .describe(
      '`non-sending`: SPF (`v=spf1 -all`) or a null MX declares that the domain sends no mail. `covered`: a name without mail records of its own, protected by the enforced policy of its parent domain. `sending`: everything else',
    ),
  mx: mxReportSchema,
  spf: spfReportSchema,
  dmarc: dmarcReportSchema,
  dkim: dkimReportSchema,
  transport: transportReportSchema,
  streams: z
    .array(streamSchema)
    .describe('Who sends as the domain, and what happens to that mail today'),
  ownMail: ownMailSchema.describe('Whether the domain’s own mail is trusted'),
})

export const domainReportSchema = reportSchema.meta({
  id: 'CheckReport',
  description: 'All checks of a domain, judged together',
})

export type DomainReport = z.infer<typeof domainReportSchema>
