/** The score: one number, its deductions, and what to do first. */
import {
  SCORE_COMPONENTS,
  type ScoreComponent,
  type ScoreReport,
  scoreFacts,
  scoreStatus,
} from '@mailgrade/core'
import { findingPagePath } from '../page-paths.js'
import { FactList } from '../parts/fact-list.js'
import { FindingList } from '../parts/finding-list.js'
import { RecordFields } from '../parts/record-fields.js'
import { VerdictMark } from '../parts/verdict-mark.js'
import { useLink } from '../site-context.js'

export function ScoreView({ report }: { report: ScoreReport }) {
  const { score, grade, summary, topFixes, findings } = report
  return (
    <>
      <div class="answer plain">
        <VerdictMark status={scoreStatus(report)} center={grade} label={`${score} of 100`} />
        <p class="summary">{summary}</p>
      </div>
      <FactList facts={scoreFacts(report)} />
      <Components report={report} />
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

const BAR_WIDTH = 140

function Components({ report: { components, findings } }: { report: ScoreReport }) {
  const titles = new Map(findings.map(({ id, title }) => [id, title]))
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
          <ComponentRow name={name.toUpperCase()} component={components[name]} titles={titles} />
        ))}
      </tbody>
    </table>
  )
}

interface ComponentRowProps {
  readonly name: string
  readonly component: ScoreComponent
  /** The titles of the findings, by id. */
  readonly titles: ReadonlyMap<string, string>
}

function ComponentRow({ name, component, titles }: ComponentRowProps) {
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
        <Deductions deductions={deductions} titles={titles} />
      </td>
    </tr>
  )
}

function Deductions({
  deductions,
  titles,
}: Pick<ScoreComponent, 'deductions'> & Pick<ComponentRowProps, 'titles'>) {
  const link = useLink()
  if (deductions.length === 0) return <span class="none">none</span>
  return (
    <ul class="plain">
      {deductions.map(({ id, points }) => (
        <li>
          −{points}: {titles.get(id) ?? id}{' '}
          <small>
            <a href={link(findingPagePath(id))}>{id}</a>
          </small>
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
