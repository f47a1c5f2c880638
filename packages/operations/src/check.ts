import { checkDomain, type DomainReport, domainReportSchema, quoteText } from '@mailgrade/core'
import { z } from 'zod'
import { defineDomainOperation, type Operation } from './operation.js'
import {
  domainParameter,
  exactParameter,
  selectorParameter,
  spfSenderParameters,
  toDomainRequest,
  toSpfMessage,
} from './operation-parameters.js'

const input = z.object({
  domain: domainParameter,
  selector: selectorParameter,
  exact: exactParameter,
  ...spfSenderParameters,
})

export const check: Operation<DomainReport> = defineDomainOperation({
  id: 'check',
  path: '/v1/check',
  summary: 'Check whether mail from a domain can be forged',
  description:
    'Returns MX, SPF, DMARC, and DKIM in one report, including problems that only show up in combination, plus MTA-STS, TLS-RPT, DANE, BIMI, and DNSSEC for information.',
  tool: {
    name: 'check_domain_email_security',
    title: 'Check a domain’s email security',
    useWhen:
      'Use it first for any question about a domain’s SPF, DKIM, DMARC, or MX, or about forged email. Each finding explains what is wrong, why it matters, and how to fix it. Pass `ip` to see whether mail from that server passes SPF.',
    digest: ({ summary, spf: { evaluation } }) =>
      evaluation
        ? `${summary} Mail from ${evaluation.ip} as ${quoteText(evaluation.sender)} gets the SPF result ${evaluation.result}.`
        : summary,
  },
  example: { domain: 'good.test' },
  input,
  request: input.transform(toDomainRequest),
  output: domainReportSchema,
  run: (dns, { domain, selectors, spfSender }, runtime) =>
    checkDomain(dns, domain, runtime, {
      selectors,
      message: toSpfMessage(spfSender),
      onChecked: runtime.onChecked,
    }),
})
