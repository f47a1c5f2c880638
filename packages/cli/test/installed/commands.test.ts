/**
 * The packed package in an empty folder: every command over BIND answers as the compiled sources
 * do, so nothing was lost in bundling, packing or installing. `NODE_VERSIONS` adds other Nodes, such
 * as `NODE_VERSIONS="22.23.3 24.21.0"`, and 120 columns; every night it has all that are supported.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { trustOnly } from '@mailgrade/testing/server-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DemoBind, startDemoBind } from '../support/demo-bind.js'
import { installPackage, packRelease } from '../support/packed-package.js'
import { CASES } from './cases.js'

const THIS_NODE = process.versions.node
const OTHER_NODES = process.env.NODE_VERSIONS?.split(/[\s,]+/).filter(Boolean) ?? []
/** No bundle wraps text differently, so a second width can wait for the night. */
const RUNS = [
  { version: THIS_NODE, columns: 80 },
  ...(OTHER_NODES.length > 0 ? [{ version: THIS_NODE, columns: 120 }] : []),
  ...OTHER_NODES.map((version) => ({ version, columns: 80 })),
]
const DOMAINS = `# Customers
good.test
monitoring.test
nowhere.test
not a domain
GOOD.test
parked.test
`
const NAMED = CASES.map((each) => ({ ...each, command: each.line.join(' ') }))
const COMPILED = resolve('packages/cli/build/main.js')

let folder: string
let project: string
let bind: DemoBind

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailgrade-installed-'))
  project = join(folder, 'project')
  installPackage(project, packRelease(folder).tarball)
  writeFileSync(join(project, 'domains.txt'), DOMAINS)
  cpSync(resolve('packages/dmarc-reports/test/fixtures'), join(project, 'reports'), {
    recursive: true,
  })
  for (const version of OTHER_NODES) programs.set(version, installNode(version))
  bind = await startDemoBind()
})

afterAll(async () => {
  await bind?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The program of each Node. */
const programs = new Map([[THIS_NODE, process.execPath]])

function installNode(version: string): string {
  const args = ['scripts/install-node.mjs', version]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
}

interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

function run(
  node: string,
  program: string,
  line: readonly string[],
  columns: number,
): Promise<Run> {
  rmSync(join(project, 'state.json'), { force: true })
  rmSync(join(project, 'plans'), { recursive: true, force: true })
  const env = { PATH: process.env.PATH, COLUMNS: `${columns}`, ...trustOnly(bind.caFile) }
  return new Promise((done) => {
    execFile(node, [program, ...line], { cwd: project, env }, (error, stdout, stderr) =>
      done({ exitCode: error ? Number(error.code) : 0, stdout, stderr }),
    ).stdin?.end()
  })
}

describe.each(RUNS)('on Node $version at $columns columns', ({ version, columns }) => {
  test.each(NAMED)('mailgrade $command', async ({ line, exitCode, needsDns = true }) => {
    const resolver = needsDns ? ['--resolver', bind.url, '--timeout', '60'] : []
    const all = [...line, ...resolver]
    const installed = join(project, 'node_modules/mailgrade/dist/main.js')
    const actual = await run(programs.get(version) ?? '', installed, all, columns)
    const expected = await run(process.execPath, COMPILED, all, columns)
    expect(actual.exitCode).toBe(exitCode)
    expect(actual.stdout.length + actual.stderr.length).toBeGreaterThan(0)
    expect(normalize(actual)).toBe(normalize(expected))
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
