/** The guides list every field of the JSON that a command prints. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'

const zone = 'acme.test. TXT "v=spf1 -all"\n'

/** The names in the first column of the table with this heading. */
function documentedFields(file: string, heading: string): string[] {
  const [, table = ''] = readFileSync(file, 'utf8').split(`| ${heading} `)
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(2)
  return rows.flatMap((row) => row.split('|')[1]?.match(/(?<=`)\w+(?=`)/g) ?? [])
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-fields-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Of all lines together: some fields are only in a result without a report. */
function fieldsOf(ndjson: string): string[] {
  const objects = ndjson.trim().split('\n')
  return [...new Set(objects.flatMap((line) => Object.keys(JSON.parse(line))))].sort()
}

test('scan --brief', async () => {
  const list = join(createFolder(), 'domains.txt')
  writeFileSync(list, 'acme.test\nnowhere.test\n')
  const { stdout } = await runMailgrade(['scan', list, '--brief'], { zone })
  expect(documentedFields('docs/scan.md', 'field of `--brief`').sort()).toEqual(fieldsOf(stdout))
})

test('watch --format json', async () => {
  const state = join(createFolder(), 'state.json')
  const { stdout } = await runMailgrade(['watch', 'acme.test', '--state', state, '-f', 'ndjson'], {
    zone,
  })
  expect(documentedFields('docs/watch.md', 'field of JSON').sort()).toEqual(
    [...fieldsOf(stdout), 'error'].sort(),
  )
})

test('reports --format json', async () => {
  const report = 'packages/dmarc-reports/test/fixtures/google.xml'
  const { stdout } = await runMailgrade(['reports', report, '--format', 'json'])
  expect(documentedFields('docs/reports.md', 'field of JSON').sort()).toEqual(
    Object.keys(JSON.parse(stdout)).sort(),
  )
})
