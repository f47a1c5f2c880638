/** The built program when its output or its messages cannot be written. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const PROGRAM = resolve('packages/cli/dist/main.js')

test('a full disk is an error, not a finding, and has no stack trace', async () => {
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const
  const child = spawn(process.execPath, [PROGRAM, '--help'], { stdio: [...stdio] })
  const [stderr, [exitCode]] = await Promise.all([
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'exit'),
  ])
  expect(stderr).toBe('We couldn’t write the output: ENOSPC: no space left on device, write.\n')
  expect(exitCode).toBe(2)
})

test('without a reader of its messages, the exit code stays the same', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'check', 'a..test', 'b..test'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.destroy()
  expect(await once(child, 'exit')).toEqual([2, null])
})
