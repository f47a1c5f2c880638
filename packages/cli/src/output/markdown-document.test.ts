import { describe, expect, test } from 'vitest'
import {
  createEntry,
  createFinding,
  UNAVAILABLE_ENTRY,
} from '../../test/support/document-entries.js'
import { markdownDocument } from './markdown-document.js'

test('a table of all domains comes first', () => {
  const findings = [createFinding(), createFinding({ severity: 'low' }), createFinding()]
  const markdown = markdownDocument([createEntry({ findings }), UNAVAILABLE_ENTRY])
  expect(markdown.split('\n').slice(0, 6)).toEqual([
    '## Mailgrade',
    '',
    '| Domain | Verdict | To fix |',
    '| --- | --- | --- |',
    '| acme.test | ✕ Exposed | 2 high, 1 low |',
    '| slow.test | ? Unknown | not checked |',
  ])
})

test('a domain has its verdict, what to fix and what to know', () => {
  const record = { type: 'TXT', name: '_dmarc.acme.test', value: 'v=DMARC1; p=none' } as const
  const note = createFinding({ id: 'mx.slow', severity: 'info', title: 'A note' })
  const markdown = markdownDocument([createEntry({ findings: [createFinding({ record }), note] })])
  expect(markdown.slice(markdown.indexOf('## acme'))).toBe(`## acme.test

**✕ Exposed.** No, you’re not protected yet.

#### No DMARC record (high)

Receivers deliver forged mail.

**What to do.** Publish a record.

Record (TXT at \`_dmarc.acme.test\`):

\`\`\`text
v=DMARC1; p=none
\`\`\`

\`dmarc.missing\`, [RFC 9989 §4.10.1](https://www.rfc-editor.org/rfc/rfc9989#section-4.10.1)

**Good to know**

- \`mx.slow\`: A note
`)
})

describe('more than a job summary holds', () => {
  const note = '**We left out the rest**, because GitHub shows at most 1 MiB.'
  const finding = createFinding({ detail: 'ä'.repeat(10_000) })

  test('is cut between findings, with a note', () => {
    const markdown = markdownDocument([createEntry({ findings: Array(60).fill(finding) })])
    const size = Buffer.byteLength(markdown)
    expect(size).toBeLessThan(1_048_576)
    expect(size).toBeGreaterThan(950_000)
    expect(markdown).toContain(note)
    expect(markdown.match(/ä+/g)?.every(({ length }) => length === 10_000)).toBe(true)
  })

  test('is cut in the table too', () => {
    const markdown = markdownDocument(Array(20_000).fill(createEntry()))
    expect(Buffer.byteLength(markdown)).toBeLessThan(1_048_576)
    expect(markdown).toContain(note)
  })

  test('is the only case of a note', () => {
    expect(markdownDocument([createEntry({ findings: [finding] })])).not.toContain(note)
  })
})
