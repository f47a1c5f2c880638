import { checkSpf, spfReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineOperation } from './operation.js'
import { domainParameter } from './operation-parameters.js'

export const spf = defineOperation({
  id: 'spf',
  path: '/v1/spf',
  summary: 'Who may send for a domain',
  description:
    'The SPF record read by RFC 7208: every term with its position, the tree of includes and redirects, DNS lookups and void lookups in the worst case, the services that may send, and what is wrong. A broken record is shown with its count and tree all the same.',
  example: { domain: 'lookups.test' },
  input: z.object({ domain: domainParameter }),
  output: spfReportSchema,
  subject: ({ domain }) => domain,
  run: (dns, { domain }) => checkSpf(dns, domain),
})
