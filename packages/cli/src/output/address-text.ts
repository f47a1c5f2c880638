/** The verdict on an email address for a terminal. */
import {
  ADDRESS_REASONS,
  ADDRESS_VERDICT_WORDS,
  addressFacts,
  type EmailReport,
  STATUS_SIGNS,
} from '@mailgrade/core'
import { describeList, joinBlocks, type Layout, wrapText } from '../terminal/layout.js'
import { serverList } from './mx-text.js'
import { STATUS_STYLES } from './status-text.js'

export function addressText(report: EmailReport, layout: Layout): string {
  const { email, normalized, verdict, reasons, suggestion, checks } = report
  const { columns, style } = layout
  const { status, words } = ADDRESS_VERDICT_WORDS[verdict]
  const sign = style(STATUS_STYLES[status], `${STATUS_SIGNS[status]} ${verdict}`)
  const list = reasons.map((reason) =>
    wrapText(`${ADDRESS_REASONS[reason].meaning} (${reason})`, columns, '    ', '  - '),
  )
  const facts = addressFacts(report)
  if (normalized !== email) facts.unshift(['Normalized form', normalized])
  return joinBlocks([
    `${style('bold', email)}: ${sign}`,
    wrapText(words, columns, ''),
    suggestion ? `Did you mean ${style('bold', suggestion)}?` : null,
    list.length > 0 ? list.join('\n') : null,
    describeList(facts, columns, ''),
    serverList(checks.mx, layout),
  ])
}
