import { contradictionIn, type FixPlan, fixPlanSchema, quoteText } from '@mailgrade/core'
import { planDomain } from '@mailgrade/core/planning'
import { z } from 'zod'
import { defineDomainOperation } from './operation.js'
import {
  domainParameter,
  exactParameter,
  reportAddressParameter,
  selectorsParameter,
  servicesParameter,
  toDomainRequest,
} from './operation-parameters.js'

const input = z.object({
  domain: domainParameter,
  selector: selectorsParameter,
  rua: reportAddressParameter,
  uses: servicesParameter('uses', 'The ids of services you use, such as `google,mailchimp`.', [
    'google',
    'mailchimp',
  ]),
  unused: servicesParameter('unused', 'The ids of services you no longer use.', ['sendgrid']),
  exact: exactParameter,
})

const request = input.transform(({ rua, uses, unused, ...parameters }, context) => {
  const message = contradictionIn(uses, unused)
  if (message !== null) {
    context.addIssue({ code: 'custom', path: ['unused'], message })
    return z.NEVER
  }
  return { ...toDomainRequest(parameters, context), rua, uses, unused }
})

export const fixPlan = defineDomainOperation({
  id: 'fixPlan',
  path: '/v1/fix-plan',
  price: '1',
  summary: 'The exact DNS records that secure a domain’s email, in order',
  description:
    'Returns every DNS record to create, replace, delete, or keep, with steps: one SPF record within ten lookups, DKIM for every sender, DMARC in stages from today’s policy to reject, and MX, MTA-STS, and TLS-RPT where needed. Checks that every identified sender that passes SPF today will still pass. Includes a zone file, Terraform, a calendar, and the score before and after. Values that only a provider knows are placeholders, with a note on where to find them. A failed lookup is an error, never a missing record.',
  paymentNote:
    'For 24 hours, the same payment returns the plan again with other answers (`selector`, `rua`, `uses`, `unused`), up to 20 times, free.',
  tool: {
    name: 'email_fix_plan',
    title: 'Plan the DNS records that secure a domain’s email',
    useWhen:
      'Use it when someone is ready to change DNS records. It lists every record to publish, in an order that loses no mail. Run check_domain_email_security first, because a domain without findings needs no plan.',
    digest: digestPlan,
  },
  example: { domain: 'monitoring.test' },
  input,
  repeatable: ['selector', 'uses', 'unused'],
  request,
  output: fixPlanSchema,
  // Its owner may answer the questions of the plan, and ask again.
  purchase: ({ domain }) => domain,
  run: (dns, { domain, selectors, rua, uses, unused }, runtime) =>
    planDomain(dns, domain, runtime, {
      selectors,
      rua,
      uses,
      unused,
      baseUrl: runtime.baseUrl ?? undefined,
      now: runtime.currentTime(),
    }),
})

function digestPlan({ summary, steps }: FixPlan): string {
  const titles = steps.filter(({ optional }) => !optional).map(({ title }) => quoteText(title))
  return titles.length > 0
    ? `${summary} Steps, which may quote text from DNS: ${titles.join('; ')}.`
    : summary
}
