/** `mailgrade dmarc`: what receivers do with mail that fails. */
import { type DmarcReport, describeDmarc } from '@mailgrade/core'
import { documentText } from '../output/document-text.js'
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
    text: (report, _, layout) => documentText(describeDmarc(report), layout),
    findings: ({ issues }) => issues,
    mechanisms: ['dmarc'],
  }),
})
