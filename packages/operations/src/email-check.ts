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
    'A verdict (ok, risky or undeliverable) with reasons: whether the domain exists, accepts mail or is parked; whether the address is disposable, a placeholder such as asdf, a role such as sales, a name that its provider does not allow, or has a typo in its domain, with the likely correction. Says whether it uses a free provider, a privacy relay, or a gateway that may accept every address. No mail server is contacted. A failed lookup is an error, never a verdict.',
  answersUnknownDomains: true,
  tool: {
    name: 'check_email_address',
    title: 'Check whether an email address can get mail',
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
