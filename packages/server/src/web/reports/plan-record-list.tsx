/** Records of a plan, to be ticked off. */

import type { PlanRecord } from '@mailgrade/core'
import { LOOKUP_LIMIT } from '@mailgrade/core'
import { RecordFields } from '../parts/record-fields.js'

const ACTIONS = {
  create: 'Create',
  replace: 'Replace',
  delete: 'Delete',
  keep: 'Keep',
} as const

export function PlanRecordList({ records }: { records: readonly PlanRecord[] }) {
  return (
    <ol class="checklist">
      {records.map((record) => (
        <li>
          <Item record={record} />
        </li>
      ))}
    </ol>
  )
}

function Item({ record }: { record: PlanRecord }) {
  const { order, action, type, name, replaces, why, placeholders, lookupCount } = record
  const title = (
    <>
      {ACTIONS[action]} {type} <code>{name}</code>
    </>
  )
  return (
    <>
      {action === 'keep' ? (
        <strong>{title}</strong>
      ) : (
        <label class="tick">
          <input type="checkbox" name={`record-${order}`} /> {title}
        </label>
      )}
      <p>{why}</p>
      <RecordFields {...record} />
      {lookupCount !== undefined && (
        <p>
          {lookupCount} of {LOOKUP_LIMIT} DNS lookups.
        </p>
      )}
      {replaces.length > 0 && <Replaces values={replaces} />}
      {placeholders.length > 0 && (
        <ul>
          {placeholders.map(({ token, whereToFind }) => (
            <li>
              <code>{token}</code>: {whereToFind}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Replaces({ values }: { values: readonly string[] }) {
  return (
    <details>
      <summary>What this replaces</summary>
      {values.map((value) => (
        <code class="text">{value}</code>
      ))}
    </details>
  )
}
