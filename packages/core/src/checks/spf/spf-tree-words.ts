/** The tree of an SPF record in words: what to show of it, and what each part means. */
import type { SpfEvaluation, SpfReport, Tree } from './spf-report.js'

type Term = SpfReport['terms'][number]
type Match = SpfEvaluation['matched']

/** What happens to all other senders. */
export const SPF_ALL_RESULTS = {
  pass: 'pass: anyone may send (+all)',
  fail: 'fail (-all)',
  softfail: 'soft fail (~all)',
  neutral: 'neutral (?all, or no all)',
} as const satisfies Record<NonNullable<SpfReport['allResult']>, string>

/** Why a branch has no record to show. */
export const SPF_BRANCH_STATES: Readonly<Record<Exclude<Tree['state'], 'record'>, string>> = {
  several: 'more than one record',
  none: 'no record',
  malformed: 'not a DNS name',
  unasked: 'not looked up',
  unavailable: 'we couldn’t reach DNS',
  dynamic: 'depends on the sender',
  loop: 'loops back to itself',
  repeated: 'shown above',
}

const UNCOUNTED: ReadonlySet<Tree['state']> = new Set(['dynamic', 'unasked', 'unavailable'])

/** Whether a part depends on the sender or was not looked up, so the count is a minimum. */
export function hasUncountedLookups({ state, children }: Tree): boolean {
  return UNCOUNTED.has(state) || children.some(hasUncountedLookups)
}

/** The terms of the domain's own record to show beside its branches. */
export function spfLeaves(terms: readonly Term[], matched: Match): Term[] {
  return terms.filter((term) => isLeaf(term) || isMatchedTerm(term, matched))
}

/** Costs lookups but leads to no other record: `a`, `mx`, `ptr`, `exists`. */
function isLeaf({ kind, lookups }: Term): boolean {
  return lookups > 0 && kind !== 'include' && kind !== 'redirect'
}

/** The deciding term of the domain's own record, even if it costs no lookup. */
function isMatchedTerm({ term, kind }: Term, matched: Match): boolean {
  const isBranch = kind === 'include' || kind === 'redirect'
  return !isBranch && matched?.path.length === 1 && matched.term === term
}
