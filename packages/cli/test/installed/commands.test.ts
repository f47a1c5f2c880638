/**
 * The packed packages in an empty folder: every command over BIND, on every supported Node, at 80
 * and 120 columns. `UPDATE_GOLDEN=1` writes the golden files; read the difference before you commit.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DemoBind, startDemoBind } from '../support/demo-bind.js'
import { installPackages, packPackages } from '../support/packed-packages.js'
import { CASES } from './cases.js'

const NODES = ['20.20.2', '22.23.3', '24.21.0'] as const
/** Only what wraps text differs between widths, and no Node wraps differently. */
const RUNS = [
  { version: NODES[0], columns: 80 },
  { version: NODES[0], columns: 120 },
  { version: NODES[1], columns: 80 },
  { version: NODES[2], columns: 80 },
]
const DOMAINS = `# Customers
good.test
monitoring.test
nowhere.test
not a domain
GOOD.test
parked.test
`
const GOLDEN = resolve('packages/cli/test/installed/golden')

let folder: string
let project: string
let bind: DemoBind

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-installed-'))
  project = join(folder, 'project')
  installPackages(project, packPackages(folder))
  writeFileSync(join(project, 'domains.txt'), DOMAINS)
  cpSync(resolve('packages/cli/test/fixtures/aggregate'), join(project, 'reports'), {
    recursive: true,
  })
  for (const version of NODES) nodeProgram(version)
  bind = await startDemoBind()
}, 240_000)

afterAll(async () => {
  await bind?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const programs = new Map<string, string>()

function nodeProgram(version: string): string {
  const known = programs.get(version)
  if (known) return known
  const args = ['scripts/install-node.mjs', version]
  const program = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
  programs.set(version, program)
  return program
}

interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

function runInstalled(version: string, line: readonly string[], columns: number): Promise<Run> {
  const program = join(project, 'node_modules/mailgrade/dist/main.js')
  const env = { PATH: process.env.PATH, COLUMNS: `${columns}`, NODE_EXTRA_CA_CERTS: bind.caFile }
  return new Promise((done) => {
    execFile(
      nodeProgram(version),
      [program, ...line],
      { cwd: project, env },
      (error, stdout, stderr) => done({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    ).stdin?.end()
  })
}

describe.each(RUNS)('on Node $version at $columns columns', ({ version, columns }) => {
  test.each(CASES)('$name', async ({ name, line, needsDns = true }) => {
    rmSync(join(project, 'state.json'), { force: true })
    const resolver = needsDns ? ['--resolver', bind.url] : []
    const run = await runInstalled(version, [...line, ...resolver], columns)
    const actual = `$ mailgrade ${line.join(' ')}\n${normalize(run)}`
    const file = join(GOLDEN, `${name}.${columns}.txt`)
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, actual)
    expect(actual).toBe(readFileSync(file, 'utf8'))
  })
})

/** What differs between two runs: times, days and the port of the resolver. */
function normalize({ exitCode, stdout, stderr }: Run): string {
  const output = `${stdout}${stderr && `--- standard error\n${stderr}`}--- exit code ${exitCode}\n`
  return output
    .replaceAll(project, '<project>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<resolver>')
    .replaceAll(/\b\d+ ms\b/g, '<n> ms')
    .replaceAll(/"durationMs": ?\d+/g, '"durationMs": <n>')
    .replaceAll(/\btime="[\d.]+"/g, 'time="<n>"')
    .replaceAll(/\b20\d\d-\d\d-\d\d(T[\d:.]+Z?)?/g, '<date>')
    .replaceAll(/\b20\d{6}\b/g, '<date>')
}

test('the installation takes at most 25 MB', () => {
  const [size = ''] = execFileSync('du', ['-sk', 'node_modules'], {
    cwd: project,
    encoding: 'utf8',
  }).split('\t')
  expect(Number(size)).toBeLessThanOrEqual(25 * 1024)
})
