/** A block of every kind in a document, to try each renderer with. */

const FINDING = {
  id: 'mx.slow',
  severity: 'low',
  title: 'Bad',
  detail: 'Why',
  fix: 'Do',
  evidence: [] as never[],
  reference: 'RFC 9989 §4.10.1',
} as const
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
  isMatched: true,
  match: ['◀ matches ', { code: 'mx' }],
}

export const DOCUMENT_BLOCKS = {
  heading: { kind: 'heading', text: 'What to fix', level: 2, id: 'fixes' },
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
} as const
