import { readdirSync, readFileSync } from 'node:fs'
import { FINDINGS } from '@mailgrade/core'
import { expect, test } from 'vitest'

test('every finding is in a test', () => {
  const tests = ['packages/core/src/checks', 'packages/core/src/reports']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
    )
    .join('\n')
  const untested = Object.keys(FINDINGS).filter((id) => !tests.includes(`'${id}'`))
  expect(untested).toEqual([])
})
