/** The man page under the programs that show it. Needs groff, mandoc and man-db from Debian. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/command-line/commands.js'

const PAGE = 'packages/cli/man/mailgrade.1'

function run(program: string, ...args: string[]) {
  const env = { ...process.env, MANWIDTH: '80', MANROFFOPT: '-c', LC_ALL: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env })
  return { status, stdout, stderr }
}

test('groff has no warning about it', () => {
  const { status, stderr } = run('groff', '-man', '-Tutf8', '-ww', '-z', PAGE)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('mandoc has no warning about it', () => {
  const { status, stdout } = run('mandoc', '-T', 'lint', '-W', 'warning', PAGE)
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})

test.each([
  ['man', ['--warnings', '-E', 'UTF-8', '-P', 'cat', '-l', PAGE]],
  ['mandoc', ['-T', 'utf8', '-O', 'width=78', PAGE]],
])('%s shows every section and command at 80 columns', (program, args) => {
  const { stdout, stderr } = run(program, ...args)
  // Bold and underlined text is overprinted.
  const lines = stdout.replace(/.[\b]/gu, '').split('\n')
  expect(stderr).toBe('')
  expect(lines.filter((line) => /^[A-Z][A-Z ]+$/.test(line))).toEqual([
    'NAME',
    'SYNOPSIS',
    'DESCRIPTION',
    'COMMANDS',
    ...(lines.includes('SHARED OPTIONS') ? ['SHARED OPTIONS'] : []),
    'EXIT STATUS',
    'ENVIRONMENT',
    'EXAMPLES',
    'SEE ALSO',
  ])
  expect(lines.map((line) => line.trim())).toEqual(
    expect.arrayContaining(COMMANDS.map(({ name }) => `mailgrade ${name}`)),
  )
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test('what can be copied from it is ASCII', () => {
  const { stdout } = run('man', '-E', 'UTF-8', '-P', 'cat', '-l', PAGE)
  expect(stdout.replace(/.[\b]/gu, '')).toContain('--selector s1 --selector s2')
})
