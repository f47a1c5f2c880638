/**
 * Requests by chance against the running service, from what it says of itself, for as long as
 * FUZZ_SECONDS says: in a quiet world, where payments are real, and in one where every resolver and
 * the facilitator lie.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate } from '@mailgrade/testing/certificate'
import { type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PAYEE } from '../support/payment-fixtures.js'
import { startHostileDns } from './hostile-dns.js'
import { type HostileFacilitator, startHostileFacilitator } from './hostile-facilitator.js'
import { type House, openHouse } from './house.js'
import { faultsInLog } from './log-lines.js'
import { DEADLINE_MS, DNS_TIMEOUT_MS, SECONDS, SEED } from './settings.js'
import { storm, type Weather } from './storm.js'
import { tableOf, total } from './table.js'

const TIMES = { DNS_TIMEOUT_MS: String(DNS_TIMEOUT_MS) }

let folder: string
let resolvers: DohServer[]
let facilitator: HostileFacilitator
let houses: House[]
let weathers: Weather[]

beforeAll(
  async () => {
    const certificate = await createCertificate()
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
    houses = [await openHouse('sandbox', { ...TIMES, DOH_URLS: `${quiet}` })]
    const world = {
      DOH_URLS: hostile.join(),
      NODE_EXTRA_CA_CERTS: authority,
      PAY_TO_ADDRESS: PAYEE,
      FACILITATOR_URL: facilitator.url,
    }
    houses.push(await openHouse('hostile', { ...TIMES, ...world }))
    const until = Date.now() + SECONDS * 1_000
    process.stdout.write(`FUZZ_SEED=${SEED} FUZZ_SECONDS=${SECONDS}\n`)
    weathers = await Promise.all(houses.map((house) => storm(house, until)))
  },
  (SECONDS + 60) * 1_000,
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
  const house = () => houses[index] as House
  const weather = () => weathers[index] as Weather

  test('answers everything in time, as documented, and gives nothing away', () => {
    process.stdout.write(`${house().name}: ${total(weather())} answers\n${tableOf(weather())}\n`)
    expect([...weather().faults].map(([fault, again]) => `${fault}\n  ${again}`)).toEqual([])
  })

  test('was asked for everything in the document, and charged nobody twice', () => {
    const { name, premises, books } = house()
    for (const { path, isPaid } of premises.operations) {
      const statuses = [...(weather().counts.get(`GET ${path}`)?.keys() ?? [])]
      const wanted = ['400', ...(name === 'sandbox' ? ['200'] : []), ...(isPaid ? ['402'] : [])]
      expect([path, statuses]).toEqual([path, expect.arrayContaining(wanted)])
    }
    const statuses = [...weather().counts.values()].flatMap((row) => [...row.keys()])
    const hardships = name === 'hostile' ? ['502', '504'] : []
    expect(statuses).toEqual(expect.arrayContaining(['200', ...hardships]))
    // Among liars it may be that nothing is ever sold.
    if (name === 'sandbox') expect(books.settled()).toBeGreaterThan(0)
    expect(books.faults()).toEqual([])
  })

  test('lives on, ends when it is told to, and has logged nobody’s data', async () => {
    const { service, banner } = house()
    const health = await fetch(`${service.url}/healthz`, {
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    expect(await health.json()).toEqual({ status: 'ok' })
    service.process.kill('SIGTERM')
    expect(await service.exitCode()).toBe(0)
    expect(faultsInLog(service.output.stdout)).toEqual([])
    expect(service.output.stderr).toBe(banner)
  })
})
