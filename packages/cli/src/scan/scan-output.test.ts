import { expect, test } from 'vitest'
import { openAppendFile } from './scan-output.js'

test('after a write that failed, nothing more is written', () => {
  const file = openAppendFile('/dev/full', 0)
  const failure = () => {
    try {
      return file.append('a line\n')
    } catch (error) {
      return error
    }
  }
  const first = failure()
  expect(first).toMatchObject({ code: 'ENOSPC' })
  expect(failure()).toBe(first)
  expect(file.length()).toBe(0)
})
