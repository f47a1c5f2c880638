/** The check of a domain for a terminal: the answer, the path of a forged message, what to fix. */
import {
  type DomainReport,
  describeForgedMail,
  describeNoMail,
  describeVerdict,
  type Finding,
  findingsBySeverity,
  isActionable,
  isUndecided,
  noMailRecords,
  STATUS_SIGNS,
  summarizeMechanisms,
} from '@mailgrade/core'
import type { ReportMeta } from '../library.js'
import { describeList, joinBlocks, type Layout, wrapText } from '../terminal/layout.js'
import { findingsText, notesText } from './findings-text.js'
import { spfTreeText } from './spf-text.js'
import { STATUS_STYLES, statusText, subjectText } from './status-text.js'
import { toTerminalText } from './terminal-words.js'

export function checkText(report: DomainReport, meta: ReportMeta, layout: Layout): string {
  const findings = findingsBySeverity(report)
  const notes = findings.filter((finding) => !isActionable(finding))
  return joinBlocks([
    answerText(report, layout),
    pathText(report, layout),
    mechanismsText(report, layout),
    spfTreeText(report.spf, layout),
    ...fixBlocks(report, findings.filter(isActionable), layout),
    notesText([...notes, ...report.transport.issues], layout),
    findings.some(isActionable) ? nextText(report, layout) : null,
    sourceText(meta, layout),
  ])
}

function answerText(report: DomainReport, layout: Layout): string {
  const { columns, style } = layout
  const { status, label, answer, meaning } = describeVerdict(report)
  const color = STATUS_STYLES[status]
  return [
    `${subjectText('', report, layout)}: ${style(color, label)}`,
    '',
    wrapText(style('bold', answer), columns, '  ', `${style(color, STATUS_SIGNS[status])} `),
    wrapText(meaning, columns, '  '),
  ].join('\n')
}

function pathText(report: DomainReport, { columns, style }: Layout): string {
  const stops = describeForgedMail(report).map(({ name, text, status }, index, all) => {
    const arrow = index === all.length - 1 ? '└▶' : index === 0 ? '┌ ' : '│ '
    const title = `${style('dim', arrow)} ${status ? style(STATUS_STYLES[status], name) : name}`
    return [title, text] as const
  })
  return `${style('bold', 'What happens to a forged email today')}\n${describeList(stops, columns)}`
}

const MECHANISM_NAMES = {
  spf: 'SPF (who may send as you)',
  dkim: 'DKIM (your signature)',
  dmarc: 'DMARC (what receivers do with forged mail)',
  mx: 'MX (where your mail goes)',
}

function mechanismsText(report: DomainReport, layout: Layout): string {
  const summaries = summarizeMechanisms(report)
  const rows = (['spf', 'dkim', 'dmarc', 'mx'] as const).map((name) => {
    const { status, words } = summaries[name]
    return [statusText(status, layout), `${MECHANISM_NAMES[name]}: ${words}`] as const
  })
  return `${layout.style('bold', 'Your records')}\n${describeList(rows, layout.columns)}`
}

/** Only the owner of a domain without mail records knows which of the two is right. */
function fixBlocks(report: DomainReport, faults: readonly Finding[], layout: Layout) {
  if (!isUndecided(report)) return [findingsText('What to fix', faults, layout)]
  const { question, no, effect, conditions, yes } = describeNoMail(report.domain)
  const { columns, style } = layout
  const records = noMailRecords(report.domain)
  return [
    style('bold', question),
    [
      style('bold', no),
      wrapText(toTerminalText(effect), columns, '  '),
      ...conditions.map((it) => wrapText(toTerminalText(it), columns, '    ', '  - ')),
      ...records.map(({ type, name, value }) => `  ${name} ${type} ${style('cyan', value)}`),
    ].join('\n'),
    findingsText(yes(faults.length), faults, layout),
  ]
}

function nextText({ domain }: DomainReport, { columns }: Layout): string {
  return wrapText(
    `For every record in order, with steps, run: mailgrade plan ${domain}`,
    columns,
    '',
  )
}

function sourceText({ dnsQueries, durationMs, resolvers }: ReportMeta, layout: Layout): string {
  const text = `${dnsQueries} DNS queries, ${durationMs} ms, ${resolvers.join(', ')}.`
  return layout.style('dim', wrapText(text, layout.columns, ''))
}
