/** `mailgrade mx`: the servers that receive a domain's mail. */
import { defineCommand } from '../command-line/command.js'
import {
  exactOption,
  failOnOption,
  formatOption,
  reportFileOption,
  SOURCE_OPTIONS,
  type SourceOptions,
} from '../command-line/shared-options.js'
import { REPORT_FORMATS } from '../output/document-formats.js'
import { mxText } from '../output/mx-text.js'
import { type OutputOptions, runReports } from './run-reports.js'

interface MxCommandOptions extends SourceOptions, OutputOptions {
  readonly exact?: boolean
}

export const mxCommand = defineCommand<MxCommandOptions>({
  name: 'mx',
  summary: 'show where a domain’s mail goes',
  argument: '<domain...>',
  argumentDescription: 'domains, or email addresses or URLs on them',
  options: [
    exactOption,
    ...SOURCE_OPTIONS,
    formatOption(REPORT_FORMATS),
    reportFileOption(REPORT_FORMATS),
    failOnOption,
  ],
  examples: [
    { command: 'mailgrade mx example.com', explanation: 'Show the servers and their addresses.' },
  ],
  run: (domains, { exact = false, ...options }, context) =>
    runReports(
      domains,
      {
        request: (source, domain) => source.mx(domain, { exact }),
        text: (report, _, layout) => mxText(report, layout),
        findings: ({ issues }) => issues,
        mechanisms: ['mx'],
      },
      options,
      context,
    ),
})
