import { scoreDomain, scoreReportSchema } from '@mailgrade/core'
import { z } from 'zod'
import { defineOperation } from './operation.js'
import { domainParameter } from './operation-parameters.js'

export const score = defineOperation({
  id: 'score',
  path: '/v1/score',
  price: '0.01',
  summary: 'How well a domain is guarded against forged mail, from 0 to 100',
  description:
    'One score and grade from SPF (30 points), DMARC (40), DKIM (25) and MX (5), with the reason for every point that is lost; whether a stranger can send as the domain; whether it meets what Gmail, Yahoo and Outlook ask of large senders; and the three fixes that gain most, with the record to publish where it is known. A lookup that fails is an error, never a lost point.',
  tool: {
    name: 'email_security_score',
    title: 'Score a domain’s email security',
    useWhen:
      'Use it, once for each domain, to compare or rank domains, to set a threshold, or to tell what to mend first.',
    digest: ({ summary, topFixes: [first] }) =>
      first ? `${summary} First fix: ${first.action}` : summary,
  },
  example: { domain: 'monitoring.test' },
  input: z.object({ domain: domainParameter }),
  output: scoreReportSchema,
  subject: ({ domain }) => domain,
  run: (dns, { domain }, chance) => scoreDomain(dns, domain, chance),
})
