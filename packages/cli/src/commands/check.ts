/** `mailgrade check`: MX, SPF, DMARC, DKIM and transport security of domains. */
import {
  type DomainReport,
  describeCheck,
  describeVerdict,
  findingsBySeverity,
  isActionable,
} from '@mailgrade/core'
import { selectorOption } from '../command-line/shared-options.js'
import type { ReportMeta } from '../library.js'
import type { Headline } from '../output/document-entry.js'
import { documentText } from '../output/document-text.js'
import { type Layout, wrapText } from '../terminal/layout.js'
import { defineDomainCommand } from './domain-command.js'

interface CheckOptions {
  readonly selector?: readonly string[]
}

export const checkCommand = defineDomainCommand<CheckOptions, DomainReport>({
  name: 'check',
  summary: 'check whether domains can be spoofed, and show what to fix',
  options: [selectorOption],
  examples: [
    { command: 'mailgrade example.com', explanation: 'Check one domain.' },
    {
      command: 'mailgrade check example.com --selector s1 --selector s2',
      explanation: 'Look up your own DKIM selectors too.',
    },
    {
      command: 'mailgrade check example.com --report sarif=mail.sarif --fail-on medium',
      explanation: 'Fail a build on medium or worse findings, and write them as SARIF.',
    },
    {
      command: 'mailgrade check example.com --resolver https://dns.quad9.net/dns-query',
      explanation: 'Use another resolver.',
    },
  ],
  kind: ({ selector: selectors = [], exact }) => ({
    request: (source, domain) => source.check(domain, { selectors, exact }),
    text: checkText,
    findings: (report) => [...findingsBySeverity(report), ...report.transport.issues],
    headline: verdictHeadline,
    mechanisms: ['spf', 'dkim', 'dmarc', 'mx', 'transport'],
  }),
})

function verdictHeadline(report: DomainReport): Headline {
  const { status, label, answer, meaning } = describeVerdict(report)
  return { status, label, sentence: `${answer} ${meaning}` }
}

export function checkText(report: DomainReport, meta: ReportMeta, layout: Layout): string {
  const { dnsQueries, durationMs, resolvers } = meta
  const { columns, style } = layout
  const next = `For every record in order, with steps, run: mailgrade plan ${report.domain}`
  const source = `${dnsQueries} DNS queries, ${durationMs} ms, ${resolvers.join(', ')}.`
  return documentText(describeCheck(report), layout, [
    ...(findingsBySeverity(report).some(isActionable) ? [wrapText(next, columns, '')] : []),
    style('dim', wrapText(source, columns, '')),
  ])
}
