/** The tree of SPF records, each with what it costs. */
import type { SpfReport } from '@mailgrade/core'

type Tree = SpfReport['tree']

/** Some of it depends on the sender, or was not looked up any more: it may cost more than was counted. */
export function hasUncountedLookups({ state, children }: Tree): boolean {
  return state === 'dynamic' || state === 'unasked' || children.some(hasUncountedLookups)
}

/** Where a branch ends without a record to read. */
const ENDS: Record<Exclude<Tree['state'], 'record'>, string> = {
  several: 'more than one record',
  none: 'no record',
  malformed: 'not a DNS name',
  unasked: 'not looked up any more',
  dynamic: 'depends on the sender',
  loop: 'leads back to itself',
  repeated: 'shown above',
}

/** How deep it stands open at first. */
const OPEN_DEPTH = 2

export function SpfTreeView({ tree, terms }: Pick<SpfReport, 'tree' | 'terms'>) {
  return (
    <ul class="tree">
      <Branch tree={tree} depth={0} leaves={terms.filter(isLeaf)} />
    </ul>
  )
}

type Term = SpfReport['terms'][number]

/** Costs lookups and leads to no other record: `a`, `mx`, `ptr`, `exists`. */
function isLeaf({ kind, lookups }: Term): boolean {
  return lookups > 0 && kind !== 'include' && kind !== 'redirect'
}

interface BranchProps {
  readonly tree: Tree
  readonly depth: number
  readonly leaves?: readonly Term[]
}

function Branch({ tree, depth, leaves = [] }: BranchProps) {
  const { domain, term, state, record, lookups, children } = tree
  const text = record !== null && depth > 0 && <code class="text">{record}</code>
  const label = (
    <>
      <code>{term ?? domain}</code>
      {/* The way here costs a lookup, too. */}
      <Cost lookups={lookups + (term === null ? 0 : 1)} />
      {state !== 'record' && <span class="end"> {ENDS[state]}</span>}
    </>
  )
  const hasMore = children.length + leaves.length > 0
  if (!text && !hasMore) return <li>{label}</li>
  return (
    <li>
      <details open={depth < OPEN_DEPTH && hasMore}>
        <summary>{label}</summary>
        {text}
        {hasMore && (
          <ul>
            {leaves.map(({ term: leaf, lookups: cost }) => (
              <li>
                <code>{leaf}</code>
                <Cost lookups={cost} />
              </li>
            ))}
            {children.map((child) => (
              <Branch tree={child} depth={depth + 1} />
            ))}
          </ul>
        )}
      </details>
    </li>
  )
}

function Cost({ lookups }: { lookups: number }) {
  return <span class="cost"> {lookups === 1 ? '1 lookup' : `${lookups} lookups`}</span>
}
