import { checkSpf, type SpfReport, spfReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineDomainOperation, type Operation } from './operation.js'
import {
  domainParameter,
  exactParameter,
  spfSenderParameters,
  toDomainRequest,
  toSpfMessage,
} from './operation-parameters.js'

const input = z.object({ domain: domainParameter, exact: exactParameter, ...spfSenderParameters })

export const spf: Operation<SpfReport> = defineDomainOperation({
  id: 'spf',
  path: '/v1/spf',
  summary: 'Who may send email for a domain (SPF)',
  description:
    'Returns the SPF record, evaluated as in RFC 7208, with every term and its position, the tree of includes and redirects, worst-case DNS and void lookups, the services that may send, and what is wrong. A broken record is still shown with its count and tree. Pass `ip` to see the result for mail from that server, and the term that decides it.',
  example: { domain: 'lookups.test' },
  input,
  request: input.transform(toDomainRequest),
  output: spfReportSchema,
  run: (dns, { domain, spfSender }) => checkSpf(dns, domain, toSpfMessage(spfSender)),
})
