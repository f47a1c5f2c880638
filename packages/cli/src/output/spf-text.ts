/** SPF for a terminal: the lookups it costs, the tree of includes, the result for a sender. */
import {
  describeSpfEnd,
  describeSpfLookups,
  hasUncountedLookups,
  SPF_ALL_RESULTS,
  SPF_BRANCH_STATES,
  SPF_RESULT_WORDS,
  type SpfEvaluation,
  type SpfReport,
  spfLeaves,
} from '@mailgrade/core'
import { describeList, joinBlocks, type Layout } from '../terminal/layout.js'
import { issueBlocks } from './findings-text.js'
import { recordLines, reportHeading, STATUS_STYLES } from './status-text.js'

export function spfText(report: SpfReport, layout: Layout): string {
  const { records, issues, evaluation } = report
  return joinBlocks([
    reportHeading('SPF of ', report, layout),
    evaluation ? evaluationText(evaluation, layout) : null,
    records.length === 0 ? 'There is no SPF record.' : recordLines(records),
    spfTreeText(report, layout),
    spfFacts(report, layout),
    ...issueBlocks(issues, layout),
  ])
}

function evaluationText(evaluation: SpfEvaluation, { columns, style }: Layout): string {
  const { ip, sender, result, matched, explanation } = evaluation
  const { tone, word, meaning } = SPF_RESULT_WORDS[result]
  const inner = matched && matched.path.length > 1 ? ` (${matched.innerTerm})` : ''
  const facts: [string, string][] = [
    ['Result', `${style(STATUS_STYLES[tone === 'info' ? 'unknown' : tone], word)}. ${meaning}`],
    ['Sender', sender],
    [
      'Decided by',
      matched
        ? `${matched.term} in ${matched.path.join(' → ')}${inner}`
        : describeSpfEnd(evaluation),
    ],
    ['Cost', describeSpfLookups(evaluation)],
  ]
  if (explanation) facts.push(['The domain says', explanation])
  return `${style('bold', `Mail from ${ip}`)}\n${describeList(facts, columns)}`
}

function spfFacts(report: SpfReport, { columns }: Layout): string | null {
  const { records, allResult, voidLookupCount, voidLookupLimit, senders } = report
  if (records.length === 0) return null
  const facts: [string, string][] = [
    ['Empty (void) lookups', `${voidLookupCount} of ${voidLookupLimit}`],
  ]
  if (allResult) facts.unshift(['All other senders', SPF_ALL_RESULTS[allResult]])
  if (senders.length > 0) facts.push(['Known senders', senders.map(({ name }) => name).join(', ')])
  return describeList(facts, columns, '')
}

/** The tree with its budget; null without a record. */
export function spfTreeText(report: SpfReport, { style }: Layout): string | null {
  const { records, tree, terms, lookupCount, lookupLimit, evaluation } = report
  if (records.length === 0) return null
  const isMinimum = hasUncountedLookups(tree)
  const text = `${isMinimum ? 'At least ' : ''}${lookupCount} of ${lookupLimit} lookups`
  const heading = `${style('bold', 'SPF lookups')}  ${budgetBar(lookupCount, lookupLimit)}  ${
    lookupCount > lookupLimit ? style('red', `${text}: receivers give up`) : text
  }`
  const matched = evaluation?.matched ?? null
  const leaves = spfLeaves(terms, matched).map(({ term, lookups }) => ({
    label: `${term}${costText(lookups)}${matched?.term === term ? '  ◀ matches' : ''}`,
    children: [],
  }))
  const root = toNode(tree)
  const lines = [
    `  ${root.label}`,
    ...branchLines([...leaves, ...root.children], '  ', (text) => style('dim', text)),
  ]
  return [heading, ...lines].join('\n')
}

/** One cell a lookup; those above the limit look different even without color. */
function budgetBar(used: number, limit: number): string {
  const over = Math.min(Math.max(used - limit, 0), limit)
  const inside = Math.min(used, limit)
  return `${'■'.repeat(inside)}${'□'.repeat(limit - inside)}${'✗'.repeat(over)}`
}

interface TreeNode {
  readonly label: string
  readonly children: readonly TreeNode[]
}

function toNode({ domain, term, state, lookups, children }: SpfReport['tree']): TreeNode {
  const note = state === 'record' ? '' : `: ${SPF_BRANCH_STATES[state]}`
  // The term itself costs a lookup as well.
  const cost = costText(lookups + (term === null ? 0 : 1))
  return { label: `${term ?? domain}${cost}${note}`, children: children.map(toNode) }
}

function costText(lookups: number): string {
  if (lookups === 0) return ''
  return lookups === 1 ? '  1 lookup' : `  ${lookups} lookups`
}

function branchLines(
  nodes: readonly TreeNode[],
  indent: string,
  dim: (text: string) => string,
): string[] {
  return nodes.flatMap(({ label, children }, index) => {
    const isLast = index === nodes.length - 1
    const line = `${indent}${dim(isLast ? '└─' : '├─')} ${label}`
    const below = `${indent}${isLast ? '  ' : dim('│ ')} `
    return [line, ...branchLines(children, below, dim)]
  })
}
