import { checkAddress, emailReportSchema, summarizeAddress } from '@mailgrade/core'
import { z } from 'zod'
import { defineOperation } from './operation.js'
import { emailParameter } from './operation-parameters.js'

const input = z.object({ email: emailParameter })

export const emailCheck = defineOperation({
  id: 'emailCheck',
  path: '/v1/email-check',
  price: '0.01',
  summary: 'Check whether mail to an address can arrive',
  description:
    'Returns a verdict (ok, risky, or undeliverable) with reasons. Checks whether the domain exists, accepts mail, or is parked, and whether the address is disposable, a placeholder such as asdf, a role such as sales, or a name its provider does not allow. Suggests a correction for a likely typo in the domain. Also identifies free providers, privacy relays, and gateways that may accept every address. Never contacts a mail server. A failed lookup is an error, never a verdict.',
  answersUnknownDomains: true,
  tool: {
    name: 'check_email_address',
    title: 'Check whether an email address can receive mail',
    useWhen:
      'Use it before you accept an address at sign-up, import a list, or send to someone for the first time.',
    digest: summarizeAddress,
  },
  example: { email: 'Sales+news@monitoring.test' },
  input,
  request: input,
  output: emailReportSchema,
  publicNames: ({ email }) => ({ email: email.domain ?? undefined }),
  subject: ({ email }) => email.domain ?? email.literal.bracketed,
  run: (dns, { email }, { allowPrivateNames }) => checkAddress(dns, email, { allowPrivateNames }),
})
