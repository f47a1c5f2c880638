import { checkAddress, emailReportSchema, summarizeAddress } from '@mailgrade/core'
import { z } from 'zod'
import { emailParameter } from './email-parameter.js'
import { defineOperation } from './operation.js'

export const emailCheck = defineOperation({
  id: 'emailCheck',
  path: '/v1/email-check',
  price: '0.01',
  summary: 'Whether mail to an address can arrive',
  description:
    'One verdict (ok, risky or undeliverable) with its reasons: whether the domain exists and takes mail, whether the address is disposable, belongs to a role such as sales, or has a typo in its domain, with the address that was meant. Says whether it is at a free provider or behind a privacy relay. No mail server is contacted. A lookup that fails is an error, never a verdict.',
  answersUnknownDomains: true,
  tool: {
    name: 'check_email_address',
    title: 'Check whether an email address can get mail',
    useWhen:
      'Use it before you accept an address at sign-up, import a list, or send to somebody for the first time.',
    digest: summarizeAddress,
  },
  example: { email: 'Sales+news@monitoring.test' },
  input: z.object({ email: emailParameter }),
  output: emailReportSchema,
  subject: ({ email }) => email.domain ?? email.literal.bracketed,
  run: (dns, { email }) => checkAddress(dns, email),
})
