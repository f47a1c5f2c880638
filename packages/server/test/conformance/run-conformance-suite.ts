/** Runs the official conformance suite against a server and reads the result of each check. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BIN = 'packages/server/test/conformance/suite/node_modules/.bin'

/** The check of the message format, part of every scenario. */
const FORMAT_CHECK = 'wire-schema-valid'

interface ConformanceOptions {
  readonly url: string
  readonly revision: string
  /** A file with the checks that may fail. */
  readonly expectedFailures: string
  readonly signal: AbortSignal
}

interface ConformanceRun {
  readonly exitCode: number
  /** The output of the suite, and the reasons of failed checks from its files. */
  readonly output: string
  /** As `scenario:check`. Warnings count as failures, as in the suite. */
  readonly failures: string[]
  readonly scenarios: number
  readonly passed: number
  /** Passed checks of each scenario in which more passed than the format check. */
  readonly passedIn: Record<string, number>
}

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

type Results = ReadonlyMap<string, readonly Check[]>

export async function runConformanceSuite(options: ConformanceOptions): Promise<ConformanceRun> {
  const { url, revision, expectedFailures, signal } = options
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    // A revision excludes the extensions (tasks, skills), which we do not have.
    const selection = ['--suite', 'all', '--spec-version', revision]
    const files = ['--expected-failures', expectedFailures, '--output-dir', folder]
    const exit = await run(['server', '--url', url, ...selection, ...files], signal)
    return summarize(exit, await readResults(folder))
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Exit = Pick<ConformanceRun, 'exitCode' | 'output'>

function run(args: readonly string[], signal: AbortSignal): Promise<Exit> {
  const { PATH = '' } = process.env
  return new Promise((resolve, reject) => {
    const command = [join(BIN, 'conformance'), ...args]
    execFile(join(BIN, 'node'), command, { env: { PATH }, signal }, (error, stdout, stderr) => {
      const exitCode = error ? error.code : 0
      // Without an exit code, it did not start or was aborted.
      if (typeof exitCode === 'number') resolve({ exitCode, output: stdout + stderr })
      else reject(error)
    })
  })
}

/** One folder per scenario, such as `server-tools-list-2026-07-28T12-00-00-000Z`. */
async function readResults(folder: string): Promise<Results> {
  const results = new Map<string, Check[]>()
  for (const name of await readdir(folder)) {
    const [, scenario] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(name) ?? []
    if (!scenario) throw new Error(`unknown result folder: ${name}`)
    results.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')))
  }
  return results
}

function summarize({ exitCode, output }: Exit, results: Results): ConformanceRun {
  const failures = new Set<string>()
  const reasons: string[] = []
  const passedIn: Record<string, number> = {}
  let passed = 0
  for (const [scenario, checks] of results) {
    for (const { id, errorMessage = 'no reason given' } of checks.filter(hasFailed)) {
      failures.add(`${scenario}:${id}`)
      reasons.push(`${scenario}:${id}: ${errorMessage}`)
    }
    const successes = checks.filter(({ status }) => status === 'SUCCESS')
    passed += successes.length
    if (successes.some(({ id }) => id !== FORMAT_CHECK)) passedIn[scenario] = successes.length
  }
  return {
    exitCode,
    output: [output, 'Reasons:', ...reasons, ''].join('\n'),
    failures: [...failures].sort(),
    scenarios: results.size,
    passed,
    passedIn,
  }
}

function hasFailed({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING'
}
