import { checkDkim, dkimReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineDomainOperation } from './operation.js'
import {
  domainParameter,
  exactParameter,
  onlySelectorParameter,
  toDomainRequest,
} from './operation-parameters.js'

const input = z.object({
  domain: domainParameter,
  selector: onlySelectorParameter,
  exact: exactParameter,
})

export const dkim = defineDomainOperation({
  id: 'dkim',
  path: '/v1/dkim',
  summary: 'The keys a domain signs its mail with (DKIM)',
  description:
    'Looks for DKIM keys at the selectors that the domain’s mailbox provider and senders use and at a curated list of others, or only at `selector`. Includes exact key sizes, revoked and test keys, hash lists, and the services that CNAMEs point to. DNS cannot list selectors, so if no key is found, the result is `unknown`. It is `absent` only if DNS proves it.',
  example: { domain: 'monitoring.test' },
  input,
  request: input.transform(toDomainRequest),
  output: dkimReportSchema,
  run: (dns, { domain, selectors }, { randomLabel }) =>
    checkDkim(dns, domain, { randomLabel, selector: selectors?.[0] }),
})
