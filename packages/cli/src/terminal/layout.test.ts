import { expect, test } from 'vitest'
import { wrapText } from './layout.js'

test.each(['::add-mask::acme', '##[error]forged', "##teamcity[testFailed name='x']"])(
  'no line begins with the command of a CI system: %s',
  (command) => {
    const wrapped = wrapText(`${'x'.repeat(66)} ${command} ${'y'.repeat(70)}`, 80, '  ')
    expect(wrapped).toBe(`  ${'x'.repeat(66)} ${command}\n  ${'y'.repeat(70)}`)
  },
)

test('a text of a million characters is cut, and no character in two', () => {
  expect(wrapText(`x${'😀'.repeat(500_000)}`, 80, '')).toBe(`x${'😀'.repeat(9_999)}…`)
})
