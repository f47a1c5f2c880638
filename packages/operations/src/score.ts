import { scoreReportSchema } from '@mailgrade/core'
import { scoreDomain } from '@mailgrade/core/planning'
import { z } from 'zod'
import { defineDomainOperation } from './operation.js'
import {
  domainParameter,
  exactParameter,
  selectorParameter,
  toDomainRequest,
} from './operation-parameters.js'

const input = z.object({
  domain: domainParameter,
  selector: selectorParameter,
  exact: exactParameter,
})

export const score = defineDomainOperation({
  id: 'score',
  path: '/v1/score',
  price: '0.01',
  summary: 'Score a domain’s protection against forged mail, from 0 to 100',
  description:
    'Returns a score from 0 to 100 and a grade, based on SPF (30 points), DMARC (40), DKIM (25), and MX (5), with a reason for every deduction. Includes whether mail from the domain can be forged, whether the domain meets the Gmail, Yahoo, and Outlook rules for bulk senders, and what to fix first. If the domain’s own records cannot be looked up, there is no score. Other failed lookups cost no points.',
  tool: {
    name: 'email_security_score',
    title: 'Score a domain’s email security',
    useWhen:
      'Use it once per domain to compare or rank domains, to apply a threshold, or to decide what to fix first.',
    digest: ({ summary }) => summary,
  },
  example: { domain: 'monitoring.test' },
  input,
  request: input.transform(toDomainRequest),
  output: scoreReportSchema,
  run: (dns, { domain, selectors }, random) => scoreDomain(dns, domain, random, { selectors }),
})
