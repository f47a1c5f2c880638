/** `mailgrade mx`: the servers that receive a domain's mail. */
import { describeMx, type MxReport } from '@mailgrade/core'
import { documentText } from '../output/document-text.js'
import { defineDomainCommand } from './domain-command.js'

export const mxCommand = defineDomainCommand<object, MxReport>({
  name: 'mx',
  summary: 'show where a domain’s mail goes',
  options: [],
  examples: [
    {
      command: 'mailgrade mx example.com',
      explanation: 'Show the servers and their addresses.',
    },
  ],
  kind: ({ exact }) => ({
    request: (source, domain) => source.mx(domain, { exact }),
    text: (report, _, layout) => documentText(describeMx(report), layout),
    findings: ({ issues }) => issues,
    mechanisms: ['mx'],
  }),
})
