/**
 * Under steady traffic through nginx, everything that the instances depend on is killed and started
 * again, and an instance is upgraded. Every answer is one that the documents promise, all is well
 * again without anybody's help, and in the end the books balance.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, startCluster } from './cluster.js'
import { createClusterPayer } from './cluster-payer.js'
import { runFaultScenario, verifyOutcomes, waitUntilHealthy } from './fault-scenario.js'
import { printCounts } from './outcome-counts.js'
import { CLUSTER_PRICE_UNITS } from './revenue.js'
import { type SteadyLoad, startSteadyLoad } from './steady-load.js'
import { waitUntil } from './wait-until.js'

let cluster: Cluster
let load: SteadyLoad

beforeAll(async () => {
  cluster = await startCluster()
  load = startSteadyLoad(cluster, await createClusterPayer(cluster.url, cluster.chain))
  await waitUntilHealthy(load, 0)
  // Three instances begin at once, and a resolver with them.
  await verifyOutcomes(load, 'all of it has just been started', DNS_FAILS)
}, 60_000)
afterAll(async () => {
  await load?.stop()
  await cluster?.stop()
}, 60_000)

const DNS_FAILURES = ['502 dns_unavailable', '504 dns_timeout']
const UNCHARGED = DNS_FAILURES.map((failure) => `${failure}, charged no`)
const DNS_FAILS = { free: DNS_FAILURES, greedy: DNS_FAILURES, paid: UNCHARGED }
const LEDGER_DOWN = '503 ledger_unavailable, charged no'
/** The claim of an attempt that failed outlives it by a few seconds. */
const CLAIMED = '409 report_not_ready'

/** Every instance says so of itself. */
function everywhere(metric: string, value: number): Promise<void> {
  return waitUntil(`${metric} is ${value} everywhere`, async () => {
    const all = await Promise.all(cluster.instances.map(({ metrics }) => metrics()))
    return all.every((series) => series[metric] === value)
  })
}

const availability = (index: 0 | 1) =>
  `mailgrade_resolver_available{resolver="${new URL(cluster.resolvers[index].url).host}"}`

test.each(['restart', 'restartEmpty'] as const)('Redis is killed, and comes back by %s', (way) =>
  runFaultScenario(load, {
    title: `Redis killed, ${way}`,
    expectedOutcomes: { paid: [LEDGER_DOWN, CLAIMED] },
    async inject({ waitForOutcome }) {
      await cluster.redis.kill()
      await waitForOutcome('paid', LEDGER_DOWN, 10)
      await everywhere('mailgrade_store_up', 0)
      await cluster.redis[way]()
      await everywhere('mailgrade_store_up', 1)
    },
  }),
)

test('the first resolver is killed and comes back: nobody notices', () =>
  runFaultScenario(load, {
    title: 'the first of two resolvers killed',
    async inject() {
      await cluster.resolvers[0].kill()
      await everywhere(availability(0), 0)
      await cluster.resolvers[0].restart()
      await everywhere(availability(0), 1)
    },
  }))

test('both resolvers are killed and come back', () =>
  runFaultScenario(load, {
    title: 'both resolvers killed',
    expectedOutcomes: DNS_FAILS,
    async inject({ waitForOutcome }) {
      await Promise.all(cluster.resolvers.map(({ kill }) => kill()))
      await waitForOutcome('free', '502 dns_unavailable', 30)
      await waitForOutcome('paid', '502 dns_unavailable, charged no', 5)
      await Promise.all(cluster.resolvers.map(({ restart }) => restart()))
    },
  }))

test('the facilitator is killed and comes back', () =>
  runFaultScenario(load, {
    title: 'the facilitator killed',
    expectedOutcomes: {
      paid: [
        '502 facilitator_unavailable, charged no',
        '502 facilitator_unavailable, charged unknown',
      ],
    },
    async inject({ waitForOutcome }) {
      const settling = cluster.facilitator.hold('settle')
      await settling.waitForCount(5)
      cluster.facilitator.kill()
      settling.release()
      await waitForOutcome('paid', '502 facilitator_unavailable, charged unknown', 5)
      await waitForOutcome('paid', '502 facilitator_unavailable, charged no', 10)
      await cluster.facilitator.restart()
    },
  }))

test('an instance is told to end, and started again: not one answer is lost', () =>
  runFaultScenario(load, {
    title: 'an instance told to end (SIGTERM)',
    async inject() {
      const [instance] = cluster.instances
      expect(await instance.terminate()).toBe(0)
      await instance.restart()
    },
  }))

test('nobody gets more than his share, even while every instance has to count for itself', () => {
  const times = load.answered
    .filter(({ kind, response }) => kind === 'greedy' && response.status === 200)
    .map(({ startedAt }) => startedAt)
  const inAnyMinute = times.map(
    (begin) => times.filter((time) => time >= begin && time < begin + 60_000).length,
  )
  const most = Math.max(...inAnyMinute)
  printCounts('checks of one caller', { 'in all': times.length, 'most in any minute': most })
  expect(most).toBeGreaterThanOrEqual(30)
  // Three instances, one of which was started again and remembers nothing.
  expect(most).toBeLessThanOrEqual(30 * 4)
})

test('and in the end nobody has died, nothing has broken, and the books balance', async () => {
  await load.stop()
  await verifyOutcomes(load, 'the last ones')
  const { instances, nginx, revenue } = cluster
  expect([...instances, nginx].map((one) => one.isAlive())).toEqual([true, true, true, true])
  for (const { metrics } of instances)
    expect((await metrics()).mailgrade_internal_errors_total).toBe(0)

  const paid = load.sent.filter(({ kind }) => kind === 'paid')
  const settlements = await revenue.transactions()
  printCounts('the books', { payments: paid.length, settlements: settlements.length })
  expect(settlements).toHaveLength(paid.length)
  expect(await revenue.balance()).toBe(BigInt(paid.length) * CLUSTER_PRICE_UNITS)
})
