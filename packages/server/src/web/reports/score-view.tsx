/** The score: one number, where its points are lost, and what gains most. */
import type { ScoreReport } from '@mailgrade/core'
import { FactList } from '../parts/fact-list.js'
import { FindingList } from '../parts/finding-list.js'
import { RecordFields } from '../parts/record-fields.js'
import { GradeBadge } from './grade-badge.js'
import { ScoreComponents } from './score-components.js'

const SPOOFABLE = {
  no: 'No: receivers are asked to refuse such mail, and there is no hole.',
  partly: 'Partly: such mail goes to the spam folder, or less is done for some of it.',
  yes: 'Yes: nothing keeps such mail out.',
}

export function ScoreView({ report }: { report: ScoreReport }) {
  const { score, grade, profile, summary, spoofable, range, topFixes, findings } = report
  return (
    <>
      <p class="score">
        <GradeBadge grade={grade} words={`${score} of 100`} />
      </p>
      <p class="summary">{summary}</p>
      <FactList
        facts={[
          ['Can a stranger send as this domain?', SPOOFABLE[spoofable]],
          profile === 'sending'
            ? ['What Gmail, Yahoo and Outlook ask of large senders', bulkWords(report)]
            : null,
          range.min === range.max
            ? null
            : ['As DKIM is not known', `between ${range.min} and ${range.max}`],
        ]}
      />
      <ScoreComponents components={report.components} />
      {topFixes.length > 0 && <TopFixes fixes={topFixes} />}
      {findings.length > 0 && (
        <details>
          <summary>All findings ({findings.length})</summary>
          <FindingList findings={findings} />
        </details>
      )}
    </>
  )
}

function TopFixes({ fixes }: { fixes: ScoreReport['topFixes'] }) {
  return (
    <>
      <h3>What gains most</h3>
      <ol class="fixes">
        {fixes.map(({ title, action, record, pointsGained }) => (
          <li>
            <strong>
              {title} (+{pointsGained})
            </strong>
            <p>{action}</p>
            {record && <RecordFields {...record} />}
          </li>
        ))}
      </ol>
    </>
  )
}

function bulkWords({ bulkSender: { ready, missing, unknown } }: ScoreReport): string {
  if (ready) return 'Everything is there.'
  const list = (names: readonly string[]) => names.join(', ').toUpperCase()
  return [
    ...(missing.length > 0 ? [`Not met: ${list(missing)}.`] : []),
    ...(unknown.length > 0 ? [`The DNS does not tell: ${list(unknown)}.`] : []),
  ].join(' ')
}
