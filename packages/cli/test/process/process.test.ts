/** What only a process shows: broken output, and a failure of the program itself. */
import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const PROGRAM = resolve('packages/cli/dist/main.js')

test('a full disk is an error of its own, not a finding', () => {
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--help'], {
    stdio: [...stdio],
    encoding: 'utf8',
  })
  expect(status).toBe(2)
  expect(stderr).toBe('We couldn’t write the output: ENOSPC: no space left on device, write.\n')
})

test('a failure of the program exits with 70, because 1 means findings', () => {
  const breakIt = 'performance.now = () => { throw new Error("broken") }'
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${breakIt}`, PROGRAM, 'example.com'],
    { encoding: 'utf8' },
  )
  expect(status).toBe(70)
  expect(stderr).toMatch(
    /^Mailgrade crashed, so there’s no result. Please report this:\nError: broken\n/,
  )
})

test('a reader that leaves early ends the program without an error', () => {
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', 'set -o pipefail; "$0" "$1" completion bash | true', process.execPath, PROGRAM],
    { encoding: 'utf8' },
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
