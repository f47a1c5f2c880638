import {
  type Block,
  describeCheck,
  describeDkim,
  describeDmarc,
  describeMx,
  describeSpf,
} from '@mailgrade/core'
import { createZoneDns } from '@mailgrade/doh/zone'
import {
  DOCUMENT_ZONES,
  documentSentences,
  withoutSpace,
} from '@mailgrade/testing/document-sentences'
import { describe, expect, test } from 'vitest'
import { createFinding } from '../../test/support/document-entries.js'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { checkDomain } from '../library.js'
import type { Layout } from '../terminal/layout.js'
import { documentText } from './document-text.js'

const PLAIN: Layout = { columns: 60, style: (_, text) => text }
const STYLED: Layout = { columns: 60, style: (name, text) => `<${name}>${text}</${name}>` }

function render(block: Block, layout = PLAIN): string {
  const document = { title: '', requested: null, status: null, result: '', findings: [] }
  const [, ...lines] = documentText({ ...document, blocks: [block] }, layout).split('\n\n')
  return lines.join('\n\n').slice(0, -1)
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

const VOCABULARY: readonly (readonly [Block, string])[] = [
  [{ kind: 'heading', text: 'What to fix', level: 2 }, '<bold>What to fix</bold>'],
  [
    { kind: 'paragraph', text: ['See ', { code: 's=' }, ' or ', { mark: 'Fail', tone: 'fail' }] },
    'See s= or <red>Fail</red>.',
  ],
  [
    { kind: 'verdict', status: 'warn', label: 'Partly', answer: 'Almost.', meaning: 'Some pass.' },
    '<yellow>!</yellow> <bold>Almost.</bold>\n  Some pass.',
  ],
  [
    { kind: 'list', items: [{ text: 'One' }, { text: 'Two', id: 'two' }] },
    '  - One\n  - Two (two)',
  ],
  [
    {
      kind: 'facts',
      facts: [
        { label: 'Key', value: 'good' },
        { label: 'To', value: '', list: ['a', 'b'] },
      ],
    },
    'Key  good\nTo   a, b',
  ],
  [
    { kind: 'facts', title: 'Mail', facts: [{ label: 'Key', value: 'good' }] },
    '<bold>Mail</bold>\n  Key  good',
  ],
  [{ kind: 'records', records: ['v=spf1', 'v=spf1 -all'] }, '  v=spf1\n  v=spf1 -all'],
  [
    { kind: 'publish', records: [RECORD] },
    '  Record (TXT at acme.test):\n    <cyan>v=spf1 -all</cyan>',
  ],
  [
    {
      kind: 'table',
      title: 'Servers',
      columns: ['1', '2', '3'],
      rows: [['10', [{ code: 'mx' }], 'none']],
    },
    '<bold>Servers</bold>\n  10 mx  none',
  ],
  [
    {
      kind: 'keys',
      keys: [{ name: 's1', size: '512 bit', text: 'RSA', problems: ['too short'], record: 'p=' }],
    },
    '<bold>s1</bold>: 512 bit\n  RSA\n  <red>too short</red>',
  ],
  [
    { kind: 'details', summary: '3 selectors tried', text: 'a b c' },
    '<dim>3 selectors tried.</dim>',
  ],
  [
    { kind: 'steps', title: 'First', steps: [{ title: 'Fix', text: 'Publish.', record: RECORD }] },
    '<bold>First</bold>\n\n  1. <bold>Fix</bold>\n     Publish.\n     Record (TXT at acme.test):\n       <cyan>v=spf1 -all</cyan>',
  ],
  [
    {
      kind: 'findings',
      first: 2,
      findings: [createFinding({ title: 'Bad', detail: 'Why', fix: 'Do', severity: 'low' })],
    },
    '  2. <bold>Bad</bold> (<yellow>low</yellow>)\n     Why\n     Do\n<dim>     dmarc.missing, RFC 9989 §4.10.1</dim>',
  ],
  [
    {
      kind: 'notes',
      title: 'Good to know',
      findings: [createFinding({ title: 'Note', id: 'mx.slow' })],
    },
    '<bold>Good to know</bold>\n  - Note (mx.slow)',
  ],
  [
    {
      kind: 'path',
      title: 'Path',
      stops: [
        { name: 'A', text: 'sends' },
        { name: 'SPF', text: 'fails', status: 'pass' },
        { name: 'End', text: 'gone' },
      ],
    },
    '<bold>Path</bold>\n  <dim>┌ </dim> A    sends\n  <dim>│ </dim> <green>SPF</green>  fails\n  <dim>└▶</dim> End  gone',
  ],
  [
    {
      kind: 'tiles',
      title: 'Yours',
      tiles: [{ id: 'mx', name: 'Mail', acronym: 'MX', status: 'unknown', text: 'none' }],
    },
    '<bold>Yours</bold>\n  <dim>? Unknown</dim>  Mail (MX): none',
  ],
  [
    {
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
    '<bold>Lookups</bold>  ■■■■■■■■■■✗✗  <red>too many</red>\n  acme.test\n  <dim>└─</dim> include:s.test  1 lookup  ◀ matches mx: no record\n     <dim>└─</dim> a  1 lookup',
  ],
  [
    {
      kind: 'points',
      title: 'Points',
      columns: [],
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
    '<bold>Points</bold>\n  MX     ■■■■■■□□□□  3 of 5\n         −2: gone',
  ],
]

test.each(VOCABULARY)('$kind', (block, expected) => {
  const styled = render(block, STYLED)
  // The style of this test has a width of its own, so only the plain text is aligned.
  expect(styled.replace(/<\/?\w+>/g, '').replace(/ +/g, ' ')).toBe(
    render(block).replace(/ +/g, ' '),
  )
  expect(styled.replace(/ +/g, ' ')).toBe(expected.replace(/ +/g, ' '))
})

test('the alignment of columns', () => {
  const [facts] = VOCABULARY.filter(([{ kind }]) => kind === 'facts')
  expect(render(facts?.[0] as Block)).toBe(facts?.[1])
})

test('records are never wrapped, and texts are', () => {
  const long = 'v=spf1 '.repeat(20)
  expect(render({ kind: 'records', records: [long] })).toBe(`  ${long}`)
  expect(render({ kind: 'paragraph', text: long }).split('\n').length).toBeGreaterThan(1)
})

describe.each(Object.entries(DOCUMENT_ZONES))('%s', (_, zone) => {
  test('every sentence of the document is in the terminal', async () => {
    const checked = await checkDomain('acme.test', { dns: createZoneDns('zone', zone) })
    if (checked.kind !== 'report') throw new Error('no report')
    const { report } = checked
    const { blocks, findings } = describeCheck(report)
    const commands = [
      ['check', [blocks, findings]],
      ['spf', describeSpf(report.spf).blocks],
      ['dkim', describeDkim(report.dkim).blocks],
      ['dmarc', describeDmarc(report.dmarc).blocks],
      ['mx', describeMx(report.mx).blocks],
    ] as const
    for (const [command, document] of commands) {
      const { stdout } = await runMailgrade([command, 'acme.test'], { zone })
      const sentences = documentSentences(document)
      expect(sentences.length).toBeGreaterThan(0)
      expect(sentences.filter((it) => !withoutSpace(stdout).includes(it))).toEqual([])
    }
  })
})
