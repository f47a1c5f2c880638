/** A folder with a list of domains, a resolver, and the built program as child processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  createTestCertificate,
  type TestCertificate,
  trustOnly,
} from '@mailgrade/testing/server-directory'
import { onTestFinished } from 'vitest'
import { type ScanResolver, startScanResolver } from './scan-resolver.js'

const MAIN = resolve('packages/cli/dist/main.js')

/** One line of `--brief`. */
export interface ScanLine {
  readonly domain: string
  readonly findings?: readonly string[]
  readonly error?: { readonly code: string }
}

export interface ScanEnvironment {
  readonly domains: readonly string[]
  readonly resolver: ScanResolver
  readonly journalPath: string
  /** `--brief` to a file, with the resolver; `options` are added. */
  start(...options: string[]): ScanProcess
  /** Ends with the test. */
  startResolver(): Promise<ScanResolver>
  outputSize(): number
  /** Throws if a line is not complete. */
  readLines(): ScanLine[]
}

interface ScanProcess {
  readonly child: ChildProcess
  readonly ended: Promise<{
    readonly exitCode: number | null
    readonly signal: NodeJS.Signals | null
    readonly stderr: string
  }>
}

let certificate: Promise<TestCertificate> | null = null

export async function openEnvironment(domainCount: number): Promise<ScanEnvironment> {
  certificate ??= createTestCertificate()
  const issued = await certificate
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-scan-'))
  const path = (name: string) => join(folder, name)
  const children: ChildProcess[] = []
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const startResolver = async () => {
    const started = await startScanResolver(issued)
    onTestFinished(started.close)
    return started
  }
  const resolver = await startResolver()
  const domains = Array.from({ length: domainCount }, (_, index) => `d${index}.test`)
  writeFileSync(path('domains.txt'), `${domains.join('\n')}\n`)
  writeFileSync(path('ca.pem'), issued.ca)
  return {
    domains,
    resolver,
    journalPath: path('out.ndjson.journal'),
    startResolver,
    start(...options) {
      const line = ['domains.txt', '--brief', '--out', 'out.ndjson', '--resolver', resolver.url]
      const child = spawn(process.execPath, [MAIN, 'scan', ...line, ...options], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...trustOnly(path('ca.pem')) },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      children.push(child)
      return { child, ended: waitForEnd(child) }
    },
    outputSize: () => (existsSync(path('out.ndjson')) ? statSync(path('out.ndjson')).size : 0),
    readLines() {
      const lines = readFileSync(path('out.ndjson'), 'utf8').split('\n')
      if (lines.pop() !== '') throw new Error('The last line is not complete')
      return lines.map((line) => JSON.parse(line))
    },
  }
}

async function waitForEnd(child: ChildProcess) {
  const [stderr, [exitCode, signal]] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  ])
  return { exitCode, signal, stderr }
}

export function sortedDomains(lines: readonly ScanLine[]): string[] {
  return lines.map(({ domain }) => domain).sort()
}
