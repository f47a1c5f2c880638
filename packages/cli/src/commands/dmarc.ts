/** `mailgrade dmarc`: what receivers do with mail that fails. */
import type { DmarcReport } from '@mailgrade/core'
import { dmarcText } from '../output/dmarc-text.js'
import { defineDomainCommand } from './domain-command.js'

export const dmarcCommand = defineDomainCommand<object, DmarcReport>({
  name: 'dmarc',
  summary: 'show what receivers do with mail that forges a domain',
  options: [],
  examples: [
    {
      command: 'mailgrade dmarc example.com',
      explanation: 'Show the policy and where reports go.',
    },
  ],
  kind: ({ exact }) => ({
    request: (source, domain) => source.dmarc(domain, { exact }),
    text: (report, _, layout) => dmarcText(report, layout),
    findings: ({ issues }) => issues,
    mechanisms: ['dmarc'],
  }),
})
