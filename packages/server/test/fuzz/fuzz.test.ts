/**
 * Requests by chance against the running service, from what it says of itself, for as long as
 * FUZZ_SECONDS says: in a quiet world, where payments are real, and in one where every resolver and
 * the facilitator lie.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { createTestCertificate } from '@mailgrade/testing/test-certificate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_PAYEE } from '../support/payment-fixtures.js'
import {
  FUZZ_DNS_TIMEOUT_MS,
  FUZZ_DURATION_SECONDS,
  RANDOM_SEED,
  RESPONSE_DEADLINE_MS,
} from './fuzz-settings.js'
import { type FuzzedService, startFuzzedService } from './fuzzed-service.js'
import { startHostileDns } from './hostile-dns.js'
import { type HostileFacilitator, startHostileFacilitator } from './hostile-facilitator.js'
import { findLogProblems } from './log-problems.js'
import { countResponses, formatResponseCounts } from './response-counts.js'
import { type FuzzResults, runFuzz } from './run-fuzz.js'

const TIMES = { DNS_TIMEOUT_MS: String(FUZZ_DNS_TIMEOUT_MS) }

let folder: string
let resolvers: DohServer[]
let facilitator: HostileFacilitator
let houses: FuzzedService[]
let weathers: FuzzResults[]

beforeAll(
  async () => {
    const certificate = await createTestCertificate()
    folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
    const authority = join(folder, 'ca.pem')
    await writeFile(authority, certificate.ca)
    resolvers = [
      await startDohServer('', 'http/1.1'),
      await startHostileDns(certificate),
      await startHostileDns(),
    ]
    facilitator = await startHostileFacilitator()
    const [quiet, ...hostile] = resolvers.map(({ url }) => url.href)
    houses = [await startFuzzedService('sandbox', { ...TIMES, DOH_URLS: `${quiet}` })]
    const world = {
      DOH_URLS: hostile.join(),
      NODE_EXTRA_CA_CERTS: authority,
      PAY_TO_ADDRESS: TEST_PAYEE,
      FACILITATOR_URL: facilitator.url,
    }
    houses.push(await startFuzzedService('hostile', { ...TIMES, ...world }))
    const until = Date.now() + FUZZ_DURATION_SECONDS * 1_000
    process.stdout.write(`FUZZ_SEED=${RANDOM_SEED} FUZZ_SECONDS=${FUZZ_DURATION_SECONDS}\n`)
    weathers = await Promise.all(houses.map((house) => runFuzz(house, until)))
  },
  (FUZZ_DURATION_SECONDS + 60) * 1_000,
)

afterAll(async () => {
  for (const { service } of houses ?? []) service.process.kill('SIGKILL')
  for (const resolver of resolvers ?? []) await resolver.close()
  facilitator?.close()
  await rm(folder, { recursive: true })
})

describe.each([
  ['the sandbox', 0],
  ['a service in a hostile world', 1],
])('%s', (_, index) => {
  const house = () => houses[index] as FuzzedService
  const weather = () => weathers[index] as FuzzResults

  test('answers everything in time, as documented, and gives nothing away', () => {
    process.stdout.write(
      `${house().name}: ${countResponses(weather())} answers\n${formatResponseCounts(weather())}\n`,
    )
    expect([...weather().problems].map(([fault, again]) => `${fault}\n  ${again}`)).toEqual([])
  })

  test('was asked for everything in the document, and charged nobody twice', () => {
    const { name, surface, accounting } = house()
    for (const { path, isPaid } of surface.operations) {
      const statuses = [...(weather().counts.get(`GET ${path}`)?.keys() ?? [])]
      const wanted = ['400', ...(name === 'sandbox' ? ['200'] : []), ...(isPaid ? ['402'] : [])]
      expect([path, statuses]).toEqual([path, expect.arrayContaining(wanted)])
    }
    const statuses = [...weather().counts.values()].flatMap((row) => [...row.keys()])
    const hardships = name === 'hostile' ? ['502', '504'] : []
    expect(statuses).toEqual(expect.arrayContaining(['200', ...hardships]))
    // Among liars it may be that nothing is ever sold.
    if (name === 'sandbox') expect(accounting.settledCount()).toBeGreaterThan(0)
    expect(accounting.doubleSettlements()).toEqual([])
  })

  test('lives on, ends when it is told to, and has logged nobody’s data', async () => {
    const { service, startupStderr } = house()
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
