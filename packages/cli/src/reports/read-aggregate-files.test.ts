import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { buildAggregateReport } from '@mailgrade/testing/build-aggregate-report'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAggregateFiles } from './read-aggregate-files.js'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregate-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

const NOTHING = Readable.from([])

test('reads folders with all folders below, and skips other files silently', async () => {
  await mkdir(join(folder, 'a', 'b'), { recursive: true })
  await writeFile(join(folder, 'a', 'b', '1.xml.gz'), gzipSync(buildAggregateReport()))
  await writeFile(join(folder, 'a', '2.xml'), buildAggregateReport({ id: '2' }))
  await writeFile(join(folder, 'notes.txt'), 'hello')
  await symlink(folder, join(folder, 'a', 'loop'))
  const { files, reports, problems } = await readAggregateFiles([folder], { stdin: NOTHING })
  expect(files).toBe(3)
  expect(reports).toEqual({ counted: 2, copies: 0, failed: 0, skippedFiles: 1 })
  expect(problems).toEqual([])
})

test('reads standard input for a dash', async () => {
  const stdin = Readable.from(Buffer.from(buildAggregateReport()))
  const { reports } = await readAggregateFiles(['-'], { stdin })
  expect(reports.counted).toBe(1)
})

test('says that a file is missing, and reads the others', async () => {
  const path = join(folder, '1.xml')
  const missing = join(folder, 'missing.xml')
  await writeFile(path, buildAggregateReport())
  const { reports, problems } = await readAggregateFiles([missing, path], { stdin: NOTHING })
  expect(reports).toMatchObject({ counted: 1, failed: 1 })
  expect(problems).toEqual([
    {
      severity: 'error',
      kind: 'unreadable',
      file: missing,
      message:
        'We couldn’t open the file, so we skipped it. Check the path and the permissions. (ENOENT)',
    },
  ])
})

test.each([
  [false, 9, 'conflicting-copy'],
  [true, 5, 'conflicting-copy-later'],
])(
  'counts the larger of two files, unless standard input (%s) is one',
  async (piped, messages, kind) => {
    const [small, large] = [5, 9].map((count) => buildAggregateReport({ records: [{ count }] }))
    const paths = ['small.xml', 'large.xml'].map((name) => join(folder, name))
    await writeFile(paths[0] ?? '', small ?? '')
    await writeFile(paths[1] ?? '', large ?? '')
    const stdin = Readable.from(Buffer.from(large ?? ''))
    const { domains, problems } = await readAggregateFiles(piped ? [paths[0] ?? '', '-'] : paths, {
      stdin,
    })
    expect(domains[0]?.messages).toBe(messages)
    expect(problems.map((problem) => problem.kind)).toEqual([kind])
  },
)
