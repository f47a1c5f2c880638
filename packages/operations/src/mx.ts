import { checkMx, mxReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineDomainOperation } from './operation.js'
import { domainParameter, exactParameter, toDomainRequest } from './operation-parameters.js'

const input = z.object({ domain: domainParameter, exact: exactParameter })

export const mx = defineDomainOperation({
  id: 'mx',
  path: '/v1/mx',
  summary: 'Where a domain’s mail goes (MX)',
  description:
    'The MX records with the addresses of their targets, the mailbox provider or gateway behind them, and what is wrong: null MX beside other records, targets that do not resolve, aliases, IP addresses. If the MX lookup fails, that is an error; an address that could not be looked up is unknown, never missing.',
  example: { domain: 'good.test' },
  input,
  request: input.transform(toDomainRequest),
  output: mxReportSchema,
  run: (dns, { domain }) => checkMx(dns, domain),
})
