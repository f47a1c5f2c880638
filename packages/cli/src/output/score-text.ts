/** The score for a terminal: one number, its deductions, what to do first. */
import { SCORE_COMPONENTS, type ScoreReport, scoreFacts, scoreStatus } from '@mailgrade/core'
import { describeList, joinBlocks, type Layout, wrapText } from '../terminal/layout.js'
import { STATUS_STYLES, subjectText } from './status-text.js'

export function scoreText(report: ScoreReport, layout: Layout): string {
  const { score, grade, summary } = report
  const { columns, style } = layout
  const result = style(STATUS_STYLES[scoreStatus(report)], `${score} of 100, grade ${grade}`)
  return joinBlocks([
    `${subjectText('', report, layout)}: ${result}`,
    wrapText(summary, columns, ''),
    describeList(scoreFacts(report), columns, ''),
    componentsText(report, layout),
    fixesText(report, layout),
  ])
}

const BAR_CELLS = 10

function componentsText({ components, findings }: ScoreReport, { columns, style }: Layout): string {
  const titles = new Map(findings.map(({ id, title }) => [id, title]))
  const rows = SCORE_COMPONENTS.map((name) => {
    const { points, max, deductions } = components[name]
    const filled = Math.round((BAR_CELLS * points) / max)
    const bar = `${'■'.repeat(filled)}${'□'.repeat(BAR_CELLS - filled)}`
    const losses = deductions.map(({ id, points: lost }) => `-${lost}: ${titles.get(id) ?? id}`)
    return [
      name.toUpperCase().padEnd(5),
      [`${bar}  ${points} of ${max}`, ...losses].join('\n'),
    ] as const
  })
  return `${style('bold', 'Points')}\n${describeList(rows, columns)}`
}

function fixesText({ topFixes }: ScoreReport, { columns, style }: Layout): string | null {
  if (topFixes.length === 0) return null
  const items = topFixes.map(({ rank, title, action, record, pointsGained }) =>
    [
      wrapText(
        `${style('bold', title)} (+${pointsGained} points)`,
        columns,
        '     ',
        `  ${rank}. `,
      ),
      wrapText(action, columns, '     '),
      ...(record ? [`     Record (${record.type} at ${record.name}):`] : []),
      ...(record ? [`       ${style('cyan', record.value)}`] : []),
    ].join('\n'),
  )
  return [style('bold', 'Fix first'), ...items].join('\n\n')
}
