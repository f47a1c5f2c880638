/** The DNS lookups of an SPF record as pictures: what they cost, and what they lead to. */
import type { BlockOf, TreeNode } from '@mailgrade/core'
import { RecordText } from '../parts/fact-list.js'
import { RichText } from '../parts/inline-text.js'

const CELL_WIDTH = 22
const CELL_GAP = 4
const CELL_HEIGHT = 14

export function LookupBudget({ used, limit, title, words }: BlockOf<'lookups'>) {
  const cells = Math.min(Math.max(used, limit), 2 * limit)
  const width = cells * (CELL_WIDTH + CELL_GAP) - CELL_GAP
  return (
    <figure class="budget">
      <svg
        viewBox={`0 0 ${width} ${CELL_HEIGHT}`}
        width={width}
        height={CELL_HEIGHT}
        role="img"
        aria-label={title}
      >
        {Array.from({ length: cells }, (_, cell) => (
          <rect
            class={cellClass(cell, used, limit)}
            x={cell * (CELL_WIDTH + CELL_GAP)}
            width={CELL_WIDTH}
            height={CELL_HEIGHT}
            rx="3"
          />
        ))}
      </svg>
      <figcaption>{words}</figcaption>
    </figure>
  )
}

function cellClass(cell: number, used: number, limit: number): string {
  if (cell >= used) return 'left'
  return cell < limit ? 'used' : 'over'
}

export function LookupTree({ tree }: { tree: TreeNode }) {
  return (
    <ul class="tree">
      <Branch node={{ ...tree, isMatched: false }} depth={0} />
    </ul>
  )
}

/** Branches above this depth start open. */
const OPEN_DEPTH = 2

function Branch({ node, depth }: { node: TreeNode; depth: number }) {
  const { term, cost, state, record, isMatched, match, children } = node
  const className = isMatched ? 'matched' : undefined
  const label = (
    <>
      <code>{term}</code>
      {cost && <span class="cost"> {cost}</span>}
      {state !== null && <span class="end"> {state}</span>}
      {match !== null && (
        <span class="match">
          {' '}
          <RichText text={match} />
        </span>
      )}
    </>
  )
  if (record === null && children.length === 0) return <li class={className}>{label}</li>
  return (
    <li class={className}>
      <details open={(depth < OPEN_DEPTH && children.length > 0) || isMatched}>
        <summary>{label}</summary>
        {record !== null && <RecordText>{record}</RecordText>}
        {children.length > 0 && (
          <ul>
            {children.map((child) => (
              <Branch node={child} depth={depth + 1} />
            ))}
          </ul>
        )}
      </details>
    </li>
  )
}
