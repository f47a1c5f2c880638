import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ACTION, runAction } from './run-action.js'

const MAIN = resolve('packages/cli/dist/main.js')

const zone = `acme.test. MX 10 mail.acme.test.
mail.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:d@acme.test"
parked.test. TXT "v=spf1 -all"
parked.test. MX 0 .
_dmarc.parked.test. TXT "v=DMARC1; p=reject"
other.test. TXT "v=spf1 -all"
other.test. MX 0 .
_dmarc.other.test. TXT "v=DMARC1; p=reject"
hostile.test. MX 10 mail.acme.test.
hostile.test. TXT "v=spf1 \\010::error::from-dns\\010::add-mask::a ##[error]b include:[x](https://evil.test) %0A::error::c -all"
_dmarc.hostile.test. TXT "v=DMARC1; p=none; rua=mailto:d@hostile.test"
`

let server: DohServer
let folder: string

beforeAll(async () => {
  server = await startDohServer(zone, 'http/1.1')
})
afterAll(() => server.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-action-'))
  server.respond = (exchange) => exchange.send()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (
  inputs: Record<string, string>,
  env: Record<string, string> = { MAILGRADE_BIN: MAIN },
) => runAction(folder, { resolver: server.url.href, ...inputs }, env)

const breakDns = () => {
  server.respond = ({ response }) => {
    response.statusCode = 503
    response.end()
  }
}

describe('action.yml', () => {
  test('has no expression in a script, where an input could add commands', () => {
    expect(ACTION.runs.using).toBe('composite')
    expect(ACTION.runs.steps.map(({ shell, run }) => [shell, run])).toEqual([
      ['bash', 'node "$GITHUB_ACTION_PATH/scripts/github-action.mjs"'],
    ])
  })

  test('passes every input, and its version is that of the package', () => {
    const passed = ACTION.runs.steps.flatMap(({ env }) => Object.values(env))
    expect(passed).toEqual(
      expect.arrayContaining(Object.keys(ACTION.inputs).map((name) => `\${{ inputs.${name} }}`)),
    )
    const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'))
    expect(ACTION.inputs.version?.default).toBe(version)
  })
})

describe('docs/github-action.md', () => {
  const text = readFileSync('docs/github-action.md', 'utf8')

  test('lists every input and output', () => {
    const rows = [...text.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name]) => name)
    expect(rows).toEqual([...Object.keys(ACTION.inputs), ...Object.keys(ACTION.outputs)])
  })

  test('has workflows that use inputs of the action', () => {
    const workflows = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) =>
      parse(yaml),
    )
    const steps = workflows.flatMap(({ jobs }) => jobs.mailgrade.steps)
    const own = steps.filter(({ uses }) => uses.startsWith('OWNER/mailgrade@v'))
    expect(own).toHaveLength(2)
    expect(Object.keys(ACTION.inputs)).toEqual(
      expect.arrayContaining(own.flatMap((step) => Object.keys(step.with))),
    )
    const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'))
    expect(own.map(({ uses }) => uses)).toEqual(own.map(() => `OWNER/mailgrade@v${version}`))
  })
})

describe('a domain without findings', () => {
  test('passes, with a summary and an empty SARIF file', async () => {
    const { exitCode, outputs, summary, annotations } = await run({
      domains: 'parked.test',
      'sarif-file': 'out/mail.sarif',
    })
    expect(exitCode).toBe(0)
    expect(outputs).toEqual({ result: 'fine', 'exit-code': '0', 'sarif-file': 'out/mail.sarif' })
    expect(summary).toContain('| parked.test | ✓ Protected | nothing |')
    expect(annotations).toEqual([])
    const { runs } = JSON.parse(readFileSync(join(folder, 'out/mail.sarif'), 'utf8'))
    expect(runs[0].results).toEqual([])
  })
})

describe('a domain with findings', () => {
  test('fails, with an annotation for each finding at or above fail-on', async () => {
    const { exitCode, outputs, summary, annotations } = await run({
      domains: 'acme.test',
      'sarif-file': 'mail.sarif',
    })
    expect(exitCode).toBe(1)
    expect(outputs).toEqual({ result: 'findings', 'exit-code': '1', 'sarif-file': 'mail.sarif' })
    expect(summary).toContain('| acme.test | ✕ Exposed | 2 high')
    expect(annotations.map(({ level, title }) => `${level} ${title}`)).toEqual([
      'error acme.test: dkim.missing',
      'error acme.test: dmarc.policy-none',
    ])
    expect(annotations[1]?.message.split('\n')).toEqual([
      expect.stringContaining('forged mail can reach the inbox'),
      expect.stringContaining('"v=DMARC1; p=quarantine; rua=mailto:d@acme.test"'),
      'TXT at _dmarc.acme.test: v=DMARC1; p=quarantine; rua=mailto:d@acme.test',
    ])
  })

  test('passes below fail-on, and looks up the given selectors', async () => {
    const inputs = { domains: 'acme.test', 'fail-on': 'critical', selectors: 's1, s2' }
    const { exitCode, outputs, annotations } = await run(inputs)
    expect(exitCode).toBe(0)
    expect(outputs).toEqual({ result: 'fine', 'exit-code': '0', 'sarif-file': '' })
    expect(annotations).toEqual([])
    expect(server.queries).toContain('TXT s2._domainkey.acme.test')
  })
})

test('domains come from the input and the file, each once', async () => {
  writeFileSync(
    join(folder, 'domains.txt'),
    '# ours\nother.test # parked\n\nparked.test,acme.test\n',
  )
  const inputs = { domains: 'acme.test,\n  parked.test ', 'domains-file': 'domains.txt' }
  const { summary } = await run(inputs)
  expect(summary.match(/^\| \w+\.test/gm)).toEqual(['| acme.test', '| parked.test', '| other.test'])
})

test.each(['utf-16le', 'utf-16be', 'utf-8'])(
  'the file may be %s with its mark',
  async (encoding) => {
    const bytes = Buffer.from('\ufeffparked.test\r\n', encoding === 'utf-8' ? 'utf8' : 'utf16le')
    writeFileSync(join(folder, 'domains.txt'), encoding === 'utf-16be' ? bytes.swap16() : bytes)
    const { exitCode, summary } = await run({ 'domains-file': 'domains.txt' })
    expect(summary).toContain('| parked.test | ✓ Protected | nothing |')
    expect(exitCode).toBe(0)
  },
)

describe('without DNS', () => {
  test('fails and says so', async () => {
    breakDns()
    const inputs = { domains: 'acme.test', 'sarif-file': 'mail.sarif' }
    const { exitCode, outputs, annotations } = await run(inputs)
    expect(exitCode).toBe(3)
    // Uploading the file would close the alerts of the domain.
    expect(outputs).toEqual({ result: 'unavailable', 'exit-code': '3', 'sarif-file': '' })
    expect(annotations.map(({ title }) => title)).toEqual(['Not checked', 'Mailgrade'])
    expect(annotations[1]).toEqual({
      level: 'error',
      title: 'Mailgrade',
      message:
        'We couldn’t reach DNS, so some results are unknown. Run the job again in a few minutes.',
    })
  })

  test('passes with allow-unavailable, and the result still says unavailable', async () => {
    breakDns()
    const { exitCode, outputs } = await run({ domains: 'acme.test', 'allow-unavailable': 'true' })
    expect(exitCode).toBe(0)
    expect(outputs).toMatchObject({ result: 'unavailable', 'exit-code': '3' })
  })
})

describe('input that cannot be used', () => {
  test.each([
    ['no domain', {}, 'Set domains or domains-file.'],
    ['no such file', { 'domains-file': 'none.txt' }, 'The domains-file none.txt doesn’t exist.'],
    [
      'a version with an option',
      { domains: 'acme.test', version: '0.4.0 --registry=x' },
      '"0.4.0 --registry=x" isn’t a version of mailgrade.',
    ],
    [
      'another severity',
      { domains: 'acme.test', 'fail-on': 'huge' },
      'Mailgrade didn’t run, so there’s no result. See the log above for the reason.',
    ],
    [
      'a place that is a file',
      { domains: 'parked.test', 'sarif-file': '/dev/null/mail.sarif' },
      "EEXIST: file already exists, mkdir '/dev/null'.",
    ],
  ])('%s', async (_, inputs, message) => {
    const { exitCode, outputs, annotations } = await run(inputs)
    expect(exitCode).toBe(2)
    expect(outputs).toEqual({ result: 'error', 'exit-code': '2', 'sarif-file': '' })
    expect(annotations).toEqual([{ level: 'error', title: 'Mailgrade', message }])
  })

  test('a file with the character NUL', async () => {
    writeFileSync(join(folder, 'domains.txt'), 'parked.test\0')
    const { exitCode, annotations } = await run({ 'domains-file': 'domains.txt' })
    const message = 'The domains-file domains.txt isn’t a text file. Save it as UTF-8 text.'
    expect(annotations).toEqual([{ level: 'error', title: 'Mailgrade', message }])
    expect(exitCode).toBe(2)
  })

  test('a word that is not a domain does not hide the others', async () => {
    const { exitCode, outputs, summary } = await run({ domains: 'parked.test 192.0.2.1' })
    expect(exitCode).toBe(2)
    expect(outputs.result).toBe('error')
    expect(summary).toContain('| parked.test | ✓ Protected | nothing |')
  })
})

describe('hostile input', () => {
  test.each([
    '; touch pwned #',
    '$(touch pwned)',
    '`touch pwned`',
    '" && touch pwned && "',
    "' ; touch pwned ; '",
    'parked.test\ntouch pwned\n',
    '--report=text=pwned',
    '--server=http://127.0.0.1:9',
    `\${{ github.token }}`,
    '%0A::error::pwned',
    '::error::pwned',
    '-',
    '--',
  ])('%j is only text', async (text) => {
    const inputs = [
      { domains: text, selectors: text, 'sarif-file': `reports/${text}` },
      { 'fail-on': text },
      { resolver: text },
      { version: text },
      { 'domains-file': text },
    ]
    const runs = await Promise.all(inputs.map((it) => run({ domains: 'parked.test', ...it })))
    for (const { annotations } of runs) {
      expect(annotations.map(({ message }) => message)).not.toContain('pwned')
    }
    expect(readdirSync(folder)).not.toContain('pwned')
  })

  test('from DNS is no command to the runner', async () => {
    const { log, annotations } = await run({ domains: 'hostile.test' })
    expect(log).toContain('::error::')
    expect(annotations.length).toBeGreaterThan(0)
    for (const { level, title } of annotations) {
      expect(`${level} ${title}`).toMatch(/^error hostile\.test: [a-z]+\.[a-z-]+$/)
    }
  })
})

describe('npx', () => {
  const withNpx = (script: string) => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'npx'), `#!/bin/bash\n${script}\n`)
    chmodSync(join(bin, 'npx'), 0o755)
    return { PATH: `${bin}:${process.env.PATH}` }
  }

  test('runs the given version', async () => {
    const env = withNpx(`echo "$1 $2" > npx-words; shift 2; exec node ${MAIN} "$@"`)
    const { exitCode } = await run({ domains: 'parked.test $(touch pwned)', version: '0.3.9' }, env)
    expect(readFileSync(join(folder, 'npx-words'), 'utf8')).toBe('--yes mailgrade@0.3.9\n')
    expect(exitCode).toBe(2)
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })

  test('that cannot fetch the package is no finding', async () => {
    const { exitCode, outputs } = await run({ domains: 'parked.test' }, withNpx('exit 1'))
    expect(exitCode).toBe(1)
    expect(outputs.result).toBe('error')
  })
})
