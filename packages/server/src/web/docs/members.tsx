/** Tables of members and of answers. */

import type { Member } from '../../operations/members.js'
import { problemPath } from '../../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../../operations/problems.js'
import { useLink } from '../site.js'
import { Words } from './words.js'

export function Members({ members }: { members: readonly Member[] }) {
  return (
    <dl class="members">
      {members.map(({ name, kind, isRequired, description }) => (
        <div>
          <dt>
            <code>{name}</code> <small>{kind}</small>
            {!isRequired && <small> optional</small>}
          </dt>
          <dd>
            <Words text={description} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Each code once, however many faces it has. */
export function Endings({ codes }: { codes: readonly ProblemCode[] }) {
  const link = useLink()
  return (
    <ul>
      <li>
        <strong>200</strong>: the result
      </li>
      {[...new Set(codes)].map((code) => (
        <li>
          <strong>{PROBLEMS[code].status}</strong> <a href={link(problemPath(code))}>{code}</a>:{' '}
          {PROBLEMS[code].title}
        </li>
      ))}
    </ul>
  )
}
