import { checkDkim, dkimReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineOperation } from './operation.js'
import { domainParameter } from './operation-parameters.js'
import { checkSelectorLength, selectorParameter } from './selector-parameter.js'

export const dkim = defineOperation({
  id: 'dkim',
  path: '/v1/dkim',
  summary: 'The keys a domain signs its mail with',
  description:
    'DKIM keys under the selectors that the domain’s mailbox provider and senders use, and a curated list; or under one `selector` alone. Exact key sizes, revoked and test keys, hash lists, the services that CNAMEs lead to. Selectors cannot be listed in the DNS, so finding none is `unknown`, and `absent` only where the DNS proves it.',
  example: { domain: 'monitoring.test' },
  input: z
    .object({ domain: domainParameter, selector: selectorParameter })
    .superRefine(checkSelectorLength),
  output: dkimReportSchema,
  subject: ({ domain }) => domain,
  run: (dns, { domain, selector }, { randomLabel }) =>
    checkDkim(dns, domain, { randomLabel, ...(selector && { selector }) }),
})
