import { checkSpf, spfReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineDomainOperation } from './operation.js'
import { domainParameter, exactParameter, toDomainRequest } from './operation-parameters.js'

const input = z.object({ domain: domainParameter, exact: exactParameter })

export const spf = defineDomainOperation({
  id: 'spf',
  path: '/v1/spf',
  summary: 'Who may send email for a domain (SPF)',
  description:
    'The SPF record, evaluated as in RFC 7208: every term with its position, the tree of includes and redirects, worst-case DNS lookups and void lookups, the services that may send, and what is wrong. A broken record is still shown with its count and tree.',
  example: { domain: 'lookups.test' },
  input,
  request: input.transform(toDomainRequest),
  output: spfReportSchema,
  run: (dns, { domain }) => checkSpf(dns, domain),
})
