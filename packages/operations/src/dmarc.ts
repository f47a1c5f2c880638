import { checkDmarc, dmarcReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineDomainOperation } from './operation.js'
import { domainParameter, exactParameter, toDomainRequest } from './operation-parameters.js'

const input = z.object({ domain: domainParameter, exact: exactParameter })

export const dmarc = defineDomainOperation({
  id: 'dmarc',
  path: '/v1/dmarc',
  summary: 'What receivers do with mail forged in a domain’s name (DMARC)',
  description:
    'Returns the DMARC policy that applies to this exact name, found with the tree walk of RFC 9989. It comes from the name’s own record or from the organizational domain’s (`sp`, or `np` for a name that does not exist). Includes tags, alignment, and report addresses with their authorization. A name that does not exist returns 404 only if no policy covers it.',
  example: { domain: 'team.good.test' },
  input,
  request: input.transform(toDomainRequest),
  output: dmarcReportSchema,
  run: (dns, { domain }) => checkDmarc(dns, domain),
})
