import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createEntry,
  createFinding,
  HOSTILE_ENTRIES,
  HOSTILE_TEXTS,
  UNAVAILABLE_ENTRY,
} from '../../test/support/document-entries.js'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { csvDocument, REPORT_FORMATS } from './document-formats.js'

const zone = `acme.test. MX 10 mail.acme.test.
mail.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:d@acme.test; \\226\\128\\174x=<b>@octocat"
parked.test. TXT "v=spf1 -all"
parked.test. MX 0 .
_dmarc.parked.test. TXT "v=DMARC1; p=reject"
`
const DOMAINS = ['acme.test', 'parked.test', 'nowhere.test']

describe('--format', () => {
  test('csv has the verdict of every domain', async () => {
    const { stdout, stderr } = await runMailgrade([...DOMAINS, '--format', 'csv'], { zone })
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    const verdicts = new Map(rows.map(({ domain, verdict }) => [domain, verdict]))
    expect(Object.fromEntries(verdicts)).toEqual({
      'acme.test': 'Exposed',
      'parked.test': 'Protected',
      'nowhere.test': 'No such domain',
    })
    expect(stderr).toBe('nowhere.test doesn’t exist in DNS. Check the spelling.\n')
  })

  test('markdown has the answer and shows what is invisible', async () => {
    const { stdout } = await runMailgrade(['acme.test', '--format', 'markdown'], { zone })
    expect(stdout).toContain('**✕ Exposed.** No, you’re not protected yet.')
    expect(stdout).not.toMatch(/\u202e|<b>|@octocat/)
  })

  test('junit has a case for each mechanism, also for one without findings', async () => {
    const { stdout } = await runMailgrade(['parked.test', '--format', 'junit'], { zone })
    expect(stdout).toContain('<testcase classname="parked.test" name="MX"/>')
    expect(stdout).toContain('<testcase classname="parked.test" name="Transport security"/>')
    expect(stdout).toContain('tests="5" failures="0" errors="0"')
  })

  test('sarif says which domains were not looked up', async () => {
    const { stdout } = await runMailgrade([...DOMAINS, '--format', 'sarif'], { zone })
    const [{ invocations, results }] = JSON.parse(stdout).runs
    expect(invocations[0].toolExecutionNotifications).toHaveLength(1)
    expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).toContain('dmarc.policy-none')
  })
})

describe('--report', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mailgrade-report-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const withoutTimes = (text: string) =>
    text.replace(/\d+ ms|time="[^"]+"|"durationMs": ?\d+|20\d\d-[\d:.TZ-]+/g, '')

  test('writes what --format prints, with one lookup for all files', async () => {
    let opened = 0
    const reports = REPORT_FORMATS.flatMap((format) => [
      '--report',
      `${format}=${folder}/${format}`,
    ])
    const { createZoneDns } = await import('@mailgrade/doh/zone')
    const openDns = () => {
      opened++
      return { ...createZoneDns('zone', zone), close() {} }
    }
    const { exitCode } = await runMailgrade([...DOMAINS, ...reports], { openDns })
    expect({ exitCode, opened }).toEqual({ exitCode: 1, opened: 1 })
    for (const format of REPORT_FORMATS) {
      const { stdout } = await runMailgrade([...DOMAINS, '--format', format], { zone })
      const mark = format === 'csv' ? '\ufeff' : ''
      const file = readFileSync(join(folder, format), 'utf8')
      expect(withoutTimes(file)).toBe(mark + withoutTimes(stdout))
    }
  })

  test.each(['sarif', 'sarif=', '=file', 'xml=file'])('%s is not usable', async (value) => {
    const { exitCode, stderr } = await runMailgrade(['acme.test', '--report', value], { zone })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('Use a format and a file, such as sarif=mailgrade.sarif.')
  })

  test('says which file could not be written', async () => {
    const path = join(folder, 'missing', 'report.csv')
    const line = ['parked.test', '--report', `csv=${path}`]
    const { exitCode, stdout, stderr } = await runMailgrade(line, { zone })
    expect(exitCode).toBe(2)
    expect(stdout).toContain('Protected')
    expect(stderr).toContain(`We couldn’t write ${path}: its folder doesn’t exist.`)
  })
})

const readRows = (csv: string): Record<string, string>[] =>
  parse(csv, { columns: true, record_delimiter: '\r\n' })

test('a CSV document has a row for every finding', () => {
  const record = { type: 'TXT', name: '_dmarc.acme.test', value: 'v=DMARC1; p=none' } as const
  const findings = [createFinding({ record }), createFinding({ id: 'spf.missing' })]
  const rows = readRows(csvDocument([createEntry({ findings })]))
  expect(rows.map(({ id }) => id)).toEqual(['dmarc.missing', 'spf.missing'])
  expect(rows[0]).toEqual({
    domain: 'acme.test',
    verdict: 'Exposed',
    severity: 'high',
    id: 'dmarc.missing',
    title: 'No DMARC record',
    fix: 'Publish a record.',
    record_type: 'TXT',
    record_name: '_dmarc.acme.test',
    record_value: 'v=DMARC1; p=none',
    reference: 'RFC 9989 §4.10.1',
    error: '',
  })
})

test('a CSV document has a row for a domain without findings, and for one without a report', () => {
  const fine = createEntry({ headline: { status: 'pass', label: 'Protected', sentence: 'Yes.' } })
  const rows = readRows(csvDocument([fine, UNAVAILABLE_ENTRY]))
  expect(rows.map(({ domain, verdict, id, error }) => [domain, verdict, id, error])).toEqual([
    ['acme.test', 'Protected', '', ''],
    ['slow.test', 'Unknown', '', 'MX slow.test could not be looked up: no answer in time.'],
  ])
})

test('a CSV document keeps any text in its field, and no field is a formula', () => {
  const rows = readRows(csvDocument(HOSTILE_ENTRIES)).filter(({ severity }) => severity === 'high')
  const guarded = HOSTILE_TEXTS.map((text) => {
    const inUtf8 = Buffer.from(text).toString()
    return inUtf8.replace(/^[=+\-@]/gm, "'$&")
  })
  expect(rows.map(({ title }) => title)).toEqual(guarded)
  expect(rows.map((row) => row.record_value)).toEqual(guarded)
})
