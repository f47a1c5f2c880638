/** The commands that report findings about domains, and what they have in common. */
import {
  type DkimReport,
  type DmarcReport,
  type DomainReport,
  describeCheck,
  describeDkim,
  describeDmarc,
  describeMx,
  describeScore,
  describeSpf,
  findingsBySeverity,
  isActionable,
  type MxReport,
  parseIpAddress,
  type ScoreReport,
  type SpfEvaluation,
  type SpfReport,
} from '@mailgrade/core'
import { InvalidArgumentError, Option } from 'commander'
import {
  type Command,
  defineCommand,
  EXIT,
  type Example,
  type ExitCode,
  UsageError,
} from '../command-line/command.js'
import {
  exactOption,
  failOnOption,
  formatOption,
  PAID_SOURCE_OPTIONS,
  reportFileOption,
  SOURCE_OPTIONS,
  type SourceOptions,
  selectorOption,
} from '../command-line/shared-options.js'
import type { ReportMeta } from '../library.js'
import { REPORT_FORMATS } from '../output/document-formats.js'
import { documentText } from '../output/document-text.js'
import { type Layout, wrapText } from '../terminal/layout.js'
import { type OutputOptions, type ReportKind, runReports } from './run-reports.js'

export const DOMAINS = 'domains; email addresses and URLs work too'

interface DomainOptions extends SourceOptions, OutputOptions {
  readonly exact?: boolean
}

/** Its text is the document, unless there is more to add. */
type DomainReportKind<Report> = Omit<ReportKind<Report>, 'text'> &
  Partial<Pick<ReportKind<Report>, 'text'>> &
  Required<Pick<ReportKind<Report>, 'document'>>

interface DomainCommand<Options, Report> {
  readonly name: string
  readonly summary: string
  /** In addition to those that all these commands have. */
  readonly options: readonly Option[]
  readonly sourceOptions?: readonly Option[]
  readonly examples: readonly Example[]
  kind(options: Options & { readonly exact: boolean }): DomainReportKind<Report>
}

function defineDomainCommand<Options extends object, Report>({
  name,
  summary,
  options,
  sourceOptions = SOURCE_OPTIONS,
  examples,
  kind,
}: DomainCommand<Options, Report>): Command {
  return defineCommand<Options & DomainOptions>({
    name,
    summary,
    argument: '<domain...>',
    argumentDescription: DOMAINS,
    options: [
      ...options,
      exactOption,
      ...sourceOptions,
      formatOption(REPORT_FORMATS),
      reportFileOption(REPORT_FORMATS),
      failOnOption,
    ],
    examples,
    run(domains, given, context) {
      const content = kind({ ...given, exact: given.exact ?? false })
      const text: ReportKind<Report>['text'] = (report, _, layout) =>
        documentText(content.document(report), layout)
      return runReports(domains, { text, ...content }, given, context)
    },
  })
}

interface SelectorOption {
  readonly selector?: readonly string[]
}

export const checkCommand = defineDomainCommand<SelectorOption, DomainReport>({
  name: 'check',
  summary: 'check whether mail from domains can be forged, and show what to fix',
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
      explanation: 'Use a different resolver.',
    },
  ],
  kind: ({ selector: selectors = [], exact }) => ({
    request: (source, domain) => source.check(domain, { selectors, exact }),
    text: checkText,
    document: describeCheck,
    findings: (report) => [...findingsBySeverity(report), ...report.transport.issues],
    mechanisms: ['spf', 'dkim', 'dmarc', 'mx', 'transport'],
  }),
})

export function checkText(report: DomainReport, meta: ReportMeta, layout: Layout): string {
  const { dnsQueries, durationMs, resolvers } = meta
  const { columns, style } = layout
  const next = `For every record to publish, in order, with steps, run: mailgrade plan ${report.domain}`
  const source = `${dnsQueries} DNS queries, ${durationMs} ms, ${resolvers.join(', ')}.`
  return documentText(describeCheck(report), layout, [
    ...(findingsBySeverity(report).some(isActionable) ? [wrapText(next, columns, '')] : []),
    style('dim', wrapText(source, columns, '')),
  ])
}

export const scoreCommand = defineDomainCommand<SelectorOption, ScoreReport>({
  name: 'score',
  summary: 'score domains from 0 to 100, with a reason for every lost point',
  options: [selectorOption],
  sourceOptions: PAID_SOURCE_OPTIONS,
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
  kind: ({ selector: selectors = [], exact }) => ({
    request: (source, domain) => source.score(domain, { selectors, exact }),
    // The check is for those who want all findings.
    text: (report, _, layout) => documentText({ ...describeScore(report), findings: [] }, layout),
    document: describeScore,
    findings: ({ findings }) => findings,
    mechanisms: ['spf', 'dkim', 'dmarc', 'mx'],
  }),
})

interface SpfOptions {
  readonly ip?: string
  readonly sender?: string
  readonly helo?: string
}

/** With `--ip`, a script wants to know whether the server passes. */
const EVALUATION_EXIT_CODES: Readonly<Record<SpfEvaluation['result'], ExitCode>> = {
  pass: EXIT.fine,
  fail: EXIT.findings,
  softfail: EXIT.findings,
  neutral: EXIT.findings,
  none: EXIT.findings,
  permerror: EXIT.findings,
  temperror: EXIT.unavailable,
}

export const spfCommand = defineDomainCommand<SpfOptions, SpfReport>({
  name: 'spf',
  summary: 'show who may send as a domain, with every DNS lookup',
  options: [
    new Option('--ip <address>', 'check whether mail from this server passes').argParser(parseIp),
    new Option('--sender <address>', 'with --ip: the MAIL FROM address or its domain'),
    new Option('--helo <name>', 'with --ip: the name the server sends in HELO or EHLO'),
  ],
  examples: [
    { command: 'mailgrade spf example.com', explanation: 'Show the tree of includes.' },
    {
      command: 'mailgrade spf example.com --ip 192.0.2.1',
      explanation: 'Check whether mail from this server passes. If not, the exit code is 1.',
    },
  ],
  kind({ ip, sender, helo, exact }) {
    if (ip === undefined && (sender ?? helo) !== undefined) {
      throw new UsageError('--sender and --helo need --ip, the address of the sending server.')
    }
    return {
      request: (source, domain) => source.spf(domain, { exact, ip, sender, helo }),
      document: describeSpf,
      findings: ({ issues }) => issues,
      mechanisms: ['spf'],
      exitCode: ({ evaluation }) => EVALUATION_EXIT_CODES[evaluation?.result ?? 'pass'],
    }
  },
})

function parseIp(text: string): string {
  if (!parseIpAddress(text.trim())) {
    throw new InvalidArgumentError('Enter an IP address such as 192.0.2.1 or 2001:db8::1.')
  }
  return text.trim()
}

interface DkimOptions {
  readonly selector?: string
}

export const dkimCommand = defineDomainCommand<DkimOptions, DkimReport>({
  name: 'dkim',
  summary: 'show the keys that sign a domain’s mail',
  options: [
    new Option(
      '--selector <name>',
      'look up only this selector instead of the usual ones',
    ).argParser(parseOneSelector),
  ],
  examples: [
    { command: 'mailgrade dkim example.com', explanation: 'Try the usual selectors.' },
    {
      command: 'mailgrade dkim example.com --selector s1',
      explanation: 'Check one key. The selector is the s= tag in the DKIM-Signature header.',
    },
  ],
  kind: ({ selector, exact }) => ({
    request: (source, domain) => source.dkim(domain, { exact, selector }),
    document: describeDkim,
    findings: ({ issues }) => issues,
    mechanisms: ['dkim'],
  }),
})

/** The last one would win, and the others would seem to have no key. */
function parseOneSelector(text: string, previous: string | undefined): string {
  if (previous !== undefined) {
    throw new InvalidArgumentError(
      'Use only one selector. To look up several, use mailgrade check.',
    )
  }
  return text
}

export const dmarcCommand = defineDomainCommand<object, DmarcReport>({
  name: 'dmarc',
  summary: 'show what receivers do with forged mail',
  options: [],
  examples: [
    {
      command: 'mailgrade dmarc example.com',
      explanation: 'Show the policy and where reports go.',
    },
  ],
  kind: ({ exact }) => ({
    request: (source, domain) => source.dmarc(domain, { exact }),
    document: describeDmarc,
    findings: ({ issues }) => issues,
    mechanisms: ['dmarc'],
  }),
})

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
    document: describeMx,
    findings: ({ issues }) => issues,
    mechanisms: ['mx'],
  }),
})
