/** The completion scripts in real shells. Needs zsh and fish from Debian. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../src/command-line/commands.js'
import { bashCompletion } from '../../src/completion/bash-completion.js'
import {
  type CompletionCommand,
  describeCompletion,
} from '../../src/completion/completion-model.js'
import { fishCompletion } from '../../src/completion/fish-completion.js'
import { zshCompletion } from '../../src/completion/zsh-completion.js'
import { COMPLETION_FIXTURE } from '../support/completion-fixture.js'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-completion-'))
  mkdirSync(join(folder, 'work/results'), { recursive: true })
  writeFileSync(join(folder, 'work/my domains.txt'), '')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, ...args: string[]): string {
  const options = { cwd: join(folder, 'work'), encoding: 'utf8' } as const
  return execFileSync(program, args, options)
}

function writeScript(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

/** Splits the line as bash does, which breaks words at `=` and `:` too, and calls the function. */
function completeInBash(commands: readonly CompletionCommand[], line: string): string[] {
  const script = writeScript('script.bash', bashCompletion(commands))
  const words = line.split(/ +|(?<=[=:])|(?=[=:])/)
  const program = `source "$1"; shift
    [[ $(complete -p mailgrade) == 'complete -F _mailgrade mailgrade' ]] || exit 1
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _mailgrade 2>&1
    printf '%s\\n' "\${COMPREPLY[@]}"`
  return linesOf(run('bash', '--norc', '-c', program, 'bash', script, ...words))
}

/**
 * Presses Tab in an interactive zsh. Every match passes through `compadd`, which writes it to a
 * file here, so the test does not depend on how zsh draws a list.
 */
const PRESS_TAB = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; autoload -Uz compinit; compinit -C -d $5; source $1
compadd() {
  if [[ \\\${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \\"\\$@\\"; return; fi
  local -a hits; builtin compadd -A hits \\"\\$@\\"; print -l -- \\$hits >> $2
  builtin compadd \\"\\$@\\"
}
offer() { _main_complete; print -n '<DONE>' > /dev/tty }
zle -C offer list-choices offer; bindkey '^I' offer; print READY"
zpty -r shell output '*READY*READY*'
zpty -w -n shell "$3"$'\\t'
zpty -r shell output "*\${(b)4}*"
print -r -- "$output"
`

/** Returns when zsh has shown the text `until`, which by default is after the matches were added. */
function typeInZsh(commands: readonly CompletionCommand[], line: string, until = '<DONE>') {
  const script = writeScript('script.zsh', zshCompletion(commands))
  const matches = writeScript('matches', '')
  // What zsh knows about other commands, which takes longest to read.
  const dump = join(folder, 'zcompdump')
  const screen = run('zsh', '-f', '-c', PRESS_TAB, 'zsh', script, matches, line, until, dump)
  return { matches: linesOf(readFileSync(matches, 'utf8')), screen }
}

function completeInFish(commands: readonly CompletionCommand[], line: string): string[] {
  const script = writeScript('script.fish', fishCompletion(commands))
  const program = `source '${script}'; complete -C '${line}'`
  return linesOf(run('fish', '--no-config', '-c', program))
}

const SHELLS = {
  bash: completeInBash,
  zsh: (commands: readonly CompletionCommand[], line: string) => typeInZsh(commands, line).matches,
  fish: (commands: readonly CompletionCommand[], line: string) =>
    completeInFish(commands, line).map((match) => match.split('\t')[0] ?? ''),
}

/** Shells differ in order, and in what they add to a folder or an option with a value. */
const normalize = (matches: readonly string[]) =>
  [...new Set(matches.map((match) => match.replace(/^--[a-z]+=(?=.)|[/=]$/g, '')))].sort()

describe.each(Object.entries(SHELLS))('in %s', (_, complete) => {
  const offered = (line: string) => normalize(complete(COMPLETION_FIXTURE, line))

  test.each([
    ['mailgrade ', ['check', 'completion', 'help', 'scan']],
    ['mailgrade sc', ['scan']],
    ['mailgrade --v', ['--version']],
    ['mailgrade --format ', ['json', 'sarif', 'text']],
    ['mailgrade --format=', ['json', 'sarif', 'text']],
    ['mailgrade --format=s', ['sarif']],
    ['mailgrade example.com --format ', ['json', 'sarif', 'text']],
    ['mailgrade scan --format ', ['csv', 'ndjson']],
    ['mailgrade --format=json scan --format ', ['csv', 'ndjson']],
    ['mailgrade --resolver https://dns.example/dns-query sc', ['scan']],
    ['mailgrade scan --h', ['--help', '--html']],
    ['mailgrade check --res', ['--resolver']],
    ['mailgrade completion ', ['bash', 'fish', 'zsh']],
    ['mailgrade help ', ['check', 'completion', 'scan']],
    ['mailgrade check --report ', ['json', 'sarif', 'text']],
    ['mailgrade check --report=s', ['sarif']],
  ])('%s offers %j', (line, expected) => {
    expect(offered(line)).toEqual(expected)
  })

  test.each([
    'mailgrade check --report json=',
    'mailgrade check --report json=my',
    'mailgrade check --report=json=my',
  ])('%s offers files', (line) => {
    const files = offered(line).map((file) => file.replace('json=', ''))
    expect(files).toContain('my domains.txt')
  })

  test.each([
    'mailgrade scan domains.txt ',
    'mailgrade scan --html page.html domains.txt ',
    'mailgrade completion bash ',
    'mailgrade help scan ',
  ])('%s offers no second argument', (line) => {
    expect(offered(line).filter((word) => !word.startsWith('-'))).toEqual([])
  })

  test.each(['mailgrade example.com ', 'mailgrade check ', 'mailgrade --resolver '])(
    '%s offers nothing, because a domain or URL cannot be guessed',
    (line) => {
      expect(offered(line)).toEqual([])
    },
  )

  test.each(['mailgrade scan ', 'mailgrade scan --html '])('%s offers files', (line) => {
    expect(offered(line)).toEqual(expect.arrayContaining(['my domains.txt', 'results']))
  })

  test.each(['mailgrade scan --out ', 'mailgrade scan -o '])('%s offers folders', (line) => {
    expect(offered(line)).toEqual(['results'])
  })

  test('every command and option of the program is offered', () => {
    const commands = describeCompletion(COMMANDS)
    expect(normalize(complete(commands, 'mailgrade '))).toEqual(
      commands.map(({ name }) => name).sort(),
    )
    for (const { name, options } of commands.filter((it) => it.options.length > 0)) {
      const flags = options.flatMap((option) => option.flags).filter((it) => it.startsWith('--'))
      expect(normalize(complete(commands, `mailgrade ${name} --`))).toEqual(flags.sort())
    }
  })
})

describe('descriptions', () => {
  test('are shown by zsh, with their punctuation', () => {
    const resolver = 'resolver [DoH]: a URL'
    const { screen } = typeInZsh(COMPLETION_FIXTURE, 'mailgrade check --', resolver)
    expect(screen).toContain("how to write the domain's result")
    const summary = "check a file's domains"
    expect(typeInZsh(COMPLETION_FIXTURE, 'mailgrade ', summary).screen).toContain(summary)
  })

  test('are shown by fish', () => {
    expect(completeInFish(COMPLETION_FIXTURE, 'mailgrade check --')).toEqual(
      expect.arrayContaining([
        '--resolver\tresolver [DoH]: a URL',
        "--format\thow to write the domain's result",
      ]),
    )
    expect(completeInFish(COMPLETION_FIXTURE, 'mailgrade sc')).toEqual([
      "scan\tcheck a file's domains",
    ])
  })
})
