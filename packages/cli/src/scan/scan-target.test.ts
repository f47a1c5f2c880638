import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ScanFormat, ScanOutput } from './scan-output.js'
import type { ScanRow } from './scan-row.js'
import { openTarget, type TargetOptions } from './scan-target.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const SURVEY = { entries: 3, sha256: 'abc' }
const STDOUT = { write: () => true, once() {} }
const DOMAINS = ['a.test', 'b-ü.test', 'c.test']

const out = () => join(folder, 'out')
const journal = () => `${out()}.journal`

function open(options: Partial<TargetOptions>, survey = SURVEY) {
  const rows: ScanRow[] = []
  const all: TargetOptions = {
    format: 'ndjson',
    brief: true,
    out: out(),
    resume: false,
    exact: false,
    selectors: [],
    ...options,
  }
  const target = openTarget(all, survey, STDOUT, (row) => rows.push(row))
  return { target, rows }
}

type Target = ReturnType<typeof open>['target']

function toRow(domain: string): ScanRow {
  return { domain, error: { code: 'x', detail: 'Line\nbreak, "' } }
}

const CHECKED = {
  domain: 'b.test',
  status: 'pass',
  verdict: 'Protected',
  answer: 'No.',
  spoofable: 'no',
  policy: null,
  spf: '1 lookup',
  dkim: '1 key',
  dmarc: 'reject',
  mx: '1 server',
  fixFirst: null,
  findings: ['spf.missing'],
  checkedAt: '2026-11-17T12:00:00Z',
}

function writeDomain({ output, journal }: Target, domain: string): void {
  const row = toRow(domain)
  const outcome = { subject: domain, result: { kind: 'invalid-input', detail: '' } } as const
  void (output as ScanOutput).write({ outcome, row, domain })
  journal?.append(output.length(), row)
}

/** Continues after a kill that left these files, with the domains that are not done. */
function resumeAll(format: ScanFormat): string {
  const { target, rows } = open({ resume: true, format })
  const done = new Set(rows.map(({ domain }) => domain))
  for (const domain of DOMAINS) if (!done.has(domain)) writeDomain(target, domain)
  target.output.close()
  target.journal?.remove()
  return readFileSync(out(), 'utf8')
}

function scanAll(format: ScanFormat): { output: Buffer; journal: Buffer } {
  const { target } = open({ format })
  for (const domain of DOMAINS) writeDomain(target, domain)
  target.output.close()
  target.journal?.close()
  return { output: readFileSync(out()), journal: readFileSync(journal()) }
}

/** The output after each number of domains, as the journal knows it. */
function outputLengths(journalText: Buffer): number[] {
  const [, ...records] = journalText.toString().trim().split('\n')
  return records.map((line) => JSON.parse(line)[0])
}

describe.each(['ndjson', 'csv'] as const)('a resumed scan with %s', (format) => {
  test('has every domain once, wherever the journal was cut', () => {
    const complete = scanAll(format)
    for (let length = 0; length <= complete.journal.length; length++) {
      writeFileSync(out(), complete.output)
      writeFileSync(journal(), complete.journal.subarray(0, length))
      expect(resumeAll(format)).toBe(complete.output.toString())
    }
  })

  test('has every domain once, wherever the output was cut after a domain', () => {
    const complete = scanAll(format)
    const [firstLength = 0] = outputLengths(complete.journal)
    const header = complete.journal.indexOf('\n') + 1
    const firstRecord = complete.journal.indexOf('\n', header) + 1
    for (let length = firstLength; length <= complete.output.length; length++) {
      writeFileSync(out(), complete.output.subarray(0, length))
      writeFileSync(journal(), complete.journal.subarray(0, firstRecord))
      expect(resumeAll(format)).toBe(complete.output.toString())
    }
  })

  test('has every domain once, even if both files lost their end', () => {
    const complete = scanAll(format)
    const lengths = fc.record({
      output: fc.nat(complete.output.length),
      journal: fc.nat(complete.journal.length),
    })
    fc.assert(
      fc.property(lengths, (kept) => {
        writeFileSync(out(), complete.output.subarray(0, kept.output))
        writeFileSync(journal(), complete.journal.subarray(0, kept.journal))
        expect(resumeAll(format)).toBe(complete.output.toString())
      }),
      { numRuns: propertyRuns(1_000) },
    )
  })

  test('may be interrupted again and again', () => {
    const { output } = scanAll(format)
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }), (cuts) => {
        rmSync(journal(), { force: true })
        scanAll(format)
        for (const cut of cuts) {
          truncateSync(journal(), Math.max(0, readFileSync(journal()).length - cut))
          const { target, rows } = open({ resume: true, format })
          const done = new Set(rows.map(({ domain }) => domain))
          for (const domain of DOMAINS) if (!done.has(domain)) writeDomain(target, domain)
          target.output.close()
          target.journal?.close()
        }
        expect(readFileSync(out(), 'utf8')).toBe(output.toString())
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})

test('a scan whose output cannot be opened leaves no journal', () => {
  mkdirSync(out())
  expect(() => open({})).toThrow('EISDIR')
  expect(existsSync(journal())).toBe(false)
})

describe('a scan is refused', () => {
  test('if it would replace the output of an interrupted one', () => {
    scanAll('ndjson')
    expect(() => open({})).toThrow(
      `An interrupted scan was writing to the same output. Add --resume to continue it, or delete ${journal()} to start over.`,
    )
  })

  test('if there is nothing to resume', () => {
    expect(() => open({ resume: true })).toThrow(
      `There’s no interrupted scan to resume, because ${journal()} doesn’t exist. Run the command without --resume.`,
    )
  })

  test.each([
    ['the input file', {}, { entries: 3, sha256: 'other' }],
    ['--format', { format: 'csv' }, SURVEY],
    ['--brief', { brief: false }, SURVEY],
    ['--column', { column: 'Website' }, SURVEY],
    ['--exact', { exact: true }, SURVEY],
    ['--selector', { selectors: ['s1'] }, SURVEY],
  ] as const)('if %s has changed', (name, options, survey) => {
    const before = scanAll('ndjson')
    expect(() => open({ resume: true, ...options }, survey)).toThrow(
      `You can’t resume this scan, because ${name} has changed since it began. Run it as before, or delete ${journal()} to start over.`,
    )
    expect(readFileSync(out())).toEqual(before.output)
    expect(readFileSync(journal())).toEqual(before.journal)
  })
})

test.each([
  '5',
  '{}',
  '[]',
  '[0,null]',
  '["x",{}]',
  '[-3,{"domain":"a.test","error":{"code":"x","detail":""}}]',
  '[0.5,{"domain":"a.test","error":{"code":"x","detail":""}}]',
  '[0,{"domain":7,"error":{"code":"x","detail":""}}]',
  '[0,{"domain":"a.test","error":7}]',
  '[0,{"domain":"a.test"}]',
  ...[
    ...['verdict', 'answer', 'spoofable', 'spf', 'dkim', 'dmarc', 'mx', 'checkedAt', 'status'].map(
      (name) => ({ [name]: null }),
    ),
    { status: 'x' },
    { status: 'toString' },
    { status: ['pass'] },
    { policy: {} },
    { policy: undefined },
    { fixFirst: 7 },
    { fixFirst: [] },
    { findings: undefined },
    { findings: 'spf.missing' },
    { findings: ['spf.missing', 7] },
    { findings: [{ toString: 1 }] },
  ].map((change) => `[0,${JSON.stringify({ ...CHECKED, ...change })}]`),
])('a journal with the line %s ends before it', (line) => {
  const complete = scanAll('ndjson')
  const [header, first] = complete.journal.toString().split('\n')
  // A length that is plausible, so only what is wrong in the line counts.
  const damaged = line.replace('[0,', `[${complete.output.length},`)
  writeFileSync(journal(), `${header}\n${first}\n${damaged}\n`)
  const { target, rows } = open({ resume: true })
  expect(rows.map(({ domain }) => domain)).toEqual(DOMAINS.slice(0, 1))
  for (const domain of DOMAINS.slice(1)) writeDomain(target, domain)
  expect(readFileSync(out())).toEqual(complete.output)
  expect(readFileSync(journal())).toEqual(complete.journal)
})

test('a journal with a checked domain continues after it', () => {
  const complete = scanAll('ndjson')
  const [header, first] = complete.journal.toString().split('\n')
  const line = JSON.stringify([complete.output.length, CHECKED])
  writeFileSync(journal(), `${header}\n${first}\n${line}\n`)
  expect(open({ resume: true }).rows.slice(1)).toEqual([CHECKED])
})

test.each(['a\0.test', 'ü'.repeat(200)])(
  'a domain that no file can be named after: %j',
  (domain) => {
    const options = { out: undefined, outDir: folder }
    const first = open(options)
    first.target.journal?.append(0, { ...toRow(domain) })
    first.target.output.close()
    first.target.journal?.close()
    expect(open({ ...options, resume: true }).rows).toEqual([])
  },
)

test('a journal with a line of more than 1 MB ends before it', () => {
  const complete = scanAll('ndjson')
  const [header, first] = complete.journal.toString().split('\n')
  const row = toRow('x'.repeat(1_200_000))
  const long = JSON.stringify([complete.output.length, row])
  writeFileSync(journal(), `${header}\n${first}\n${long}\n`)
  const { rows } = open({ resume: true })
  expect(rows.map(({ domain }) => domain)).toEqual(DOMAINS.slice(0, 1))
  expect(readFileSync(journal(), 'utf8')).toBe(`${header}\n${first}\n`)
})

test('an output that was edited is left as it is', () => {
  const { output } = scanAll('ndjson')
  const edited = output.toString().replace('a.test', 'longer.test')
  writeFileSync(out(), edited)
  expect(() => open({ resume: true })).toThrow(
    `You can’t resume this scan, because ${out()} has been edited since it was interrupted. Delete ${journal()} to start over.`,
  )
  expect(readFileSync(out(), 'utf8')).toBe(edited)
})

test.each(['deleted', 'empty'])('a file of a folder that is %s is written again', (damage) => {
  const options = { out: undefined, outDir: folder }
  const first = open(options)
  for (const domain of DOMAINS) writeDomain(first.target, domain)
  first.target.output.close()
  first.target.journal?.close()
  const file = join(folder, 'c.test.json')
  if (damage === 'deleted') rmSync(file)
  else writeFileSync(file, '')
  const { rows } = open({ ...options, resume: true })
  expect(rows.map(({ domain }) => domain)).toEqual(DOMAINS.slice(0, 2))
})

test('a journal that was cut continues with complete lines', () => {
  const { journal: complete } = scanAll('ndjson')
  truncateSync(journal(), complete.length - 5)
  const { target, rows } = open({ resume: true })
  expect(rows.map(({ domain }) => domain)).toEqual(DOMAINS.slice(0, 2))
  writeDomain(target, DOMAINS[2] ?? '')
  expect(readFileSync(journal())).toEqual(complete)
})
