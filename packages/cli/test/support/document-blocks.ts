/** What each renderer is tried with: a block of every kind, and the documents of a domain. */
import {
  type Block,
  describeCheck,
  describeDkim,
  describeDmarc,
  describeMx,
  describeScore,
  describeSpf,
  type Finding,
} from '@mailgrade/core'
import { createZoneDns } from '@mailgrade/doh/zone'
import { checkDomain, scoreDomain } from '../../src/library.js'

const FINDING: Finding = {
  id: 'mx.slow',
  severity: 'low',
  title: 'Bad',
  detail: 'Why',
  fix: 'Do',
  evidence: [],
  reference: 'RFC 9989 §4.10.1',
}
const RECORD = { type: 'TXT', name: 'acme.test', value: 'v=spf1 -all' } as const
const LEAF = {
  term: 'a',
  cost: '1 lookup',
  state: null,
  record: null,
  isMatched: false,
  match: null,
}
const BRANCH = {
  ...LEAF,
  term: 'include:s.test',
  state: 'no record',
  match: ['◀ matches ', { code: 'mx' }],
}

export const BLOCKS: Readonly<Record<Block['kind'] | 'titledFacts', Block>> = {
  heading: { kind: 'heading', text: 'What to fix', level: 2 },
  paragraph: {
    kind: 'paragraph',
    text: ['See ', { code: 's=' }, ' or ', { mark: 'Fail', tone: 'fail' }],
  },
  verdict: {
    kind: 'verdict',
    status: 'warn',
    label: 'Partly',
    answer: 'Almost.',
    meaning: 'Some pass.',
  },
  list: {
    kind: 'list',
    items: [{ text: 'One' }, { text: 'Two', id: 'two', reference: 'RFC 7208 §4.6.4' }],
  },
  facts: {
    kind: 'facts',
    facts: [
      { label: 'Key', value: 'good' },
      { label: 'To', value: '', list: ['a', 'b'] },
    ],
  },
  titledFacts: { kind: 'facts', title: 'Mail', facts: [{ label: 'Ready?', value: 'yes' }] },
  records: { kind: 'records', records: ['v=spf1', 'v=spf1 -all'] },
  publish: { kind: 'publish', records: [RECORD] },
  table: {
    kind: 'table',
    title: 'Servers',
    columns: ['1', '2', '3'],
    rows: [['10', [{ code: 'mx' }], 'none']],
  },
  keys: {
    kind: 'keys',
    keys: [{ name: 's1', size: '512 bits', text: 'RSA', problems: ['too short'], record: 'p=' }],
  },
  details: { kind: 'details', summary: '3 selectors tried', text: 'a b c' },
  steps: {
    kind: 'steps',
    title: 'First',
    steps: [{ title: 'Fix', text: 'Publish.', record: RECORD }],
  },
  findings: {
    kind: 'findings',
    first: 2,
    findings: [FINDING],
  },
  notes: {
    kind: 'notes',
    title: 'Good to know',
    findings: [FINDING],
  },
  path: {
    kind: 'path',
    title: 'Path',
    stops: [
      { name: 'A', text: 'sends' },
      { name: 'SPF', text: 'fails', status: 'pass' },
      { name: 'End', text: 'gone' },
    ],
  },
  tiles: {
    kind: 'tiles',
    title: 'Yours',
    tiles: [{ id: 'mx', name: 'Mail', acronym: 'MX', status: 'unknown', text: 'none' }],
  },
  lookups: {
    kind: 'lookups',
    title: 'Lookups',
    used: 12,
    limit: 10,
    words: 'too many',
    tree: {
      ...LEAF,
      term: 'acme.test',
      cost: '',
      children: [{ ...BRANCH, children: [{ ...LEAF, children: [] }] }],
    },
  },
  points: {
    kind: 'points',
    title: 'Points',
    columns: ['Part', 'Points', 'Deductions'],
    rows: [
      {
        name: 'MX',
        points: 3,
        max: 5,
        words: '3 of 5',
        losses: [{ id: 'mx.x', text: '−2: gone' }],
      },
    ],
  },
}

/** By command. As a part of the check, a mechanism may have other findings than alone. */
export async function documentsOf(zone: string): Promise<[string, readonly Block[]][]> {
  const dns = createZoneDns('zone', zone)
  const checked = await checkDomain('acme.test', { dns })
  const scored = await scoreDomain('acme.test', { dns })
  if (checked.kind !== 'report' || scored.kind !== 'report') throw new Error('no report')
  const { report } = checked
  const { blocks, findings } = describeCheck(report)
  return [
    ['check', [...blocks, ...findings]],
    ['score', describeScore(scored.report).blocks],
    ['spf', describeSpf(report.spf).blocks],
    ['dkim', describeDkim(report.dkim).blocks],
    ['dmarc', describeDmarc(report.dmarc).blocks],
    ['mx', describeMx(report.mx).blocks],
  ]
}
