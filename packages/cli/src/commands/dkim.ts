/** `mailgrade dkim`: the keys that sign a domain's mail. */
import { Option } from 'commander'
import { defineCommand } from '../command-line/command.js'
import {
  exactOption,
  failOnOption,
  formatOption,
  reportFileOption,
  SOURCE_OPTIONS,
  type SourceOptions,
} from '../command-line/shared-options.js'
import { dkimText } from '../output/dkim-text.js'
import { REPORT_FORMATS } from '../output/document-formats.js'
import { type OutputOptions, runReports } from './run-reports.js'

interface DkimCommandOptions extends SourceOptions, OutputOptions {
  readonly selector?: string
  readonly exact?: boolean
}

export const dkimCommand = defineCommand<DkimCommandOptions>({
  name: 'dkim',
  summary: 'show the keys that sign a domain’s mail',
  argument: '<domain...>',
  argumentDescription: 'domains, or email addresses or URLs on them',
  options: [
    new Option('--selector <name>', 'look up only this selector, not the usual ones'),
    exactOption,
    ...SOURCE_OPTIONS,
    formatOption(REPORT_FORMATS),
    reportFileOption(REPORT_FORMATS),
    failOnOption,
  ],
  examples: [
    { command: 'mailgrade dkim example.com', explanation: 'Try the usual selectors.' },
    {
      command: 'mailgrade dkim example.com --selector s1',
      explanation: 'Check one key: s= in the DKIM-Signature header of a message.',
    },
  ],
  run: (domains, { selector, exact = false, ...options }, context) =>
    runReports(
      domains,
      {
        request: (source, domain) =>
          source.dkim(domain, { exact, ...(selector !== undefined && { selector }) }),
        text: (report, _, layout) => dkimText(report, layout),
        findings: ({ issues }) => issues,
        mechanisms: ['dkim'],
      },
      options,
      context,
    ),
})
