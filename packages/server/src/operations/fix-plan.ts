import { fixPlanSchema, planDomain, summarizePlan } from '@mailgrade/core'
import { z } from 'zod'
import { defineDomainOperation } from './operation.js'
import {
  domainParameter,
  exactParameter,
  selectorsParameter,
  toDomainRequest,
} from './operation-parameters.js'

const input = z.object({
  domain: domainParameter,
  selector: selectorsParameter,
  exact: exactParameter,
})

export const fixPlan = defineDomainOperation({
  id: 'fixPlan',
  path: '/v1/fix-plan',
  price: '1',
  summary: 'The exact DNS records that secure a domain’s email, in order',
  description:
    'Every DNS record to create, replace, delete or keep: one SPF record within ten lookups, DKIM for every sender, DMARC in stages from today’s policy to reject, and MX, MTA-STS and TLS-RPT where needed. Includes steps for the domain’s DNS host, a zone file, Terraform for the hosts we support, and the score before and after. Values that only a provider knows are named placeholders that say where to find them. A failed lookup is an error, never a missing record.',
  tool: {
    name: 'email_fix_plan',
    title: 'Plan the DNS records that secure a domain’s email',
    useWhen:
      'Use it when someone is going to change the DNS: it lists every record to publish, in an order that loses no mail. Run the free check first; a domain without findings needs no plan.',
    digest: summarizePlan,
  },
  example: { domain: 'monitoring.test' },
  input,
  repeatable: ['selector'],
  request: input.transform(toDomainRequest),
  output: fixPlanSchema,
  run: (dns, { domain, selectors }, random) => planDomain(dns, domain, random, { selectors }),
})
