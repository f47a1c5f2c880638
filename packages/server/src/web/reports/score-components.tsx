/** The parts of a score: points as a bar, and to what the others were lost. */

import { SCORE_COMPONENTS, type ScoreComponent, type ScoreReport } from '@mailgrade/core'
import { PATHS } from '../../operations/service-paths.js'
import { useLink } from '../site-context.js'

const WIDTH = 200

export function ScoreComponents({ components }: Pick<ScoreReport, 'components'>) {
  return (
    <table class="components">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Points</th>
          <th scope="col">Lost to</th>
        </tr>
      </thead>
      <tbody>
        {SCORE_COMPONENTS.map((name) => (
          <Row name={name.toUpperCase()} component={components[name]} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ name, component }: { name: string; component: ScoreComponent }) {
  const { points, max, deductions } = component
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <svg viewBox={`0 0 ${WIDTH} 10`} width={WIDTH} height="10" aria-hidden="true">
          <rect class="left" width={WIDTH} height="10" rx="3" />
          <rect class="used" width={(WIDTH * points) / max} height="10" rx="3" />
        </svg>{' '}
        {points} of {max}
      </td>
      <td>
        <Lost deductions={deductions} />
      </td>
    </tr>
  )
}

function Lost({ deductions }: Pick<ScoreComponent, 'deductions'>) {
  const link = useLink()
  if (deductions.length === 0) return <span class="none">nothing</span>
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
