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
    'Returns the MX records with their targets’ addresses, the mailbox provider or gateway behind them, and what is wrong, such as a null MX next to other records, targets that do not resolve, aliases, and IP addresses. If the MX lookup fails, that is an error. If an address lookup fails, the address is unknown, never missing.',
  example: { domain: 'good.test' },
  input,
  request: input.transform(toDomainRequest),
  output: mxReportSchema,
  run: (dns, { domain }) => checkMx(dns, domain),
})
