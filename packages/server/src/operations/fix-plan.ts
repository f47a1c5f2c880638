import { fixPlanSchema, planDomain, summarizePlan } from '@mailgrade/core'
import { z } from 'zod'
import { defineOperation } from './operation.js'
import { domainParameter } from './operation-parameters.js'

export const fixPlan = defineOperation({
  id: 'fixPlan',
  path: '/v1/fix-plan',
  price: '1',
  summary: 'The exact records that make a domain’s mail safe, in order',
  description:
    'Every DNS record to create, replace, delete or keep: one SPF record within ten lookups, DKIM for everybody who signs, DMARC in stages from where the domain stands to reject, MX, MTA-STS and TLS-RPT where they follow. With steps written for the DNS host of the domain, a zone file, Terraform for the DNS hosts we know it for, and the score before and after. Values that only a provider knows are named placeholders with where to find them. A lookup that fails is an error, never a missing record.',
  tool: {
    name: 'email_fix_plan',
    title: 'Plan the DNS records that secure a domain’s email',
    useWhen:
      'Use it when somebody is going to change the DNS: it names every record to paste, in an order that loses no mail. Run the free check first; a domain without findings needs no plan.',
    digest: summarizePlan,
  },
  example: { domain: 'monitoring.test' },
  input: z.object({ domain: domainParameter }),
  output: fixPlanSchema,
  subject: ({ domain }) => domain,
  run: (dns, { domain }, chance) => planDomain(dns, domain, chance),
})
