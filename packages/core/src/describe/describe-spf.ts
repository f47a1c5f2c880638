/** SPF in words: the records, the lookups they cost, and whether mail from one server passes. */
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from '../checks/spf/spf-limits.js'
import type { SpfEvaluation, SpfReport, Tree } from '../checks/spf/spf-report.js'
import { hasUncountedLookups } from '../reports/check/mechanism-words.js'
import {
  type Block,
  type BlockOf,
  code,
  fact,
  factsBlock,
  type MechanismDocument,
  mechanismDocument,
  paragraph,
  type Text,
  type TreeNode,
} from './document.js'

export interface SpfDocument extends MechanismDocument {
  /** Null if no one asked about a sender. */
  readonly evaluation: BlockOf<'facts'> | null
  readonly records: readonly Block[]
  /** Null without a record. */
  readonly lookups: BlockOf<'lookups'> | null
  readonly facts: readonly Block[]
}

export function describeSpf(report: SpfReport): SpfDocument {
  const { status, records } = report
  const evaluation = report.evaluation ? describeEvaluation(report.evaluation) : null
  const lookups = records.length === 0 ? null : describeLookups(report)
  const published: Block[] = [
    records.length === 0 ? paragraph('There’s no SPF record.') : { kind: 'records', records },
    ...(records.length > 1 ? [paragraph('If they were merged into one record:')] : []),
  ]
  const facts = records.length === 0 ? [] : [describeFacts(report)]
  const parts = [evaluation ?? [], published, lookups ?? [], facts].flat()
  const document = mechanismDocument(report, {
    id: 'spf',
    status,
    heading: 'SPF: who may send',
    about:
      'Sender Policy Framework: a DNS record that lists the servers allowed to send for the domain.',
    blocks: parts,
  })
  return { ...document, evaluation, records: published, lookups, facts }
}

const ALL_RESULTS = {
  pass: 'pass: anyone may send (+all)',
  fail: 'fail (-all)',
  softfail: 'soft fail (~all)',
  neutral: 'neutral (?all, or no all)',
} as const satisfies Record<NonNullable<SpfReport['allResult']>, string>

function describeFacts(report: SpfReport): BlockOf<'facts'> {
  const { allResult, voidLookupCount, voidLookupLimit, senders } = report
  return factsBlock([
    allResult && fact('All other senders', ALL_RESULTS[allResult]),
    fact('Empty (void) lookups', `${voidLookupCount} of ${voidLookupLimit}`),
    senders.length > 0 ? fact('Known senders', senders.map(({ name }) => name).join(', ')) : null,
  ])
}

const RESULTS = {
  pass: ['pass', 'Pass', 'This server is allowed to send for the domain.'],
  fail: ['fail', 'Fail', 'This server isn’t allowed to send for the domain.'],
  softfail: ['warn', 'Soft fail', 'This server probably isn’t allowed to send for the domain.'],
  neutral: ['warn', 'Neutral', 'The record neither allows nor forbids this server.'],
  none: ['warn', 'None', 'The domain has no SPF record.'],
  temperror: [
    'info',
    'Temporary error',
    'We couldn’t reach DNS for part of the record. Receivers may turn the mail away for now, and the sending server will try again.',
  ],
  permerror: [
    'fail',
    'Permanent error',
    'The record is broken for this server, so its mail doesn’t pass.',
  ],
} as const satisfies Record<SpfEvaluation['result'], readonly [string, string, string]>

function describeEvaluation(evaluation: SpfEvaluation): BlockOf<'facts'> {
  const { ip, sender, result, explanation } = evaluation
  const [tone, word, meaning] = RESULTS[result]
  return factsBlock(
    [
      fact('Result', [{ mark: word, tone }, ` ${meaning}`]),
      fact('Decided by', describeDecision(evaluation)),
      fact('Sender', [code(sender)]),
      fact('Cost', describeCost(evaluation)),
      explanation === null ? null : fact('The domain’s explanation', `“${explanation}”`),
    ],
    `Mail from ${ip}`,
  )
}

function describeDecision({ result, matched, lookups, voidLookups }: SpfEvaluation): Text {
  if (matched) {
    const { term, record, path, innerTerm } = matched
    const inner =
      path.length > 1 ? [', where ', code(innerTerm), ` in ${path.at(-1)}’s record matches`] : []
    return [code(term), ` in ${record}’s record`, ...inner, '.']
  }
  if (result === 'permerror' && lookups > LOOKUP_LIMIT) {
    return 'Receivers stop at the 11th DNS lookup, because only 10 are allowed.'
  }
  if (result === 'permerror' && voidLookups > VOID_LOOKUP_LIMIT) {
    return 'Receivers stop at the third empty (void) lookup, because only 2 are allowed.'
  }
  return result === 'neutral' ? 'No term matches this server.' : 'No term decides the result.'
}

function describeCost({ lookups, voidLookups }: SpfEvaluation): string {
  const count = (used: number, limit: number, what: string) =>
    used > limit ? `more than ${limit} ${what}` : `${used} of ${limit} ${what}`
  return `${count(lookups, LOOKUP_LIMIT, 'DNS lookups')}, ${count(voidLookups, VOID_LOOKUP_LIMIT, 'empty (void) lookups')}`
}

/** The lookups a record uses, of the ten that receivers allow (RFC 7208 §4.6.4). */
function describeLookups(report: SpfReport): BlockOf<'lookups'> {
  const { tree, terms, lookupCount: used, lookupLimit: limit } = report
  const matched = report.evaluation?.matched ?? null
  const prefix = hasUncountedLookups(tree) ? 'At least ' : ''
  const words =
    used > limit
      ? `${used} DNS lookups; the limit is ${limit}. Receivers give up and treat SPF as broken.`
      : `${used} of ${limit} DNS lookups`
  const root = toNode(tree, matched?.path.slice(1) ?? null, matched?.innerTerm ?? null)
  return {
    kind: 'lookups',
    title: 'SPF lookups',
    used,
    limit,
    words: prefix + words,
    tree: {
      ...root,
      record: null,
      match: null,
      children: [...toLeaves(terms, matched), ...root.children],
    },
  }
}

const BRANCH_STATES: Readonly<Record<Tree['state'], string | null>> = {
  record: null,
  several: 'more than one record',
  none: 'no record',
  malformed: 'not a DNS name',
  unasked: 'not looked up',
  unavailable: 'we couldn’t reach DNS',
  dynamic: 'depends on the sender',
  loop: 'loops back to itself',
  repeated: 'shown above',
}

/** `path` has the names below that lead to the match, if this branch does. */
function toNode(
  { domain, term, state, record, lookups, children }: Tree,
  path: readonly string[] | null,
  innerTerm: string | null,
): TreeNode {
  const [next, ...rest] = path ?? []
  const onPath = children.findIndex((child) => child.domain === next)
  return {
    term: term ?? domain,
    // The term itself costs a lookup as well.
    cost: costText(lookups + (term === null ? 0 : 1)),
    state: BRANCH_STATES[state],
    record,
    isMatched: path !== null,
    match: path?.length === 0 ? matchText(innerTerm) : null,
    children: children.map((child, index) =>
      toNode(child, index === onPath ? rest : null, innerTerm),
    ),
  }
}

type Term = SpfReport['terms'][number]

/**
 * The terms of the domain's own record to show beside its branches: those that cost lookups but lead
 * to no other record (`a`, `mx`, `ptr`, `exists`), and the one that decided.
 */
function toLeaves(terms: readonly Term[], matched: SpfEvaluation['matched']): TreeNode[] {
  return terms
    .filter(({ kind }) => kind !== 'include' && kind !== 'redirect')
    .map((term) => ({
      ...term,
      isMatched: matched?.path.length === 1 && matched.term === term.term,
    }))
    .filter(({ lookups, isMatched }) => lookups > 0 || isMatched)
    .map(({ term, lookups, isMatched }) => ({
      term,
      cost: costText(lookups),
      state: null,
      record: null,
      isMatched,
      match: isMatched ? matchText(null) : null,
      children: [],
    }))
}

function matchText(term: string | null): Text {
  return term === null ? '◀ matches' : ['◀ matches ', code(term)]
}

function costText(lookups: number): string {
  if (lookups === 0) return ''
  return lookups === 1 ? '1 lookup' : `${lookups} lookups`
}
