import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failed } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RunOptions, runMailgrade } from '../../test/support/run-mailgrade.js'

const zone = `good.test. MX 10 mail.good.test.
mail.good.test. A 192.0.2.1
good.test. TXT "v=spf1 mx -all"
_dmarc.good.test. TXT "v=DMARC1; p=none"
parked.test. TXT "v=spf1 -all"
parked.test. MX 0 .
_dmarc.parked.test. TXT "v=DMARC1; p=reject"
xn--bcher-kva.test. TXT "v=spf1 -all"
`

/** Part of every POSIX system. */
const MAKE_PIPE = 'mkfifo'

/** A resolver on this computer has no rate limit. */
const LOCAL = ['--resolver', 'https://localhost/dns-query']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-scan-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function writeInput(text: string, name = 'domains.txt'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const scan = (line: readonly string[], options: RunOptions = {}) =>
  runMailgrade(['scan', ...line, ...LOCAL], { zone, ...options })

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('the results', () => {
  test('are reports and errors as ndjson, and nothing else is on stdout', async () => {
    const stdin = 'parked.test\nnot a domain\nnowhere.test\n'
    const { stdout, exitCode } = await scan(['-', '--concurrency', '1'], { stdin })
    const [parked, invalid, unknown] = lines(stdout)
    expect(parked).toMatchObject({
      domain: 'parked.test',
      status: 'pass',
      meta: { resolvers: ['zone'] },
    })
    expect(invalid).toEqual({
      domain: 'not a domain',
      error: {
        code: 'invalid_input',
        detail: 'The text contains a space. Enter one domain name, address, or URL without spaces.',
      },
    })
    expect(unknown.error.code).toBe('unknown_domain')
    expect(exitCode).toBe(1)
  })

  test('are summaries with --brief', async () => {
    const { stdout } = await scan(['-', '--brief'], { stdin: 'good.test' })
    const [{ checkedAt, ...row }] = lines(stdout)
    expect(row).toEqual({
      domain: 'good.test',
      status: 'fail',
      verdict: 'Exposed',
      answer: 'Anyone can send email as this domain.',
      spoofable: 'yes',
      policy: 'none',
      spf: '1 of 10 lookups',
      dkim: 'No key',
      dmarc: 'Policy none',
      mx: '1 server',
      fixFirst: row.fixFirst,
      findings: row.findings,
    })
    expect(row.findings).toContain('dmarc.policy-none')
    expect(Date.parse(checkedAt)).toBeGreaterThan(0)
  })

  test('are a CSV table that a parser reads, without formulas', async () => {
    const stdin = 'parked.test\n=HYPERLINK("x")\n'
    const { stdout } = await scan(['-', '--format', 'csv', '--concurrency', '1'], { stdin })
    expect(stdout.startsWith('Domain,Verdict,')).toBe(true)
    const [parked, formula] = parse<Record<string, string>>(stdout, { columns: true })
    expect(parked).toMatchObject({
      Domain: 'parked.test',
      Verdict: 'Protected',
      Spoofable: 'no',
      Policy: 'reject',
      MX: 'Accepts no mail (null MX)',
      Error: '',
    })
    expect(formula).toMatchObject({ Domain: '\'=HYPERLINK("x")', Error: 'invalid_input' })
  })

  test('are one line of CSV each, whatever a cell of the list has', async () => {
    const input = writeInput('domain\n"x y\n::add-mask::z"\n', 'domains.csv')
    const { stdout } = await scan([input, '--format', 'csv'])
    expect(stdout.trim().split('\r\n')[1]).toMatch(/^x y⟨U\+000A⟩::add-mask::z,Not a domain,/)
  })

  test('have each domain once, however it is written', async () => {
    const stdin = 'bücher.test\nXN--BCHER-KVA.test\nhttps://www.bücher.test/\ninfo@bücher.test\n'
    const { stdout } = await scan(['-'], { stdin })
    expect(lines(stdout).map(({ domain }) => domain)).toEqual(['xn--bcher-kva.test'])
  })

  test('are one file for each domain with --out-dir; other entries name no file', async () => {
    const input = writeInput('parked.test\n../../evil\nnowhere.test\n')
    const out = join(folder, 'out')
    await scan([input, '--out-dir', out])
    expect(readdirSync(out).sort()).toEqual([
      'not-domains.ndjson',
      'nowhere.test.json',
      'parked.test.json',
    ])
    const parked = JSON.parse(readFileSync(join(out, 'parked.test.json'), 'utf8'))
    expect(parked).toMatchObject({ domain: 'parked.test', status: 'pass' })
    expect(lines(readFileSync(join(out, 'not-domains.ndjson'), 'utf8'))[0].domain).toBe(
      '../../evil',
    )
  })

  test('wait while stdout is full', async () => {
    let drain = () => {}
    const written: string[] = []
    const stdout = {
      write(text: string) {
        written.push(text)
        return false
      },
      once(_: 'drain', listener: () => void) {
        drain = listener
      },
    }
    const stdin = 'parked.test\ngood.test\n'
    const ended = scan(['-', '--concurrency', '1'], { stdin, stdout } as RunOptions)
    await expect.poll(() => written.length).toBe(1)
    // A zone answers within a few turns of the event loop, so the second result would be there.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
    expect(written).toHaveLength(1)
    drain()
    await expect.poll(() => written.length).toBe(2)
    drain()
    expect((await ended).exitCode).toBe(1)
  })
})

test('a limited rate checks few domains at a time, so results come early', async () => {
  const dns = createZoneDns('zone', zone)
  let queries = 0
  const openDns = () => ({
    query(name: string, type: 'TXT') {
      queries++
      return dns.query(name, type)
    },
    close() {},
  })
  const interrupt = new AbortController()
  let queriesToFirstResult = 0
  const stdout = {
    write() {
      queriesToFirstResult ||= queries
      interrupt.abort()
      return true
    },
    once() {},
  }
  const stdin = Array.from({ length: 30 }, (_, index) => `d${index}.good.test\n`).join('')
  const options = { stdin, stdout, openDns, signal: interrupt.signal } as unknown as RunOptions
  const { exitCode, stderr } = await scan(['-', '--rate', '400', '--concurrency', '30'], options)
  expect(exitCode).toBe(3)
  expect(stderr).toContain('You can’t resume it, because --resume needs an input file')
  expect(queriesToFirstResult).toBeGreaterThan(0)
  expect(queriesToFirstResult).toBeLessThan(100)
})

describe('the exit code', () => {
  test.each([
    ['0: all fine', 'parked.test', [], 0],
    ['1: a finding', 'parked.test\ngood.test', [], 1],
    ['0: findings below --fail-on', 'good.test', ['--fail-on', 'critical'], 0],
    ['1: no such domain', 'nowhere.test', [], 1],
    ['3: not a domain', 'parked.test\nx y', [], 3],
    ['1: a finding and not a domain', 'x y\ngood.test', [], 1],
    ['0: an empty list', '# nothing\n', [], 0],
  ])('is %s', async (_, stdin, options, expected) => {
    expect((await scan(['-', ...options], { stdin })).exitCode).toBe(expected)
  })

  test.each([
    ['both outputs', ['x', '--out', 'a', '--out-dir', 'b'], 'Use --out or --out-dir, not both.\n'],
    [
      'CSV files for each domain',
      ['x', '--out-dir', 'b', '--format', 'csv'],
      '--out-dir writes JSON files. To get CSV, use --out.\n',
    ],
    [
      'a pipe to resume',
      ['-', '--out', 'a', '--resume'],
      '--resume needs an input file, because a pipe can’t be read twice.\n',
    ],
    [
      'nothing to resume',
      ['x', '--resume'],
      '--resume needs the same --out or --out-dir as the interrupted scan.\n',
    ],
    [
      'no input file',
      ['missing.txt'],
      'We couldn’t read missing.txt: there’s no such file. Check the path.\n',
    ],
    [
      'a folder as input',
      ['packages'],
      'We couldn’t read packages: it’s a folder. Check the path.\n',
    ],
    [
      'no folder for the output',
      ['package.json', '--out', 'missing/a'],
      'We couldn’t write missing/a.journal: its folder doesn’t exist.\n',
    ],
  ])('is 2 for %s', async (_, line, message) => {
    expect(await scan(line)).toEqual({ exitCode: 2, stdout: '', stderr: message })
  })
})

describe('the list', () => {
  const name = (path: string) => join(folder, path)

  test.each([
    ['--out', 'domains.txt'],
    ['--html', 'domains.txt'],
    ['--out', 'symbolic-link'],
    ['--html', 'hard-link'],
  ])('is never overwritten by %s %s', async (option, path) => {
    const input = writeInput('parked.test\n')
    symlinkSync('domains.txt', name('symbolic-link'))
    linkSync(input, name('hard-link'))
    expect(await scan([input, option, name(path)])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${option} would overwrite the input file. Choose a different file.\n`,
    })
    expect(readFileSync(input, 'utf8')).toBe('parked.test\n')
  })

  test.each([
    ['--out-dir', 'results', 'results/not-domains.ndjson'],
    ['--out', 'out.ndjson', 'out.ndjson.journal'],
  ])('is no file that the scan itself writes: %s %s', async (option, output, path) => {
    mkdirSync(name('results'))
    const input = writeInput('parked.test\n', path)
    expect(await scan([input, option, name(output)])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `The scan would overwrite your input file, because it also writes to ${input}. Choose a different output.\n`,
    })
    expect(readFileSync(input, 'utf8')).toBe('parked.test\n')
  })

  test('may be a pipe with a name, which is read once', async () => {
    const pipe = name('pipe')
    execFileSync(MAKE_PIPE, [pipe])
    const writer = open(pipe, 'w').then(async (file) => {
      await file.writeFile('parked.test\n')
      await file.close()
    })
    const { stdout, exitCode } = await scan([pipe])
    await writer
    expect(lines(stdout).map(({ domain }) => domain)).toEqual(['parked.test'])
    expect(exitCode).toBe(0)
  })
})

test.each([
  ['--out', 'out.ndjson'],
  ['--out-dir', 'out'],
])('a second scan to the same %s is refused while the first one runs', async (option, name) => {
  const input = writeInput('parked.test\n')
  const line = [input, option, join(folder, name)]
  const dns = createZoneDns('zone', zone)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const openDns = () => ({
    query: (name: string, type: 'TXT') => released.then(() => dns.query(name, type)),
    close() {},
  })
  const first = scan(line, { openDns: openDns as never })
  await expect.poll(() => existsSync(join(folder, name))).toBe(true)
  for (const again of [line, [...line, '--resume']]) {
    expect(await scan(again)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `Another scan is writing to ${line[2]}. Wait for it to finish, or choose a different output.\n`,
    })
  }
  release()
  expect((await first).exitCode).toBe(0)
  expect((await scan(line)).exitCode).toBe(0)
})

test('a device may be the output of several scans, and no journal is beside it', async () => {
  const input = writeInput('parked.test\n')
  const line = [input, '--out', '/dev/null']
  const results = await Promise.all([scan(line), scan(line)])
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  expect(existsSync('/dev/null.journal')).toBe(false)
})

test('a folder of results with a link in it leads to no other file', async () => {
  const out = join(folder, 'out')
  const other = writeInput('something else\n', 'other.txt')
  mkdirSync(out)
  symlinkSync(other, join(out, '.unfinished'))
  await scan([writeInput('parked.test\n'), '--out-dir', out])
  expect(readFileSync(other, 'utf8')).toBe('something else\n')
  const file = join(out, 'parked.test.json')
  expect(lstatSync(file).isFile()).toBe(true)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ domain: 'parked.test' })
})

test.each([
  ['--out-dir', 'out', 'out/not-domains.ndjson'],
  ['--out-dir', 'out', 'out/.scan.journal'],
  ['--out', 'out.ndjson', 'out.ndjson.journal'],
])('with %s %s, a link at %s is not followed', async (option, output, link) => {
  const other = writeInput('something else\n', 'other.txt')
  const path = join(folder, link)
  mkdirSync(join(folder, 'out'))
  for (const target of [other, join(folder, 'missing.txt')]) {
    symlinkSync(target, path)
    expect(await scan([writeInput('parked.test\n'), option, join(folder, output)])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${path} is a link, and scans don’t follow links. Delete it, or choose a different output.\n`,
    })
    rmSync(path)
  }
  expect(readFileSync(other, 'utf8')).toBe('something else\n')
  expect(existsSync(join(folder, 'missing.txt'))).toBe(false)
})

test.each([
  ['--out', 'out.ndjson', 'out.ndjson.journal'],
  ['--out-dir', 'out', 'out/.scan.journal'],
  ['--out-dir', 'out', 'out/not-domains.ndjson'],
])('with %s %s, the HTML report is not %s', async (option, name, html) => {
  const line = [writeInput('parked.test\n'), option, join(folder, name)]
  expect(await scan([...line, '--html', join(folder, html)])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'The scan already writes to the file you gave for --html. Choose a different one.\n',
  })
  expect(readdirSync(folder)).toEqual(['domains.txt'])
})

test('the results and the HTML report are not written to the same file', async () => {
  const out = join(folder, 'out')
  const { exitCode, stderr } = await scan(['-', '--out', out, '--html', out], { stdin: 'x.test' })
  expect(stderr).toBe('--out and --html are the same file. Use a different file for each.\n')
  expect(exitCode).toBe(2)
  symlinkSync('second-link', join(folder, 'link'))
  symlinkSync(out, join(folder, 'second-link'))
  const linked = await scan(['-', '--out', out, '--html', join(folder, 'link')], {
    stdin: 'x.test',
  })
  expect(linked).toEqual({ exitCode, stdout: '', stderr })
})

describe('DNS that fails', () => {
  test('for a while is queried again, and nothing is lost', async () => {
    const dns = createZoneDns('zone', zone)
    const failedOnce = new Set<string>()
    const openDns = () => ({
      async query(name: string, type: 'TXT') {
        const key = `${type} ${name}`
        if (name === '.' || failedOnce.has(key)) return dns.query(name, type)
        failedOnce.add(key)
        return failed('malformed', 'garbage')
      },
      close() {},
    })
    const healthy = await scan(['-', '--brief'], { stdin: 'good.test' })
    const flaky = await scan(['-', '--brief'], { stdin: 'good.test', openDns: openDns as never })
    const withoutTime = ({ checkedAt: _, ...row }: { checkedAt: string }) => row
    expect(lines(flaky.stdout).map(withoutTime)).toEqual(lines(healthy.stdout).map(withoutTime))
  })

  test('for good stops the scan, and no domain is called missing', async () => {
    const openDns = () => ({ query: async () => failed('unreachable', 'no route'), close() {} })
    const input = writeInput('good.test\nparked.test\n')
    const out = join(folder, 'out.ndjson')
    const line = [input, '--out', out, '--timeout', '0.001', '--concurrency', '1']
    const { exitCode, stderr } = await scan(line, { openDns })
    expect(exitCode).toBe(3)
    expect(stderr).toContain(
      'The scan stopped after 1 domain, because no resolver answered for 0.001 seconds. To continue, run the same command with --resume.',
    )
    expect(lines(readFileSync(out, 'utf8'))).toEqual([
      {
        domain: 'good.test',
        error: {
          code: 'dns_unavailable',
          detail:
            'We couldn’t look up MX good.test because we couldn’t reach any resolver. Try again in a moment.',
        },
      },
    ])
    const resumed = await scan([...line, '--resume'])
    expect(resumed.exitCode).toBe(3)
    expect(lines(readFileSync(out, 'utf8')).map(({ domain }) => domain)).toEqual([
      'good.test',
      'parked.test',
    ])
    expect(existsSync(`${out}.journal`)).toBe(false)
  })
})

test('the summary and the HTML report say what was found', async () => {
  const stdin = 'good.test\nparked.test\n<script>alert(1)</script>\nnowhere.test\n'
  const html = join(folder, 'report.html')
  const { stderr } = await scan(['-', '--html', html], { stdin })
  expect(stderr).toMatch(/Exposed +│ +1 │ +25%/)
  expect(stderr).toMatch(/reject +│ +1 │ +25%/)
  expect(stderr).toContain('dmarc.policy-none')
  const text = readFileSync(html, 'utf8')
  expect(text).toContain('<h1>Email security for 4 domains</h1>')
  expect(text).toContain('Created by Mailgrade on 2026-11-17 12:00 UTC.')
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(text).not.toContain('<script')
  expect(text).not.toMatch(/(?:src|href)=/)
  expect(text.indexOf('good.test</th>')).toBeLessThan(text.indexOf('parked.test</th>'))
})
