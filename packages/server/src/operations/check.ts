import { checkDomain, domainReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineOperation } from './operation.js'
import { domainParameter } from './operation-parameters.js'

export const check = defineOperation({
  id: 'check',
  path: '/v1/check',
  summary: 'Whether a domain’s mail is safe from forgery',
  description:
    'MX, SPF, DMARC and DKIM in one answer, with what shows only when they are seen together, and what the domain publishes about transport (MTA-STS, TLS-RPT, BIMI, DNSSEC).',
  tool: {
    name: 'check_domain_email_security',
    title: 'Check a domain’s email security',
    useWhen:
      'Use it first for any question about a domain’s SPF, DKIM, DMARC, MX or email spoofing; each finding says what is wrong, why, and the record that mends it.',
    digest: ({ summary }) => summary,
  },
  example: { domain: 'good.test' },
  input: z.object({ domain: domainParameter }),
  output: domainReportSchema,
  subject: ({ domain }) => domain,
  run: (dns, { domain }, chance) => checkDomain(dns, domain, chance),
})
