/** SPF: the records, the DNS lookups they cost, and the tree of includes. */
import type { SpfReport } from '@mailgrade/core'
import { FactList, RecordText } from '../parts/fact-list.js'
import { CheckSection } from './check-section.js'

const ALL_RESULTS = {
  pass: 'pass: anyone may send (+all)',
  fail: 'fail (-all)',
  softfail: 'soft fail (~all)',
  neutral: 'neutral (?all, or no all)',
}

export function SpfSection({ report }: { report: SpfReport }) {
  const { status, records, allResult, lookupCount, lookupLimit, voidLookupCount, senders } = report
  return (
    <CheckSection
      id="spf"
      title="SPF: who may send"
      about="Sender Policy Framework: a DNS record that lists the servers allowed to send for the domain."
      status={status}
    >
      {records.length === 0 ? (
        <p>There is no SPF record.</p>
      ) : (
        records.map((it) => <RecordText>{it}</RecordText>)
      )}
      {records.length > 0 && (
        <>
          {records.length > 1 && <p>If they were merged into one record:</p>}
          <LookupBudget
            used={lookupCount}
            limit={lookupLimit}
            isMinimum={hasUncountedLookups(report.tree)}
          />
          <SpfTreeView tree={report.tree} terms={report.terms} />
          <FactList
            facts={[
              allResult && ['All other senders', ALL_RESULTS[allResult]],
              ['Empty (void) lookups', `${voidLookupCount} of ${report.voidLookupLimit}`],
              senders.length > 0
                ? ['Known senders', senders.map(({ name }) => name).join(', ')]
                : null,
            ]}
          />
        </>
      )}
    </CheckSection>
  )
}

const CELL_WIDTH = 22
const CELL_GAP = 4
const CELL_HEIGHT = 14

interface BudgetProps {
  readonly used: number
  readonly limit: number
  /** The record may cost more than was counted. */
  readonly isMinimum: boolean
}

/** The lookups a record uses, of the ten that receivers allow (RFC 7208 §4.6.4). */
function LookupBudget({ used, limit, isMinimum }: BudgetProps) {
  const prefix = isMinimum ? 'At least ' : ''
  const cells = Math.min(Math.max(used, limit), 2 * limit)
  const width = cells * (CELL_WIDTH + CELL_GAP) - CELL_GAP
  return (
    <figure class="budget">
      <svg
        viewBox={`0 0 ${width} ${CELL_HEIGHT}`}
        width={width}
        height={CELL_HEIGHT}
        role="img"
        aria-label={`${prefix}${used} of ${limit} lookups used`}
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
      <figcaption>
        {prefix}
        <strong>{used}</strong> of {limit} DNS lookups
        {used > limit && `: ${used - limit} too many. Receivers give up and treat SPF as broken.`}
      </figcaption>
    </figure>
  )
}

function cellClass(cell: number, used: number, limit: number): string {
  if (cell >= used) return 'left'
  return cell < limit ? 'used' : 'over'
}

type Tree = SpfReport['tree']
type Term = SpfReport['terms'][number]

/** Whether a part depends on the sender or was not looked up, so the count is a minimum. */
export function hasUncountedLookups({ state, children }: Tree): boolean {
  return state === 'dynamic' || state === 'unasked' || children.some(hasUncountedLookups)
}

/** Why a branch has no record to show. */
const BRANCH_STATES: Record<Exclude<Tree['state'], 'record'>, string> = {
  several: 'more than one record',
  none: 'no record',
  malformed: 'not a DNS name',
  unasked: 'not looked up',
  unavailable: 'We couldn’t reach DNS',
  dynamic: 'depends on the sender',
  loop: 'loops back to itself',
  repeated: 'shown above',
}

/** Branches above this depth start open. */
const OPEN_DEPTH = 2

function SpfTreeView({ tree, terms }: Pick<SpfReport, 'tree' | 'terms'>) {
  return (
    <ul class="tree">
      <Branch tree={tree} depth={0} leaves={terms.filter(isLeaf)} />
    </ul>
  )
}

/** Costs lookups but leads to no other record: `a`, `mx`, `ptr`, `exists`. */
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
      {/* The term itself costs a lookup as well. */}
      <Cost lookups={lookups + (term === null ? 0 : 1)} />
      {state !== 'record' && <span class="end"> {BRANCH_STATES[state]}</span>}
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
