/** `mailgrade dkim`: the keys that sign a domain's mail. */
import { type DkimReport, describeDkim } from '@mailgrade/core'
import { InvalidArgumentError, Option } from 'commander'
import { documentText } from '../output/document-text.js'
import { defineDomainCommand } from './domain-command.js'

interface DkimOptions {
  readonly selector?: string
}

export const dkimCommand = defineDomainCommand<DkimOptions, DkimReport>({
  name: 'dkim',
  summary: 'show the keys that sign a domain’s mail',
  options: [
    new Option('--selector <name>', 'look up only this selector, not the usual ones').argParser(
      parseOneSelector,
    ),
  ],
  examples: [
    { command: 'mailgrade dkim example.com', explanation: 'Try the usual selectors.' },
    {
      command: 'mailgrade dkim example.com --selector s1',
      explanation: 'Check one key. Its selector is s= in the DKIM-Signature header.',
    },
  ],
  kind: ({ selector, exact }) => ({
    request: (source, domain) => source.dkim(domain, { exact, selector }),
    text: (report, _, layout) => documentText(describeDkim(report), layout),
    findings: ({ issues }) => issues,
    mechanisms: ['dkim'],
  }),
})

/** The last one would win, and the others would seem to have no key. */
function parseOneSelector(text: string, previous: string | undefined): string {
  if (previous !== undefined) {
    throw new InvalidArgumentError('Give one selector. For several, use mailgrade check.')
  }
  return text
}
