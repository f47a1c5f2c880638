/** `mailgrade dmarc`: what receivers do with mail that fails. */
import { defineCommand } from '../command-line/command.js'
import {
  exactOption,
  failOnOption,
  formatOption,
  reportFileOption,
  SOURCE_OPTIONS,
  type SourceOptions,
} from '../command-line/shared-options.js'
import { dmarcText } from '../output/dmarc-text.js'
import { REPORT_FORMATS } from '../output/document-formats.js'
import { type OutputOptions, runReports } from './run-reports.js'

interface DmarcCommandOptions extends SourceOptions, OutputOptions {
  readonly exact?: boolean
}

export const dmarcCommand = defineCommand<DmarcCommandOptions>({
  name: 'dmarc',
  summary: 'show what receivers do with mail that forges a domain',
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
    {
      command: 'mailgrade dmarc example.com',
      explanation: 'Show the policy and where reports go.',
    },
  ],
  run: (domains, { exact = false, ...options }, context) =>
    runReports(
      domains,
      {
        request: (source, domain) => source.dmarc(domain, { exact }),
        text: (report, _, layout) => dmarcText(report, layout),
        findings: ({ issues }) => issues,
        mechanisms: ['dmarc'],
      },
      options,
      context,
    ),
})
