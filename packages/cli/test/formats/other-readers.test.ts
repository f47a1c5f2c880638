/** What we write, read by programs of others. Needs npm and python3. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DocumentEntry } from '../../src/output/document-entry.js'
import { csvDocument } from '../../src/output/document-formats.js'
import { junitDocument } from '../../src/output/junit-document.js'
import { markdownDocument } from '../../src/output/markdown-document.js'
import { sarifDocument } from '../../src/output/sarif-document.js'
import {
  createDocument,
  createEntry,
  createFinding,
  HOSTILE_ENTRIES,
  HOSTILE_SUBJECTS,
  HOSTILE_TEXTS,
  UNAVAILABLE_ENTRY,
} from '../support/document-entries.js'
import {
  installReaders,
  readJunit,
  readSarifSchema,
  renderMarkdown,
  runPython,
  validateSarif,
} from './suite-readers.js'

const ORDINARY = [createEntry({ findings: [createFinding()] }), UNAVAILABLE_ENTRY]
const HOSTILE = [...HOSTILE_ENTRIES, ...HOSTILE_SUBJECTS]

/** A file cannot hold half a surrogate pair. */
const inUtf8 = (text: string) => Buffer.from(text).toString()

beforeAll(installReaders)

describe('SARIF', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mailgrade-sarif-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const cases: [string, DocumentEntry[]][] = [
    ['ordinary text', ORDINARY],
    ['hostile text', HOSTILE],
    ['nothing', []],
  ]

  test.each(cases)('with %s fits the schema of OASIS', (_, entries) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    const validate = ajv.compile(readSarifSchema())
    validate(JSON.parse(sarifDocument(entries)))
    expect(validate.errors).toBeNull()
  })

  test.each(cases)(
    'with %s passes the SARIF validator and its rules of GitHub',
    (name, entries) => {
      const path = join(folder, `${name}.sarif`)
      writeFileSync(path, sarifDocument(entries))
      // 2005 asks for the website of the tool.
      expect(validateSarif(path)).toEqual(['SARIF2005'])
    },
  )
})

describe('JUnit', () => {
  test('counts tests, failures and errors as junit2json does', async () => {
    const { tests, failures, errors, testsuite } = await readJunit(junitDocument(ORDINARY, 'high'))
    expect({ tests, failures, errors }).toEqual({ tests: 6, failures: 1, errors: 1 })
    const cases = testsuite.flatMap(({ testcase }) => testcase)
    expect(cases.filter(({ failure }) => failure)).toMatchObject([
      { name: 'DMARC', failure: [{ message: 'No DMARC record', type: 'dmarc.missing' }] },
    ])
    expect(cases.filter(({ error }) => error)).toMatchObject([
      { name: 'DNS lookup', error: [{ type: 'dns_timeout' }] },
    ])
  })

  test('with hostile text is read by junit2json and by Expat', async () => {
    const xml = junitDocument(HOSTILE, 'high')
    const { tests, failures, errors, testsuite } = await readJunit(xml)
    const count = HOSTILE_TEXTS.length
    expect({ tests, failures, errors }).toEqual({
      tests: 5 * count + count,
      failures: count,
      errors: count,
    })
    const names = testsuite.slice(0, count).map(({ name }) => name)
    expect(names).toEqual(HOSTILE_ENTRIES.map(({ domain }) => domain))
    const messages = runPython(
      `import json, sys, xml.etree.ElementTree as tree
document = tree.fromstring(sys.stdin.buffer.read())
print(json.dumps([failure.get('message') for failure in document.iter('failure')]))`,
      xml,
    )
    const printable = (text: string) => text.replace(/\p{C}|\ufffd/gu, '')
    expect((messages as string[]).map(printable)).toEqual(HOSTILE_TEXTS.map(printable))
  })
})

test('CSV with hostile text is read by Python', () => {
  const rows = runPython(
    `import csv, io, json, sys
text = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8-sig', newline='')
print(json.dumps([row for row in csv.DictReader(text, strict=True)]))`,
    // Python's reader takes no NUL before 3.11.
    csvDocument(HOSTILE_ENTRIES).replaceAll('\0', ''),
  ) as Record<string, string>[]
  const titles = rows.filter(({ severity }) => severity === 'high').map(({ title }) => title)
  // Apostrophes keep spreadsheets from running what follows; nothing else changes.
  const withoutMarks = (text = '') => text.replaceAll("'", '').replaceAll('\0', '')
  expect(titles.map(withoutMarks)).toEqual(HOSTILE_TEXTS.map((text) => withoutMarks(inUtf8(text))))
})

describe('Markdown with hostile text', () => {
  let html: string
  beforeAll(async () => {
    html = await renderMarkdown(markdownDocument(HOSTILE))
  })

  test('has only our own elements', () => {
    const elements = new Set([...html.matchAll(/<([a-z0-9!?]+)/gi)].map(([, name]) => name))
    expect([...elements].sort()).toEqual(
      'a code h2 h3 h4 li ol p pre strong table tbody td th thead tr ul'.split(' '),
    )
  })

  test('links only to RFCs', () => {
    const targets = new Set([...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, url]) => url))
    expect([...targets].sort()).toEqual([
      'https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4',
      'https://www.rfc-editor.org/rfc/rfc9989#section-4.10.1',
    ])
  })

  test('has the elements that a plain word has, in the same order', async () => {
    const elements = (page: string) => page.match(/<\/?[a-z0-9]+/g)
    const plain = [
      ...HOSTILE_ENTRIES.map((entry) => ({ ...entry, document: createDocument('word') })),
      ...HOSTILE_SUBJECTS.map(() => UNAVAILABLE_ENTRY),
    ]
    expect(elements(html)).toEqual(elements(await renderMarkdown(markdownDocument(plain))))
  })

  test('mentions no one', () => {
    const text = html.replace(/<code[\s\S]*?<\/code>/g, '').replace(/<[^>]*>/g, '')
    expect(text).not.toMatch(/@[a-z0-9]/i)
    expect(text).not.toMatch(/#\d/)
  })
})
