/** Tables of members and of answers. */

import { problemPagePath } from '../../operations/problem-details.js'
import { PROBLEM_TYPES, type ProblemCode } from '../../operations/problem-types.js'
import type { SchemaField } from '../../operations/schema-fields.js'
import { useLink } from '../site-context.js'
import { TextWithCode } from './text-with-code.js'

export function FieldList({ members }: { members: readonly SchemaField[] }) {
  return (
    <dl class="members">
      {members.map(({ name, type, isRequired, description }) => (
        <div>
          <dt>
            <code>{name}</code> <small>{type}</small>
            {!isRequired && <small> optional</small>}
          </dt>
          <dd>
            <TextWithCode text={description} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Each code once, however many faces it has. */
export function ResponseList({ codes }: { codes: readonly ProblemCode[] }) {
  const link = useLink()
  return (
    <ul>
      <li>
        <strong>200</strong>: the result
      </li>
      {[...new Set(codes)].map((code) => (
        <li>
          <strong>{PROBLEM_TYPES[code].status}</strong>{' '}
          <a href={link(problemPagePath(code))}>{code}</a>: {PROBLEM_TYPES[code].title}
        </li>
      ))}
    </ul>
  )
}
