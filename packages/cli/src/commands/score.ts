/** `mailgrade score`: 0 to 100 and A to F. */
import { defineCommand } from '../command-line/command.js'
import {
  exactOption,
  failOnOption,
  formatOption,
  PAID_SOURCE_OPTIONS,
  reportFileOption,
  type SourceOptions,
  selectorOption,
} from '../command-line/shared-options.js'
import { REPORT_FORMATS } from '../output/document-formats.js'
import { scoreText } from '../output/score-text.js'
import { type OutputOptions, runReports } from './run-reports.js'

interface ScoreCommandOptions extends SourceOptions, OutputOptions {
  readonly selector?: readonly string[]
  readonly exact?: boolean
}

export const scoreCommand = defineCommand<ScoreCommandOptions>({
  name: 'score',
  summary: 'grade domains from 0 to 100, with a reason for every lost point',
  argument: '<domain...>',
  argumentDescription: 'domains, or email addresses or URLs on them',
  options: [
    selectorOption,
    exactOption,
    ...PAID_SOURCE_OPTIONS,
    formatOption(REPORT_FORMATS),
    reportFileOption(REPORT_FORMATS),
    failOnOption,
  ],
  examples: [
    {
      command: 'mailgrade score example.com',
      explanation: 'Show the score and what to fix first.',
    },
    {
      command: 'mailgrade score example.com --format json | jq .score',
      explanation: 'Print only the number.',
    },
  ],
  run: (domains, { selector: selectors = [], exact = false, ...options }, context) =>
    runReports(
      domains,
      {
        request: (source, domain) => source.score(domain, { selectors, exact }),
        text: (report, _, layout) => scoreText(report, layout),
        findings: ({ findings }) => findings,
        mechanisms: ['spf', 'dkim', 'dmarc', 'mx'],
      },
      options,
      context,
    ),
})
