import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildAggregateReport, DAY } from '@mailgrade/testing/build-aggregate-report'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'

const FIXTURES = resolve('packages/dmarc-reports/test/fixtures')
const GOOGLE = join(FIXTURES, 'google.xml')

const TODAY = Date.UTC(2026, 10, 17) / 1000

const PAYROLL = {
  count: 48,
  dkim: 'fail',
  spf: 'fail',
  dkimResults: [{ domain: 'payroll.test', selector: 's', result: 'pass' }],
  spfResults: [{ domain: 'bounces.payroll.test', result: 'pass' }],
}

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-reports-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('text says first whether the next policy is safe', async () => {
  const { stdout, exitCode } = await runMailgrade(['reports', FIXTURES])
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    `example.com${' '.repeat(63)}p=none`,
    'Not ready for p=quarantine; t=y; pct=0: 5 conditions aren’t met.',
  ])
  expect(exitCode).toBe(1)
})

test('--not-mine sets sources aside that others use', async () => {
  const line = ['reports', FIXTURES, '--not-mine', 'microsoft365,ses', '--format', 'json']
  const { stdout } = await runMailgrade(line)
  const [{ sources, rollout }] = JSON.parse(stdout).domains
  const classOf = (id: string) =>
    sources.find(({ serviceId }: { serviceId: string }) => serviceId === id)?.class
  expect([classOf('microsoft365'), classOf('ses')]).toEqual(['unknown', 'unknown'])
  expect(rollout.fixFirst.map(({ name }: { name: string }) => name)).toEqual(['mail.example.com'])
})

test('a source is either yours or not', async () => {
  const line = ['reports', FIXTURES, '--mine', 'payroll.test', '--not-mine', 'ses,Payroll.test']
  expect(await runMailgrade(line)).toMatchObject({
    exitCode: 2,
    stderr: 'payroll.test is in both --mine and --not-mine. Pass it to only one of them.\n',
  })
})

test('no one owns every unknown source', async () => {
  expect(await runMailgrade(['reports', FIXTURES, '--mine', 'unknown'])).toMatchObject({
    exitCode: 2,
    stderr: '--mine unknown would count forged mail as yours. Name each source.\n',
  })
})

test('payroll once a month is asked about, and exits with 1', async () => {
  const reports = join(folder, 'payroll')
  mkdirSync(reports)
  for (const day of Array.from({ length: 32 }, (_, index) => index)) {
    for (const org of ['google.com', 'yahoo.com', 'mail.example']) {
      const begin = TODAY - (32 - day) * DAY
      const records = [{ count: 90 }, ...(day === 9 && org === 'google.com' ? [PAYROLL] : [])]
      const xml = buildAggregateReport({ org, begin, end: begin + DAY - 1, records })
      writeFileSync(join(reports, `${org}-${day}.xml`), xml)
    }
  }
  const run = (...answer: string[]) => runMailgrade(['reports', reports, ...answer])
  const asked = await run()
  expect(asked.exitCode).toBe(1)
  expect(asked.stdout).toContain('Answer first: 1 source may be yours.')
  expect(asked.stdout).toContain('This may be yours: it authenticates as itself.')
  expect((await run('--mine', 'payroll.test')).exitCode).toBe(1)
  expect((await run('--not-mine', 'payroll.test')).exitCode).toBe(0)
})

test('one report is too little, so nothing is known', async () => {
  const { stdout, exitCode } = await runMailgrade(['reports', GOOGLE, '--format', 'json'])
  expect(exitCode).toBe(3)
  const [domain] = JSON.parse(stdout).domains
  expect(domain.rollout.status).toBe('unknown')
})

test('standard input is read too', async () => {
  const stdin = readFileSync(GOOGLE, 'utf8')
  const { stdout } = await runMailgrade(['reports', '-', '--format', 'json'], { stdin })
  expect(JSON.parse(stdout).reports.counted).toBe(1)
})

test('CSV has one row per source', async () => {
  const { stdout } = await runMailgrade(['reports', FIXTURES, '--format', 'csv'])
  const rows: Record<string, string>[] = parse(stdout, { columns: true })
  const sendgrid = rows.filter(({ source }) => source === 'Twilio SendGrid')
  expect(sendgrid.map(({ messages }) => messages)).toEqual(['324'])
})

test('JSON has stable fields', async () => {
  const { stdout } = await runMailgrade(['reports', GOOGLE, '--format', 'json'])
  const json = JSON.parse(stdout)
  expect(Object.keys(json)).toEqual([
    'version',
    'files',
    'reports',
    'problems',
    'problemCount',
    'domains',
  ])
  expect(Object.keys(json.domains[0])).toEqual([
    'domain',
    'policy',
    'reports',
    'period',
    'messages',
    'passing',
    'failing',
    'byClass',
    'reporters',
    'days',
    'sources',
    'rollout',
    'subdomains',
  ])
  expect(json.version).toBe(1)
})

describe('--out', () => {
  test('writes text without color, whatever the environment says', async () => {
    const out = join(folder, 'text.txt')
    await runMailgrade(['reports', GOOGLE, '--out', out], { env: { FORCE_COLOR: '1' } })
    expect(readFileSync(out, 'utf8')).toMatch(/^example\.com {63}p=/)
  })

  test('never replaces a report', async () => {
    const report = join(folder, 'report.xml')
    writeFileSync(report, readFileSync(GOOGLE))
    expect(await runMailgrade(['reports', report, '--out', report])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: '--out would overwrite one of the reports. Choose a different file.\n',
    })
    expect(readFileSync(report)).toEqual(readFileSync(GOOGLE))
  })

  test('never replaces a report that was found in a folder', async () => {
    const reports = join(folder, 'found')
    const report = join(reports, 'report.xml')
    mkdirSync(reports)
    writeFileSync(report, readFileSync(GOOGLE))
    symlinkSync(report, join(reports, 'latest.txt'))
    for (const out of [report, join(reports, 'latest.txt')]) {
      expect(await runMailgrade(['reports', reports, '--out', out])).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: '--out would overwrite one of the reports. Choose a different file.\n',
      })
    }
    expect(readFileSync(report)).toEqual(readFileSync(GOOGLE))
  })

  test('replaces its own earlier result in the folder of the reports', async () => {
    const reports = join(folder, 'earlier')
    const out = join(reports, 'result.txt')
    mkdirSync(reports)
    writeFileSync(join(reports, 'report.xml'), readFileSync(GOOGLE))
    await runMailgrade(['reports', reports, '--out', out])
    writeFileSync(out, 'earlier')
    expect(await runMailgrade(['reports', reports, '--out', out])).toMatchObject({ stderr: '' })
    expect(readFileSync(out, 'utf8')).toMatch(/^example\.com/)
  })

  test('writes a page that needs nothing else', async () => {
    const out = join(folder, 'reports.html')
    const line = ['reports', FIXTURES, '--out', out]
    const { stdout } = await runMailgrade(line, { terminal: 80 })
    expect(stdout).toBe('')
    const page = readFileSync(out, 'utf8')
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).not.toMatch(/(?:src|href)="https?:/)
  })

  test('writes text without color', async () => {
    const out = join(folder, 'reports.txt')
    await runMailgrade(['reports', FIXTURES, '--out', out], { terminal: 80 })
    expect(readFileSync(out, 'utf8')).not.toContain('\u001b')
  })

  test('says if it cannot be written', async () => {
    const out = join(folder, 'no-such-folder', 'reports.txt')
    const { exitCode, stderr } = await runMailgrade(['reports', GOOGLE, '--out', out])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`We couldn’t write ${out}: its folder doesn’t exist.`)
  })
})

test('without a report, JSON is an object of the usual shape, and the exit code is 2', async () => {
  const note = join(folder, 'note.xml')
  writeFileSync(note, 'hello')
  const { exitCode, stdout, stderr } = await runMailgrade(['reports', note, '--format', 'json'])
  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toEqual({
    version: 1,
    files: 1,
    reports: { counted: 0, copies: 0, failed: 1, skippedFiles: 0 },
    problems: [
      { severity: 'error', kind: 'not-a-report', file: note, message: expect.any(String) },
    ],
    problemCount: 1,
    domains: [],
  })
  expect(stderr).toContain('We didn’t find any DMARC aggregate reports.')
})

test('a bomb is refused with a sentence, and nothing is printed', async () => {
  const bomb = join(folder, 'bomb.xml.gz')
  writeFileSync(bomb, gzipSync(Buffer.alloc(3_000_000, ' ')))
  const { exitCode, stdout, stderr } = await runMailgrade(['reports', bomb])
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(`${bomb}: `)
  expect(stderr).toContain('We didn’t find any DMARC aggregate reports.')
})
