import { failed } from '@mailgrade/doh/dns'
import { describe, expect, test } from 'vitest'
import { runMailgrade } from '../../test/support/run-mailgrade.js'
import type { DohOptions } from '../library.js'

const zone = `good.test. MX 10 mail.good.test.
mail.good.test. A 192.0.2.1
good.test. TXT "v=spf1 mx -all"
_dmarc.good.test. TXT "v=DMARC1; p=none"
parked.test. TXT "v=spf1 -all"
parked.test. MX 0 .
_dmarc.parked.test. TXT "v=DMARC1; p=reject"
`

describe('the command', () => {
  test('is check if none is given', async () => {
    const short = await runMailgrade(['parked.test', '--format', 'ndjson'], { zone })
    expect(JSON.parse(short.stdout)).toMatchObject({ domain: 'parked.test', status: 'pass' })
  })

  test('may come after options', async () => {
    const { stdout } = await runMailgrade(['--format', 'json', 'check', 'parked.test'], { zone })
    expect(JSON.parse(stdout)).toMatchObject({ domain: 'parked.test' })
  })

  test('may come after short options', async () => {
    const { stdout } = await runMailgrade(['-f', 'json', 'check', 'parked.test'], { zone })
    expect(JSON.parse(stdout)).toMatchObject({ domain: 'parked.test' })
  })

  test('is not looked for in the value of an option', async () => {
    const line = ['--selector', 'check', 'parked.test', '--format', 'json']
    const { stdout } = await runMailgrade(line, { zone })
    expect(JSON.parse(stdout).domain).toBe('parked.test')
  })
})

describe('the exit code', () => {
  test.each([
    ['0: fine', ['parked.test'], 0],
    ['1: a finding', ['good.test'], 1],
    ['1: no such domain', ['nowhere.test'], 1],
    ['0: findings below --fail-on', ['good.test', '--fail-on', 'critical'], 0],
    ['2: not a domain', ['check', '192.0.2.1'], 2],
    ['2: no domain', ['check'], 2],
    ['2: an unknown option', ['check', 'good.test', '--formt', 'json'], 2],
    ['2: an unknown format', ['check', 'good.test', '--format', 'xml'], 2],
    ['0: help', ['--help'], 0],
  ] as const)('is %s', async (_, line, expected) => {
    expect((await runMailgrade(line, { zone })).exitCode).toBe(expected)
  })

  test('is 3 if DNS cannot be reached, and nothing is called missing', async () => {
    const openDns = () => ({
      query: async () => failed('unreachable', 'no route'),
      close() {},
    })
    const { exitCode, stdout, stderr } = await runMailgrade(['good.test'], { openDns })
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
    expect(stderr).toBe(
      'good.test: We couldn’t look up MX good.test because we couldn’t reach any resolver. Try again in a moment.\nWe got no answer from cloudflare-dns.com, dns.google. If your network blocks DNS over HTTPS, use a different endpoint with --resolver.\n',
    )
  })
})

test('with --timeout 60, a resolver has 18 seconds for a query', async () => {
  const opened: unknown[] = []
  const openDns = (options: DohOptions) => {
    opened.push(options)
    return { query: async () => failed('unreachable', 'no route'), close() {} }
  }
  await runMailgrade(['good.test', '--timeout', '60'], { openDns })
  expect(opened).toEqual([{ queryTimeoutMs: 18_000 }])
})

test('a mistake is explained with the nearest option', async () => {
  const { stderr } = await runMailgrade(['check', 'good.test', '--formt', 'json'])
  expect(stderr).toBe(
    "Unknown option '--formt'. Did you mean --format? Run mailgrade check --help to see the options.\n",
  )
})

test.each([
  'ftp://ann:secret@dns.test/',
  'https://ann:sec/ret@dns.test/',
  'ann:secret@dns.test',
  'https:\\\\ann:secret＠dns.test',
  'ann:secret%40dns.test',
])('a message does not repeat the login of a URL: %s', async (url) => {
  const { stderr } = await runMailgrade(['good.test', '--resolver', url])
  expect(stderr).toBe(
    'This isn’t a valid value for --resolver. Use a URL such as https://dns.google/dns-query. Run mailgrade check --help to see the options.\n',
  )
})

test('a message does not repeat the value of an unknown option', async () => {
  const { stderr } = await runMailgrade([
    'check',
    'good.test',
    '--sever=https://ann:se/cret@dns.test',
  ])
  expect(stderr).toBe("Unknown option '--sever'. Run mailgrade check --help to see the options.\n")
})

test('a message shows invisible characters of an argument or a file as code points', async () => {
  const option = await runMailgrade(['check', 'good.test', '--\u001b[31mred\u202e'])
  expect(option.stderr).toBe(
    "Unknown option '--⟨U+001B⟩[31mred⟨U+202E⟩'. Run mailgrade check --help to see the options.\n",
  )
  const file = await runMailgrade(['scan', '-', '--column', 'x'], { stdin: '\u001b[31m\n' })
  expect(file.stderr).toBe('The CSV file doesn’t have a column x. It has 1: ⟨U+001B⟩[31m.\n')
})

test('no text of an argument or a file adds a line to a message', async () => {
  const option = await runMailgrade(['check', 'good.test', '--x\n::error::y'])
  expect(option.stderr).toBe(
    "Unknown option '--x⟨U+000A⟩::error::y'. Run mailgrade check --help to see the options.\n",
  )
  const stdin = '"a\n::error::b",c\n'
  const file = await runMailgrade(['scan', '-', '--column', 'x'], { stdin })
  expect(file.stderr).toBe(
    'The CSV file doesn’t have a column x. It has 2: a⟨U+000A⟩::error::b, c.\n',
  )
})

test('color appears on a terminal only, and NO_COLOR turns it off', async () => {
  const colorCode = '\u001b['
  const run = (options: object) => runMailgrade(['parked.test'], { zone, ...options })
  expect((await run({})).stdout).not.toContain(colorCode)
  expect((await run({ terminal: 80 })).stdout).toContain(colorCode)
  expect((await run({ terminal: 80, env: { NO_COLOR: '1' } })).stdout).not.toContain(colorCode)
})

test('several domains are printed in the order given', async () => {
  const line = ['parked.test', 'nowhere.test', 'good.test', '--format', 'ndjson']
  const { stdout } = await runMailgrade(line, { zone })
  const domains = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text).domain)
  expect(domains).toEqual(['parked.test', 'nowhere.test', 'good.test'])
})

describe('a mistyped command', () => {
  test.each([
    [['scna', 'domains.txt', '--out', 'x'], 'scan'],
    [['chekc', 'example.com'], 'check'],
    [['help', 'chekc'], 'check'],
  ])('%j gets the command that was meant, and nothing is looked up', async (line, meant) => {
    const word = line.find((it) => it !== 'help')
    expect(await runMailgrade(line)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${word} isn’t a command. Did you mean ${meant}? Run mailgrade --help to see the commands.\n`,
    })
  })

  test('without a similar command may also be a domain without its end', async () => {
    const { exitCode, stderr } = await runMailgrade(['acme'])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        'acme isn’t a command, and it isn’t a full domain name such as example.com. Run mailgrade --help to see the commands.\n',
    })
  })
})

describe('the help', () => {
  test('is shown without arguments, as an error', async () => {
    const { exitCode, stdout, stderr } = await runMailgrade([])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toBe((await runMailgrade(['--help'])).stdout)
  })

  test.each([
    [
      ['help', 'scan'],
      ['scan', '--help'],
    ],
    [['help'], ['--help']],
    [['help', 'help'], ['--help']],
    [
      ['example.com', '--help'],
      ['check', '--help'],
    ],
  ])('of %j is that of %j', async (line, same) => {
    const help = await runMailgrade(line)
    expect(help).toEqual(await runMailgrade(same))
    expect(help.exitCode).toBe(0)
  })

  test('is as wide as the terminal, or as COLUMNS says', async () => {
    const widest = async (options: object) => {
      const { stdout } = await runMailgrade(['check', '--help'], options)
      const [listed = ''] = stdout.split('Examples:')
      return Math.max(...listed.split('\n').map((line) => line.length))
    }
    expect(await widest({ terminal: 50 })).toBeLessThanOrEqual(50)
    expect(await widest({ env: { COLUMNS: '120' } })).toBeGreaterThan(80)
  })
})

describe('a mistake in the options', () => {
  const explained = async (...line: string[]) => (await runMailgrade(line)).stderr

  test.each([
    [['check', 'a.test', '--json'], "Unknown option '--json'. Use --format json."],
    [
      ['a.test', '--no-color'],
      "Unknown option '--no-color'. Set the environment variable NO_COLOR=1 instead.",
    ],
    [
      ['check', 'a.test', '--output', 'x'],
      "Unknown option '--output'. Use --report instead, such as --report json=mail.json.",
    ],
    [
      ['check', 'a.test', '--format', 'xml'],
      "'xml' isn’t a valid value for --format. Allowed choices are text, json, ndjson, csv, markdown, junit, sarif.",
    ],
    [
      ['check', 'a.test', '--timeout', '0'],
      "'0' isn’t a valid value for --timeout. Use a number greater than 0.",
    ],
    [['check', 'a.test', '--resolver'], 'This option needs a value: --resolver <url>.'],
    [['check', '--wrong', 'a.test'], "Unknown option '--wrong'."],
  ])('%j is explained', async (line, sentence) => {
    expect(await explained(...line)).toBe(
      `${sentence} Run mailgrade check --help to see the options.\n`,
    )
  })

  test('that is missing is explained with what it should be', async () => {
    expect(await explained('completion')).toBe(
      'mailgrade completion needs <bash|zsh|fish>: your shell. Run mailgrade completion --help to see the options.\n',
    )
  })
})
