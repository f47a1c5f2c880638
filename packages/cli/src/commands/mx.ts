/** `mailgrade mx`: the servers that receive a domain's mail. */
import type { MxReport } from '@mailgrade/core'
import { mxText } from '../output/mx-text.js'
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
    text: (report, _, layout) => mxText(report, layout),
    findings: ({ issues }) => issues,
    mechanisms: ['mx'],
  }),
})
