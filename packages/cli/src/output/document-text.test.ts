import type { Block } from '@mailgrade/core'
import {
  DOCUMENT_ZONES,
  documentSentences,
  withoutSpace,
} from '@mailgrade/testing/document-sentences'
import { describe, expect, test } from 'vitest'
import { BLOCKS, documentsOf } from '../../test/support/document-blocks.js'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import type { Layout } from '../terminal/layout.js'
import { documentText } from './document-text.js'

const PLAIN: Layout = { columns: 60, style: (_, text) => text }
const STYLED: Layout = { columns: 60, style: (name, text) => `<${name}>${text}</${name}>` }

function render(block: Block, layout = PLAIN): string {
  const document = { title: '', requested: null, status: null, result: '', findings: [] }
  const [, ...lines] = documentText({ ...document, blocks: [block] }, layout).split('\n\n')
  return lines.join('\n\n').slice(0, -1)
}

const EXPECTED: Record<keyof typeof BLOCKS, string> = {
  heading: '<bold>What to fix</bold>',
  paragraph: 'See s= or <red>Fail</red>.',
  verdict: '<yellow>!</yellow> <bold>Almost.</bold>\n  Some pass.',
  list: '  - One\n  - Two (two)',
  facts: 'Key  good\nTo   a, b',
  titledFacts: '<bold>Mail</bold>\n  Ready?  yes',
  records: '  v=spf1\n  v=spf1 -all',
  publish: '  Record (TXT at acme.test):\n    <cyan>v=spf1 -all</cyan>',
  table: '<bold>Servers</bold>\n  10 mx  none',
  keys: '<bold>s1</bold>: 512 bits\n  RSA\n  <red>too short</red>',
  details: '<dim>3 selectors tried.</dim>',
  steps:
    '<bold>First</bold>\n\n  1. <bold>Fix</bold>\n     Publish.\n     Record (TXT at acme.test):\n       <cyan>v=spf1 -all</cyan>',
  findings:
    '  2. <bold>Bad</bold> (<yellow>low</yellow>)\n     Why\n     Do\n<dim>     mx.slow, RFC 9989 §4.10.1</dim>',
  notes: '<bold>Good to know</bold>\n  - Bad (mx.slow)',
  path: '<bold>Path</bold>\n  <dim>┌ </dim> A    sends\n  <dim>│ </dim> <green>SPF</green>  fails\n  <dim>└▶</dim> End  gone',
  tiles: '<bold>Yours</bold>\n  <dim>? Unknown</dim>  Mail (MX): none',
  lookups:
    '<bold>Lookups</bold>  ■■■■■■■■■■✗✗  <red>too many</red>\n  acme.test\n  <dim>└─</dim> include:s.test  1 lookup  ◀ matches mx: no record\n     <dim>└─</dim> a  1 lookup',
  points: '<bold>Points</bold>\n  MX     ■■■■■■□□□□  3 of 5\n         −2: gone',
}

test.each(Object.entries(BLOCKS))('%s', (name, block) => {
  const expected = EXPECTED[name as keyof typeof BLOCKS]
  const styled = render(block, STYLED)
  // The style of this test has a width of its own, so only the plain text is aligned.
  expect(styled.replace(/<\/?\w+>/g, '').replace(/ +/g, ' ')).toBe(
    render(block).replace(/ +/g, ' '),
  )
  expect(styled.replace(/ +/g, ' ')).toBe(expected.replace(/ +/g, ' '))
})

test('the alignment of columns', () => {
  expect(render(BLOCKS.facts)).toBe(EXPECTED.facts)
})

test('records are never wrapped, and texts are', () => {
  const long = 'v=spf1 '.repeat(20)
  expect(render({ kind: 'records', records: [long] })).toBe(`  ${long}`)
  expect(render({ kind: 'paragraph', text: long }).split('\n').length).toBeGreaterThan(1)
})

describe.each(Object.entries(DOCUMENT_ZONES))('%s', (_, zone) => {
  test('every sentence of the document is in the terminal', async () => {
    for (const [command, document] of await documentsOf(zone)) {
      const { stdout } = await runMailgrade([command, 'acme.test'], { zone })
      const sentences = documentSentences(document)
      expect(sentences.length).toBeGreaterThan(0)
      expect(sentences.filter((it) => !withoutSpace(stdout).includes(it))).toEqual([])
    }
  })
})
