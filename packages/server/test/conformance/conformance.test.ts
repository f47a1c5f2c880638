/**
 * The official MCP conformance suite against the built service, and against our endpoint with the
 * tools that the suite calls by name, for both protocol revisions.
 *
 * `expected-failures/` lists the checks that may fail, in the format of the suite, with reasons.
 */
import { readFile } from 'node:fs/promises'
import { PATHS } from '@mailgrade/operations/service-paths'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import { EXPECTED_PASSES } from './expected-passes.js'
import { type FixtureServer, startFixtureServer } from './fixture-server.js'
import { runConformanceSuite } from './run-conformance-suite.js'

let product: ServiceProcess
let fixtures: FixtureServer

beforeAll(async () => {
  product = await startServiceProcess()
  fixtures = await startFixtureServer()
})

afterAll(async () => {
  product?.process.kill('SIGKILL')
  await fixtures?.stop()
})

test.for(EXPECTED_PASSES)(
  '$server at $revision',
  async ({ server, revision, ...passes }, { signal }) => {
    const { url } = server === 'product' ? product : fixtures
    const expectedFailures = `packages/server/test/conformance/expected-failures/${server}-${revision}.yml`
    const run = await runConformanceSuite({
      url: url + PATHS.mcp,
      revision,
      expectedFailures,
      signal,
    })
    const { exitCode, output, failures, ...passed } = run
    expect(exitCode, output).toBe(0)
    // The suite ignores entries that match no check.
    expect(failures, output).toEqual(await readExpectedFailures(expectedFailures))
    expect(passed, output).toEqual(passes)
  },
)

async function readExpectedFailures(file: string): Promise<string[]> {
  const entries = (await readFile(file, 'utf8')).matchAll(/^ {2}- (\S+)$/gm)
  return [...entries].map(([, entry = '']) => entry).sort()
}
