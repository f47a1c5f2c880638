/**
 * Random requests to the running service, derived from its own documents, as many as FUZZ_REQUESTS
 * says: to the sandbox, where payments settle, and to an instance with hostile resolvers and
 * facilitator.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { createTestCertificate, trustOnly } from '@mailgrade/testing/server-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChainServer, startChainServer } from '../support/chain-server.js'
import { TEST_PAYEE } from '../support/payment-fixtures.js'
import {
  FUZZ_DNS_TIMEOUT_MS,
  RANDOM_SEED,
  REQUEST_COUNT,
  RESPONSE_DEADLINE_MS,
} from './fuzz-settings.js'
import { type FuzzedService, startFuzzedService } from './fuzzed-service.js'
import { startHostileDns } from './hostile-dns.js'
import { type HostileFacilitator, startHostileFacilitator } from './hostile-facilitator.js'
import { countResponses, type FuzzResults, formatResponseCounts, runFuzz } from './run-fuzz.js'

/** A run shows all of them, or it says little about the service. */
const REQUIRED_STATUSES = { sandbox: ['200'], hostile: ['200', 'DNS failure'] }
/** Which of them depends on time: the answer for a resolver that is paused is that of its last failure. */
const DNS_FAILURES = ['502', '504']

const TIMEOUTS = { DNS_TIMEOUT_MS: String(FUZZ_DNS_TIMEOUT_MS) }

let folder: string
let resolvers: DohServer[]
let facilitator: HostileFacilitator
let chain: ChainServer
let services: FuzzedService[]
let allResults: FuzzResults[]

beforeAll(
  async () => {
    const certificate = await createTestCertificate()
    folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
    const caFile = join(folder, 'ca.pem')
    await writeFile(caFile, certificate.ca)
    resolvers = [
      await startDohServer('', 'http/1.1'),
      await startHostileDns(certificate),
      await startHostileDns(),
    ]
    facilitator = await startHostileFacilitator()
    chain = await startChainServer({ chainId: 8453 })
    const [plain, ...hostile] = resolvers.map(({ url }) => url.href)
    services = [await startFuzzedService('sandbox', { ...TIMEOUTS, DOH_URLS: `${plain}` })]
    const hostileEnv = {
      DOH_URLS: hostile.join(),
      ...trustOnly(caFile),
      PAY_TO_ADDRESS: TEST_PAYEE,
      FACILITATOR_URL: facilitator.url,
      RPC_URL: chain.url,
    }
    services.push(await startFuzzedService('hostile', { ...TIMEOUTS, ...hostileEnv }))
    process.stdout.write(`FUZZ_SEED=${RANDOM_SEED} FUZZ_REQUESTS=${REQUEST_COUNT}\n`)
    allResults = await Promise.all(
      services.map((fuzzed) =>
        runFuzz(fuzzed, REQUEST_COUNT, (results) => missingStatuses(fuzzed, results).length === 0),
      ),
    )
  },
  600_000 + REQUEST_COUNT * 500,
)

afterAll(async () => {
  for (const { service } of services ?? []) service.process.kill('SIGKILL')
  for (const resolver of resolvers ?? []) await resolver.close()
  facilitator?.close()
  await chain?.close()
  await rm(folder, { recursive: true })
})

describe.each([
  ['sandbox', 0],
  ['hostile resolvers and facilitator', 1],
])('%s', (_, index) => {
  const fuzzed = () => services[index] as FuzzedService
  const results = () => allResults[index] as FuzzResults

  test('every request has a response, documented and free of injected markup', () => {
    process.stdout.write(
      `${fuzzed().name}: ${countResponses(results())} responses\n${formatResponseCounts(results())}\n`,
    )
    expect([...results().problems].map(([problem, command]) => `${problem}\n  ${command}`)).toEqual(
      [],
    )
  })

  test('covers every documented operation and settles no payment twice', () => {
    const { name, accounting } = fuzzed()
    expect(missingStatuses(fuzzed(), results())).toEqual([])
    // The hostile facilitator may never settle.
    if (name === 'sandbox') expect(accounting.settledCount()).toBeGreaterThan(0)
    expect(accounting.doubleSettlements()).toEqual([])
  })

  test('stays healthy, exits 0 on SIGTERM and logs no personal data', async () => {
    const { service, startupStderr } = fuzzed()
    const health = await fetch(`${service.url}/healthz`, {
      signal: AbortSignal.timeout(RESPONSE_DEADLINE_MS),
    })
    expect(await health.json()).toEqual({ status: 'ok' })
    service.process.kill('SIGTERM')
    expect(await service.exitCode()).toBe(0)
    expect(findLogProblems(service.output.stdout)).toEqual([])
    expect(service.output.stderr).toBe(startupStderr)
  })
})

/** The responses that a run must have seen, of each operation and of the service, and has not. */
function missingStatuses({ name, surface }: FuzzedService, { counts }: FuzzResults): string[] {
  const statuses = [...counts.values()].flatMap((row) => [...row.keys()])
  const seen = new Set(
    statuses.map((status) => (DNS_FAILURES.includes(status) ? 'DNS failure' : status)),
  )
  const ofOperations = surface.operations.flatMap(({ path, isPaid }) =>
    ['400', ...(name === 'sandbox' ? ['200'] : []), ...(isPaid ? ['402'] : [])]
      .filter((status) => !counts.get(`GET ${path}`)?.has(status))
      .map((status) => `${path} ${status}`),
  )
  return [...ofOperations, ...REQUIRED_STATUSES[name].filter((status) => !seen.has(status))]
}

/** Domains (not the page of dmarc.testing), email and wallet addresses, payments, hostile texts. */
const PERSONAL_DATA =
  /\.test(?!ing\b)|xn--|[^\s"]@[^\s"]|0x[0-9a-f]{40}|eyJ|fz|jndi|passwd|169\.254|localhost(?!:0")/i
const LOG_LEVELS = ['info', 'warn']

function findLogProblems(stdout: string): string[] {
  const lines = stdout.split('\n').filter((line) => line !== '')
  return [...new Set(lines.flatMap(checkLogLine))].slice(0, 20)
}

function checkLogLine(line: string): string[] {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line)
  } catch {
    return [`not JSON: ${line}`]
  }
  // A valid request id comes from the caller.
  const { requestId: _, time: __, durationMs: ___, ...others } = entry
  // Digests and hashes, in which any two letters may meet.
  const { reference: ____, transaction: _____, ...rest } = others
  const text = JSON.stringify(rest)
  return [
    ...(LOG_LEVELS.includes(String(entry.level)) ? [] : [`error: ${text}`]),
    ...(PERSONAL_DATA.test(text) ? [`personal data: ${text}`] : []),
  ]
}
