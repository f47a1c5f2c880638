import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'

const zone = 'parked.test. TXT "v=spf1 -all"\n'

let folder: string
let list: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-scan-'))
  list = join(folder, 'domains.txt')
  writeFileSync(list, 'parked.test\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

test.each([
  ['results.csv', [], /^\ufeffDomain,Verdict,/],
  ['results.ndjson', [], /^\{"domain":"parked\.test"/],
  ['results', [], /^\{"domain":"parked\.test"/],
  ['results.csv', ['--format', 'ndjson'], /^\{"domain":"parked\.test"/],
])('--out %s %j decides on the format', async (name, options, content) => {
  const out = join(folder, name)
  await runMailgrade(['scan', list, '--out', out, ...options], { zone })
  expect(readFileSync(out, 'utf8')).toMatch(content)
})

test.each([
  ['--out', 'results.ndjson', 'results.ndjson.journal'],
  ['--out-dir', '.', '.scan.journal'],
])('the results of an interrupted scan are not overwritten (%s)', async (option, name, journal) => {
  const target = join(folder, name)
  const journalPath = join(folder, journal)
  writeFileSync(join(folder, 'results.ndjson'), 'hours of work\n')
  writeFileSync(journalPath, 'journal\n')
  expect(await runMailgrade(['scan', list, option, target], { zone })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `An interrupted scan was writing to the same output. Add --resume to continue it, or delete ${journalPath} to start over.\n`,
  })
  expect(readFileSync(join(folder, 'results.ndjson'), 'utf8')).toBe('hours of work\n')
  expect(existsSync(journalPath)).toBe(true)
})
