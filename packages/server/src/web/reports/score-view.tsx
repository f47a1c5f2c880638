/** The score: one number, its deductions, and what to do first. */
import { describeScore, type ScoreReport } from '@mailgrade/core'
import { DocumentView } from '../document-view.js'
import { FindingList } from '../parts/finding-list.js'
import { VerdictMark } from '../parts/verdict-mark.js'

export function ScoreView({ report }: { report: ScoreReport }) {
  const { score, grade, summary, findings } = report
  const { status, blocks } = describeScore(report)
  return (
    <>
      <div class="answer plain">
        <VerdictMark status={status ?? 'unknown'} center={grade} label={`${score} of 100`} />
        <p class="summary">{summary}</p>
      </div>
      {/* The summary comes first. */}
      <DocumentView blocks={blocks.slice(1)} />
      {findings.length > 0 && (
        <details>
          <summary>All findings ({findings.length})</summary>
          <FindingList findings={findings} />
        </details>
      )}
    </>
  )
}
