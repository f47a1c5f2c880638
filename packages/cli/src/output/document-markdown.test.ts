import {
  DOCUMENT_ZONES,
  documentSentences,
  withoutSpace,
} from '@mailgrade/testing/document-sentences'
import { describe, expect, test } from 'vitest'
import { BLOCKS, documentsOf } from '../../test/support/document-blocks.js'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { documentMarkdown } from './document-markdown.js'

const DOCUMENT = { title: 'acme.test', requested: null, status: 'fail', result: 'Bad' } as const

const RECORD = 'Record (TXT at `acme.test`):\n\n```text\nv=spf1 -all\n```'

const EXPECTED: Record<keyof typeof BLOCKS, string> = {
  heading: '### What to fix',
  paragraph: 'See `s=` or **Fail**.',
  verdict: '**! Partly.** Almost. Some pass.',
  list: '- One\n- Two (`two`, [RFC 7208 §4.6.4](https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4))',
  facts: '- **Key:** good\n- **To:** a, b',
  titledFacts: '### Mail\n\n- **Ready?** yes',
  records: '```text\nv=spf1\n```\n\n```text\nv=spf1 -all\n```',
  publish: RECORD,
  table: '### Servers\n\n| 1 | 2 | 3 |\n| --- | --- | --- |\n| 10 | mx | none |',
  keys: '- **s1:** 512 bits, RSA\n  - too short',
  details: '3 selectors tried.',
  steps: `### First\n\n#### 1. Fix\n\nPublish.\n\n${RECORD}`,
  findings:
    '#### Bad (low)\n\nWhy\n\n**What to do.** Do\n\n`mx.slow`, [RFC 9989 §4.10.1](https://www.rfc-editor.org/rfc/rfc9989#section-4.10.1)',
  notes: '**Good to know**\n\n- `mx.slow`: Bad',
  path: '### Path\n\n1. **A** sends\n2. **SPF** fails\n3. **End** gone',
  tiles: '### Yours\n\n- **? Unknown** Mail (MX): none',
  lookups:
    '### Lookups\n\ntoo many\n\n```text\nacme.test\n└─ include:s.test  1 lookup  ◀ matches mx: no record\n   └─ a  1 lookup\n```',
  points:
    '### Points\n\n| Part | Points | Deductions |\n| --- | --- | --- |\n| MX | 3 of 5 | −2: gone |',
}

test.each(Object.entries(BLOCKS))('%s', (name, block) => {
  const pieces = documentMarkdown({ ...DOCUMENT, blocks: [], findings: [block] })
  expect(pieces.slice(2).join('')).toBe(`\n${EXPECTED[name as keyof typeof BLOCKS]}\n`)
})

describe('the order', () => {
  const blocks = [BLOCKS.path, BLOCKS.verdict]
  const findings = [BLOCKS.findings]
  const titles = (pieces: readonly string[]) => pieces.map((piece) => piece.trim().split('\n')[0])

  test('is the answer, what to fix, then why', () => {
    const pieces = documentMarkdown({ ...DOCUMENT, requested: 'ACME.test', blocks, findings })
    expect(titles(pieces)).toEqual([
      '## acme.test (you asked for ACME.test)',
      '**! Partly.** Almost. Some pass.',
      '#### Bad (low)',
      '### Path',
    ])
  })

  test('has the result for an answer, and the heading of a mechanism before its records', () => {
    const report = { ...DOCUMENT, blocks: [BLOCKS.details], findings, heading: 'MX: mail' }
    expect(titles(documentMarkdown(report))).toEqual([
      '## acme.test',
      '**Bad**',
      '#### Bad (low)',
      '### MX: mail',
      '3 selectors tried.',
    ])
  })
})

/** As GitHub shows it. */
function readMarkdown(markdown: string): string {
  const text = markdown.replaceAll('&#8203;', '').replace(/\\(?=[!-/:-@[-`{-~])/g, '')
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

describe.each(Object.entries(DOCUMENT_ZONES))('%s', (_, zone) => {
  test('every sentence of the document is in the Markdown', async () => {
    for (const [command, document] of await documentsOf(zone)) {
      const line = [command, 'acme.test', '--format', 'markdown']
      const shown = withoutSpace(readMarkdown((await runMailgrade(line, { zone })).stdout))
      const sentences = documentSentences(document)
      expect(sentences.length).toBeGreaterThan(0)
      expect(sentences.filter((it) => !shown.includes(it))).toEqual([])
    }
  })

  test('the score has all findings, which the terminal leaves out', async () => {
    const ids = async (format: string) => {
      const line = ['score', 'acme.test', '--format', format]
      const { stdout } = await runMailgrade(line, { zone })
      return [...new Set(stdout.match(/\b(?:spf|dkim|dmarc|mx)\.[a-z-]{4,}\b/g))]
    }
    const { findings } = JSON.parse(
      (await runMailgrade(['score', 'acme.test', '--format', 'json'], { zone })).stdout,
    )
    expect(findings.length).toBeGreaterThan(0)
    expect(await ids('markdown')).toEqual(
      expect.arrayContaining(findings.map(({ id }: { id: string }) => id)),
    )
    expect(await ids('text')).toEqual([])
  })
})
