import { z } from 'zod'
import { checkDomain } from '../reports/check/check-domain.js'
import { domainReportSchema } from '../reports/check/domain-report.js'
import { domainParameter } from './domain-parameter.js'
import { defineOperation } from './operation.js'

export const check = defineOperation({
  id: 'check',
  path: '/v1/check',
  summary: 'Whether a domain’s mail is safe from forgery',
  description:
    'MX, SPF, DMARC and DKIM in one answer, with what shows only when they are seen together, and what the domain publishes about transport (MTA-STS, TLS-RPT, BIMI, DNSSEC).',
  example: { domain: 'good.test' },
  input: z.object({ domain: domainParameter }),
  output: domainReportSchema,
  subject: ({ domain }) => domain,
  run: (dns, { domain }, chance) => checkDomain(dns, domain, chance),
})
