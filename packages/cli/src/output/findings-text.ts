/** Findings for a terminal: what is wrong, why it matters, what to do, the record to publish. */
import { type Finding, isActionable } from '@mailgrade/core'
import { type Layout, type StyleName, wrapText } from '../terminal/layout.js'

const SEVERITY_STYLES: Readonly<Record<Finding['severity'], StyleName>> = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'yellow',
  info: 'dim',
}

export function findingsText(heading: string, findings: readonly Finding[], layout: Layout) {
  if (findings.length === 0) return null
  const items = findings.map((finding, index) => findingText(finding, `${index + 1}. `, layout))
  return [layout.style('bold', heading), ...items].join('\n\n')
}

function findingText(finding: Finding, number: string, { columns, style }: Layout): string {
  const { id, severity, title, detail, fix, record, reference } = finding
  const indent = ' '.repeat(2 + number.length)
  const name = style(SEVERITY_STYLES[severity], severity)
  const lines = [
    wrapText(`${style('bold', title)} (${name})`, columns, indent, `  ${number}`),
    wrapText(detail, columns, indent),
    wrapText(fix, columns, indent),
  ]
  // On a line of its own and never wrapped, so it can be copied as it is.
  if (record) {
    lines.push(`${indent}Record (${record.type} at ${record.name}):`)
    lines.push(`${indent}  ${style('cyan', record.value)}`)
  }
  lines.push(style('dim', `${indent}${id}, ${reference}`))
  return lines.join('\n')
}

/** What needs no action, one line each. */
export function notesText(notes: readonly Finding[], { columns, style }: Layout): string | null {
  if (notes.length === 0) return null
  const lines = notes.map(({ id, title }) => wrapText(`${title} (${id})`, columns, '    ', '  - '))
  return [style('bold', 'Good to know'), ...lines].join('\n')
}

/** The findings of one mechanism: what to fix, then what to know. */
export function issueBlocks(issues: readonly Finding[], layout: Layout): (string | null)[] {
  return [
    findingsText('What to fix', issues.filter(isActionable), layout),
    notesText(
      issues.filter((finding) => !isActionable(finding)),
      layout,
    ),
  ]
}
