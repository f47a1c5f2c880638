/** The score: one number, its deductions, and what to do first. */
import { SCORE_COMPONENTS, type ScoreComponent, type ScoreReport } from '@mailgrade/core'
import { PATHS } from '../../operations/service-paths.js'
import { FactList } from '../parts/fact-list.js'
import { FindingList } from '../parts/finding-list.js'
import { RecordFields } from '../parts/record-fields.js'
import { GradeBadge } from '../parts/status-badge.js'
import { useLink } from '../site-context.js'

const SPOOFABLE = {
  no: 'No: receivers are asked to reject forged mail, and we found no gap.',
  partly: 'Partly: forged mail goes to the spam folder, or some of it is delivered.',
  yes: 'Yes: nothing stops forged mail.',
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
          ['Can this domain be spoofed?', SPOOFABLE[spoofable]],
          profile === 'sending'
            ? ['Gmail, Yahoo and Outlook rules for bulk senders', bulkSenderWords(report)]
            : null,
          range.min === range.max
            ? null
            : ['Possible scores (some answers are unknown)', `${range.min} to ${range.max}`],
        ]}
      />
      <Components components={report.components} />
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

function bulkSenderWords({ bulkSender: { ready, missing, unknown } }: ScoreReport): string {
  if (ready) return 'All requirements met.'
  const list = (names: readonly string[]) => names.join(', ').toUpperCase()
  return [
    ...(missing.length > 0 ? [`Not met: ${list(missing)}.`] : []),
    ...(unknown.length > 0 ? [`Unknown: ${list(unknown)}.`] : []),
  ].join(' ')
}

const BAR_WIDTH = 200

function Components({ components }: Pick<ScoreReport, 'components'>) {
  return (
    <table class="components">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Points</th>
          <th scope="col">Deductions</th>
        </tr>
      </thead>
      <tbody>
        {SCORE_COMPONENTS.map((name) => (
          <ComponentRow name={name.toUpperCase()} component={components[name]} />
        ))}
      </tbody>
    </table>
  )
}

function ComponentRow({ name, component }: { name: string; component: ScoreComponent }) {
  const { points, max, deductions } = component
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <svg viewBox={`0 0 ${BAR_WIDTH} 10`} width={BAR_WIDTH} height="10" aria-hidden="true">
          <rect class="left" width={BAR_WIDTH} height="10" rx="3" />
          <rect class="used" width={(BAR_WIDTH * points) / max} height="10" rx="3" />
        </svg>{' '}
        {points} of {max}
      </td>
      <td>
        <Deductions deductions={deductions} />
      </td>
    </tr>
  )
}

function Deductions({ deductions }: Pick<ScoreComponent, 'deductions'>) {
  const link = useLink()
  if (deductions.length === 0) return <span class="none">none</span>
  return (
    <ul class="plain">
      {deductions.map(({ id, points }) => (
        <li>
          <a href={`${link(PATHS.findings)}#${id}`}>{id}</a> −{points}
        </li>
      ))}
    </ul>
  )
}

function TopFixes({ fixes }: { fixes: ScoreReport['topFixes'] }) {
  return (
    <>
      <h3>What to do first</h3>
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
