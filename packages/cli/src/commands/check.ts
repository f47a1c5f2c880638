/** `mailgrade check`: MX, SPF, DMARC, DKIM and transport security of domains. */
import { type DomainReport, describeVerdict, findingsBySeverity } from '@mailgrade/core'
import { defineCommand } from '../command-line/command.js'
import {
  exactOption,
  failOnOption,
  formatOption,
  reportFileOption,
  SOURCE_OPTIONS,
  type SourceOptions,
  selectorOption,
} from '../command-line/shared-options.js'
import { checkText } from '../output/check-text.js'
import type { Headline } from '../output/document-entry.js'
import { REPORT_FORMATS } from '../output/document-formats.js'
import { type OutputOptions, runReports } from './run-reports.js'

interface CheckOptions extends SourceOptions, OutputOptions {
  readonly selector?: readonly string[]
  readonly exact?: boolean
}

export const checkCommand = defineCommand<CheckOptions>({
  name: 'check',
  summary: 'check whether domains can be spoofed, and show what to fix',
  argument: '<domain...>',
  argumentDescription: 'domains, or email addresses or URLs on them',
  options: [
    selectorOption,
    exactOption,
    ...SOURCE_OPTIONS,
    formatOption(REPORT_FORMATS),
    reportFileOption(REPORT_FORMATS),
    failOnOption,
  ],
  examples: [
    { command: 'mailgrade example.com', explanation: 'Check one domain.' },
    {
      command: 'mailgrade check example.com --selector s1 --selector s2',
      explanation: 'Look up your own DKIM selectors too.',
    },
    {
      command: 'mailgrade check example.com --report sarif=mail.sarif --fail-on medium',
      explanation: 'Fail a build on medium findings and write them for code scanning.',
    },
    {
      command: 'mailgrade check example.com --resolver https://dns.quad9.net/dns-query',
      explanation: 'Use another resolver.',
    },
  ],
  run: (domains, { selector: selectors = [], exact = false, ...options }, context) =>
    runReports(
      domains,
      {
        request: (source, domain) => source.check(domain, { selectors, exact }),
        text: checkText,
        findings: (report) => [...findingsBySeverity(report), ...report.transport.issues],
        headline: verdictHeadline,
        mechanisms: ['spf', 'dkim', 'dmarc', 'mx', 'transport'],
      },
      options,
      context,
    ),
})

function verdictHeadline(report: DomainReport): Headline {
  const { status, label, answer, meaning } = describeVerdict(report)
  return { status, label, sentence: `${answer} ${meaning}` }
}
