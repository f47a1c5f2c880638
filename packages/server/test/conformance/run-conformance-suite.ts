/** One run of the official suite against a server, and what came of it, check by check. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const CONFORMANCE_SUITE_DIR = 'packages/server/test/conformance/suite'
const BIN = join(CONFORMANCE_SUITE_DIR, 'node_modules/.bin')

/** In every scenario: are all messages of the server's as the schema wants them? */
const EVERYWHERE = 'wire-schema-valid'

export interface ConformanceOptions {
  readonly url: string
  readonly revision: string
  /** The suite's own list of what may fail. */
  readonly expectedFailures: string
  readonly signal: AbortSignal
}

export interface ConformanceRun {
  readonly exitCode: number
  /** What the suite said, and why each check failed, which it keeps to its files. */
  readonly output: string
  /** As `scenario:check`; a warning is a failure, as in the suite's own judgement. */
  readonly failures: string[]
  readonly scenarios: number
  readonly passed: number
  /** How many checks passed in each scenario in which anything did beyond the form of messages. */
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
    // The revision leaves the extensions out (tasks, skills), which belong to none and are not ours.
    const chosen = ['--suite', 'all', '--spec-version', revision]
    const files = ['--expected-failures', expectedFailures, '--output-dir', folder]
    const ended = await run(['server', '--url', url, ...chosen, ...files], signal)
    return summary(ended, await readResults(folder))
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Ended = Pick<ConformanceRun, 'exitCode' | 'output'>

function run(args: readonly string[], signal: AbortSignal): Promise<Ended> {
  const { PATH = '' } = process.env
  return new Promise((resolve, reject) => {
    const command = [join(BIN, 'conformance'), ...args]
    execFile(join(BIN, 'node'), command, { env: { PATH }, signal }, (error, stdout, stderr) => {
      const exitCode = error ? error.code : 0
      // Otherwise it did not start, or was stopped.
      if (typeof exitCode === 'number') resolve({ exitCode, output: stdout + stderr })
      else reject(error)
    })
  })
}

/** From one folder for each scenario: `server-tools-list-2026-07-28T12-00-00-000Z`. */
async function readResults(folder: string): Promise<Results> {
  const results = new Map<string, Check[]>()
  for (const name of await readdir(folder)) {
    const [, scenario] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(name) ?? []
    if (!scenario) throw new Error(`no results of a scenario: ${name}`)
    results.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')))
  }
  return results
}

function summary({ exitCode, output }: Ended, results: Results): ConformanceRun {
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
    if (successes.some(({ id }) => id !== EVERYWHERE)) passedIn[scenario] = successes.length
  }
  return {
    exitCode,
    output: [output, 'Why they failed:', ...reasons, ''].join('\n'),
    failures: [...failures].sort(),
    scenarios: results.size,
    passed,
    passedIn,
  }
}

function hasFailed({ status }: Check): boolean {
  return status === 'FAILURE' || status === 'WARNING'
}
