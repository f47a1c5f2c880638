/** The result for a terminal: the verdict first, then why, then what to do. */
import {
  type AggregateSummary,
  type Criterion,
  type DomainSummary,
  describeLimits,
  type Fix,
  nameSource,
  type PublishedPolicy,
  type RolloutVerdict,
  type SourceClass,
  type SourceSummary,
} from '@mailgrade/dmarc-reports'
import Table from 'cli-table3'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import {
  CLASS_MEANINGS,
  CLASS_TITLES,
  CLASSES,
  countOf,
  describeLost,
  describeMessages,
  describePasses,
  describeQuestion,
  describeReading,
  describeRecent,
  formatCount,
  onlyYouKnow,
  percentOf,
  printable,
} from './aggregate-words.js'

/** Names of `util.styleText`. */
export type TextFormat = 'bold' | 'dim' | 'green' | 'yellow' | 'red'

export interface TextOptions {
  readonly columns: number
  /** Returns the text unchanged where the output is not a terminal. */
  readonly style: (format: TextFormat, text: string) => string
}

const MAX_SOURCES = 10
const MAX_REPORTERS = 5
const MAX_PROBLEMS = 10

export function renderText(read: AggregateSummary, options: TextOptions): string {
  const sections = [
    ...read.domains.map((domain) => renderDomain(domain, options)),
    renderSummary(read, options),
  ]
  return `${sections.join('\n\n')}\n`
}

function renderDomain(domain: DomainSummary, options: TextOptions): string {
  return [
    renderVerdict(domain, options),
    renderCriteria(domain.rollout, options),
    ...renderSubdomains(domain, options),
    ...CLASSES.flatMap((name) => renderClass(name, domain, options)),
    ...renderFixes([...domain.rollout.fixFirst, ...(domain.subdomains?.fixFirst ?? [])], options),
  ].join('\n\n')
}

const STATUS_FORMATS = {
  ready: 'green',
  'not-ready': 'red',
  'answer-first': 'yellow',
  unknown: 'yellow',
} as const

function renderVerdict(domain: DomainSummary, { columns, style }: TextOptions): string {
  const { rollout, policy } = domain
  const name = printable(domain.domain)
  const published = describePolicy(policy)
  const space = ' '.repeat(Math.max(2, columns - stringWidth(name) - published.length))
  const reporters = domain.reporters.slice(0, MAX_REPORTERS).map((each) => printable(each.name, 40))
  const others = domain.reporters.length - reporters.length
  const more = others > 0 ? ` and ${formatCount(others)} more` : ''
  return [
    `${style('bold', name)}${space}${style('dim', published)}`,
    style(STATUS_FORMATS[rollout.status], wrap(rollout.summary, columns)),
    '',
    wrap(describeMessages(domain), columns),
    wrap(
      `${countOf(domain.reports, 'report', 'reports')} from ${countOf(domain.reporters.length, 'organization', 'organizations')}: ${reporters.join(', ')}${more}.`,
      columns,
    ),
    wrap(describeLost(domain), columns),
  ].join('\n')
}

/** `p=reject sp=none pct=20`, as published, without what is usual. */
function describePolicy(policy: PublishedPolicy): string {
  if (policy.p === null) return 'no policy given'
  const sp = policy.sp === policy.p ? [] : [`sp=${policy.sp}`]
  return [`p=${policy.p}`, ...sp, ...describeLimits(policy)].join(' ')
}

function renderCriteria({ criteria, conditions }: RolloutVerdict, options: TextOptions): string {
  return [
    options.style('bold', 'Conditions'),
    ...criteria.map((criterion) => renderCriterion(criterion, options)),
    ...onlyYouKnow(conditions).map((text) => renderCriterion({ holds: null, text }, options)),
  ].join('\n')
}

/** Names below the domain, while a weaker policy of their own governs them. */
function renderSubdomains({ policy, subdomains }: DomainSummary, options: TextOptions): string[] {
  if (subdomains === null) return []
  const { columns, style } = options
  const verdict = style(STATUS_FORMATS[subdomains.status], wrap(subdomains.summary, columns))
  const title = style('bold', `Subdomains, with sp=${policy.sp}`)
  return [`${title}\n${verdict}`, renderCriteria(subdomains, options)]
}

function renderCriterion(
  { holds, text }: Pick<Criterion, 'holds' | 'text'>,
  { columns, style }: TextOptions,
): string {
  const mark =
    holds === null ? style('yellow', '?') : holds ? style('green', '✓') : style('red', '✗')
  return `${mark} ${hanging(printable(text, 500), columns, 2)}`
}

const MESSAGES_WIDTH = 10
const PERCENT_WIDTH = 7

function renderClass(name: SourceClass, domain: DomainSummary, options: TextOptions): string[] {
  const sources = domain.sources.filter((source) => source.class === name)
  if (sources.length === 0) return []
  const { columns, style } = options
  const messages = domain.byClass[name]
  const title = `${CLASS_TITLES[name]}: ${countOf(messages, 'message', 'messages')}`
  const rest = sources.slice(MAX_SOURCES)
  const restMessages = rest.reduce((sum, source) => sum + source.messages, 0)
  const more =
    rest.length === 0
      ? []
      : [
          `… and ${countOf(rest.length, 'more source', 'more sources')} with ${countOf(restMessages, 'message', 'messages')}`,
        ]
  return [
    [
      style('bold', title),
      wrap(CLASS_MEANINGS[name], columns),
      renderTable(sources.slice(0, MAX_SOURCES), { name, domain: domain.domain }, options),
      ...more,
    ].join('\n'),
  ]
}

function renderTable(
  sources: readonly SourceSummary[],
  { name, domain }: { readonly name: SourceClass; readonly domain: string },
  { columns, style }: TextOptions,
): string {
  const counts = sources.map(({ messages }) => formatCount(messages).length)
  const messagesWidth = Math.max(MESSAGES_WIDTH, ...counts.map((length) => length + 1))
  const nameWidth = columns - messagesWidth - 3 * PERCENT_WIDTH
  const table = new Table({
    colWidths: [nameWidth, messagesWidth, PERCENT_WIDTH, PERCENT_WIDTH, PERCENT_WIDTH],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    wordWrap: true,
    wrapOnWordBoundary: false,
    chars: BORDERLESS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1, compact: true },
  })
  table.push(['Source', 'Messages', 'Pass', 'SPF', 'DKIM'].map((head) => style('dim', head)))
  for (const source of sources) {
    const { messages, passing, spf, dkim } = source
    table.push([
      printable(nameSource(source.name, source.at, domain), nameWidth - 2),
      formatCount(messages),
      percentOf(passing, messages),
      percentOf(spf.aligned, messages),
      percentOf(dkim.aligned, messages),
    ])
    const passes = name === 'yours-and-passing' ? null : describePasses(source)
    const details = [describeQuestion(source), describeRecent(source), passes]
      .filter((detail) => detail !== null)
      .join(' ')
    if (details === '') continue
    table.push([
      {
        content: style('dim', wrap(printable(details, 240), columns - 3)),
        colSpan: 5,
        style: { 'padding-left': 2, 'padding-right': 0 },
      },
    ])
  }
  return table.toString().replace(/[ \t]+$/gm, '')
}

const SIDES =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle'
const BORDERLESS = Object.fromEntries(SIDES.split(' ').map((side) => [side, '']))

function renderFixes(fixes: readonly Fix[], options: TextOptions): string[] {
  if (fixes.length === 0) return []
  const items = fixes.map((fix, index) => renderFix(fix, index + 1, options))
  return [[options.style('bold', 'Fix first'), ...items].join('\n')]
}

function renderFix(
  { name, lost, reason, steps }: Fix,
  number: number,
  { columns, style }: TextOptions,
): string {
  const mark = `${number}. `
  const fails = lost === 1 ? 'message fails' : 'messages fail'
  const title = `${style('bold', printable(name, 40))}: ${formatCount(lost)} ${fails}`
  const indent = ' '.repeat(mark.length)
  return [
    `${mark}${hanging(title, columns, mark.length)}`,
    `${indent}${hanging(printable(reason, 500), columns, mark.length)}`,
    ...steps.map(
      (step) => `${indent}- ${hanging(printable(step, 1_000), columns, mark.length + 2)}`,
    ),
  ].join('\n')
}

function renderSummary(read: AggregateSummary, { columns, style }: TextOptions): string {
  const { problems, problemCount } = read
  const shown = problems
    .slice(0, MAX_PROBLEMS)
    .map(
      ({ severity, file, message }) =>
        `${style(severity === 'error' ? 'red' : 'yellow', severity)} ${hanging(`${printable(file)}: ${printable(message, 500)}`, columns, severity.length + 1)}`,
    )
  const more =
    problemCount > shown.length
      ? [`… and ${countOf(problemCount - shown.length, 'more problem', 'more problems')}`]
      : []
  return [wrap(describeReading(read), columns), ...shown, ...more].join('\n')
}

function wrap(text: string, columns: number): string {
  return wrapAnsi(text, columns, { hard: true })
}

/** Lines after the first are indented. */
function hanging(text: string, columns: number, indent: number): string {
  return wrap(text, columns - indent).replaceAll('\n', `\n${' '.repeat(indent)}`)
}
