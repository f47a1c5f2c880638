/** SPF: the records, the DNS lookups they cost, and the tree of includes. */
import {
  hasUncountedLookups,
  SPF_ALL_RESULTS,
  SPF_BRANCH_STATES,
  type SpfEvaluation,
  type SpfReport,
  spfLeaves,
} from '@mailgrade/core'
import type { FormValues } from '../../http/query-parameters.js'
import { FactList, RecordText } from '../parts/fact-list.js'
import { CheckSection } from './check-section.js'
import { SpfEvaluationView } from './spf-evaluation.js'

interface SpfSectionProps {
  readonly report: SpfReport
  /** The parameters of the page. */
  readonly values: FormValues
}

export function SpfSection({ report, values }: SpfSectionProps) {
  const { status, records, allResult, lookupCount, lookupLimit, voidLookupCount, senders } = report
  const question = { domain: report.domain, evaluation: report.evaluation, values }
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
          <div class="beside">
            <SpfTreeView
              tree={report.tree}
              terms={report.terms}
              matched={report.evaluation?.matched ?? null}
            />
            <SpfEvaluationView {...question} />
          </div>
          <FactList
            facts={[
              allResult && ['All other senders', SPF_ALL_RESULTS[allResult]],
              ['Empty (void) lookups', `${voidLookupCount} of ${report.voidLookupLimit}`],
              senders.length > 0
                ? ['Known senders', senders.map(({ name }) => name).join(', ')]
                : null,
            ]}
          />
        </>
      )}
      {records.length === 0 && report.evaluation && <SpfEvaluationView {...question} />}
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
        <strong>{used}</strong>
        {used > limit
          ? ` DNS lookups; the limit is ${limit}. Receivers give up and treat SPF as broken.`
          : ` of ${limit} DNS lookups`}
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

/** Branches above this depth start open. */
const OPEN_DEPTH = 2

type Match = SpfEvaluation['matched']

interface TreeProps extends Pick<SpfReport, 'tree' | 'terms'> {
  /** What decided the result for the sender that was asked about. */
  readonly matched: Match
}

function SpfTreeView({ tree, terms, matched }: TreeProps) {
  const [, ...path] = matched?.path ?? []
  return (
    <ul class="tree">
      <Branch
        tree={tree}
        depth={0}
        path={path}
        isMatch={matched !== null}
        leaves={spfLeaves(terms, matched)}
        matchedLeaf={path.length === 0 ? (matched?.term ?? null) : null}
        innerTerm={matched?.innerTerm ?? null}
      />
    </ul>
  )
}

interface BranchProps {
  readonly tree: Tree
  readonly depth: number
  /** The names below that lead to the match, if this branch does. */
  readonly path: readonly string[]
  readonly isMatch: boolean
  readonly leaves?: readonly Term[]
  readonly matchedLeaf?: string | null
  /** The term that matched, at the end of the path. */
  readonly innerTerm: string | null
}

function Branch({
  tree,
  depth,
  path,
  isMatch,
  leaves = [],
  matchedLeaf = null,
  innerTerm,
}: BranchProps) {
  const { domain, term, state, record, lookups, children } = tree
  const text = record !== null && depth > 0 && <code class="text">{record}</code>
  const isEnd = isMatch && path.length === 0 && depth > 0
  const label = (
    <>
      <code>{term ?? domain}</code>
      {/* The term itself costs a lookup as well. */}
      <Cost lookups={lookups + (term === null ? 0 : 1)} />
      {state !== 'record' && <span class="end"> {SPF_BRANCH_STATES[state]}</span>}
      {isEnd && <Matched term={innerTerm} />}
    </>
  )
  const hasMore = children.length + leaves.length > 0
  const marked = isMatch && depth > 0 ? 'matched' : undefined
  if (!text && !hasMore) return <li class={marked}>{label}</li>
  const next = isMatch ? children.findIndex((child) => child.domain === path[0]) : -1
  return (
    <li class={marked}>
      <details open={(depth < OPEN_DEPTH && hasMore) || isMatch}>
        <summary>{label}</summary>
        {text}
        {hasMore && (
          <ul>
            {leaves.map(({ term: leaf, lookups: cost }) => (
              <li class={leaf === matchedLeaf ? 'matched' : undefined}>
                <code>{leaf}</code>
                {cost > 0 && <Cost lookups={cost} />}
                {leaf === matchedLeaf && <Matched term={null} />}
              </li>
            ))}
            {children.map((child, index) => (
              <Branch
                tree={child}
                depth={depth + 1}
                path={path.slice(1)}
                isMatch={index === next}
                innerTerm={innerTerm}
              />
            ))}
          </ul>
        )}
      </details>
    </li>
  )
}

function Matched({ term }: { term: string | null }) {
  return (
    <span class="match">
      {' '}
      ◀ matches
      {term !== null && (
        <>
          {' '}
          <code>{term}</code>
        </>
      )}
    </span>
  )
}

function Cost({ lookups }: { lookups: number }) {
  return <span class="cost"> {lookups === 1 ? '1 lookup' : `${lookups} lookups`}</span>
}
