import { describe, expect, test } from 'vitest'
import { COMPLETION_FIXTURE } from '../../test/support/completion-fixture.js'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import { COMMANDS } from '../command-line/commands.js'
import { bashCompletion } from './bash-completion.js'
import { fishCompletion } from './fish-completion.js'
import { zshCompletion } from './zsh-completion.js'

describe('what a word may be', () => {
  const [check, scan, completion, help] = COMPLETION_FIXTURE
  const valuesOf = (flag: string) =>
    scan?.options.find(({ flags }) => flags.includes(flag))?.value?.values

  test('is read from the name of an argument', () => {
    expect(check?.argument).toEqual({ kind: 'unknown' })
    expect(scan?.argument).toEqual({ kind: 'file' })
    expect(completion?.argument).toEqual({ kind: 'words', words: ['bash', 'zsh', 'fish'] })
    expect(help?.argument).toEqual({ kind: 'words', words: ['check', 'scan', 'completion'] })
  })

  test('is read from the name or the choices of an option', () => {
    expect(valuesOf('-o')).toEqual({ kind: 'folder' })
    expect(valuesOf('--html')).toEqual({ kind: 'file' })
    expect(valuesOf('--format')).toEqual({ kind: 'words', words: ['ndjson', 'csv'] })
  })

  test('is a format and a file where the name says so', () => {
    const report = check?.options.find(({ flags }) => flags.includes('--report'))
    expect(report?.value?.values).toEqual({ kind: 'format-file', words: ['text', 'json', 'sarif'] })
  })

  test('leaves out options that the help hides', () => {
    expect(check?.options.flatMap(({ flags }) => flags)).toEqual([
      '--resolver',
      '--exact',
      '--format',
      '--report',
      '-h',
      '--help',
    ])
  })
})

describe('a script', () => {
  test('for bash has the values of each command', () => {
    const lines = bashCompletion(COMPLETION_FIXTURE).split('\n')
    expect(lines).toContain(
      `    'check --format') _mailgrade_reply -W 'text json sarif' -- "$cur"; return ;;`,
    )
    expect(lines).toContain(
      `    'scan -o' | 'scan --out') _mailgrade_files -d -- "$cur"; return ;;`,
    )
  })

  test('for zsh escapes what its specs give a meaning to', () => {
    const script = zshCompletion(COMPLETION_FIXTURE)
    expect(script).toContain(`'*--resolver=[resolver \\[DoH\\]\\: a URL]:url: '`)
    expect(script).toContain(`'scan:check a file'\\''s domains'`)
  })

  test('for fish has one line for an option that several commands share', () => {
    const lines = fishCompletion(COMPLETION_FIXTURE).split('\n')
    expect(lines).toContain(
      `complete -c mailgrade -n '__mailgrade_is none check scan completion' -s h -l help -d 'print this help'`,
    )
  })
})

describe('mailgrade completion', () => {
  test.each(['bash', 'zsh', 'fish'])('prints a script for %s with every command', async (shell) => {
    const { exitCode, stdout } = await runMailgrade(['completion', shell])
    expect(exitCode).toBe(0)
    expect(COMMANDS.filter(({ name }) => !stdout.includes(name))).toEqual([])
  })

  test('says which shells there are', async () => {
    expect(await runMailgrade(['completion', 'tcsh'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'We don’t support completion for tcsh. Use one of these: bash, zsh, fish.\n',
    })
  })
})
