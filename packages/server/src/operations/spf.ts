import { checkSpf, spfReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineOperation } from './operation.js'
import { domainParameter } from './operation-parameters.js'

export const spf = defineOperation({
  id: 'spf',
  path: '/v1/spf',
  summary: 'Who may send email for a domain (SPF)',
  description:
    'The SPF record, evaluated as in RFC 7208: every term with its position, the tree of includes and redirects, worst-case DNS lookups and void lookups, the services that may send, and what is wrong. A broken record is still shown with its count and tree.',
  example: { domain: 'lookups.test' },
  input: z.object({ domain: domainParameter }),
  output: spfReportSchema,
  subject: ({ domain }) => domain,
  run: (dns, { domain }) => checkSpf(dns, domain),
})
