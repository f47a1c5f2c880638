/** DKIM for a terminal: every key with its size. */
import { type DkimReport, describeDkimKey, describeMissingKey, dkimKeySize } from '@mailgrade/core'
import { joinBlocks, type Layout, wrapText } from '../terminal/layout.js'
import { issueBlocks } from './findings-text.js'
import { reportHeading } from './status-text.js'

export function dkimText(report: DkimReport, layout: Layout): string {
  const { status, presence, keys, issues, selectorsTried, selectorsFailed } = report
  const { columns, style } = layout
  const isUnknown = presence === 'unknown' && status !== 'fail'
  const tried = selectorsTried.length === 1 ? '1 selector' : `${selectorsTried.length} selectors`
  return joinBlocks([
    reportHeading('DKIM of ', { ...report, status: isUnknown ? 'unknown' : status }, layout),
    presence === 'present' ? null : wrapText(describeMissingKey(keys, presence), columns, ''),
    ...keys.map((key) => keyText(key, layout)),
    selectorsFailed.length === 0
      ? null
      : wrapText(
          `Not checked, because the lookup failed: ${selectorsFailed.join(', ')}.`,
          columns,
          '',
        ),
    ...issueBlocks(issues, layout),
    style('dim', `${tried} tried.`),
  ])
}

function keyText(key: DkimReport['keys'][number], { columns, style }: Layout): string {
  return [
    `${style('bold', key.name)}: ${dkimKeySize(key)}`,
    wrapText(describeDkimKey(key), columns, '  '),
    ...key.problems.map((problem) => wrapText(style('red', problem), columns, '  ')),
  ].join('\n')
}
