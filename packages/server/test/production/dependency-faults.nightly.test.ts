/**
 * Under steady traffic through nginx, every dependency of the instances is killed and started again,
 * and one instance restarts. Every outcome is a documented one, the service recovers by itself, and
 * settlements equal payments.
 */

import { waitUntil } from '@mailgrade/testing/wait-until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLUSTER_PRICE_UNITS, type Cluster, startCluster } from './cluster.js'
import { createClusterPayer } from './cluster-payer.js'
import { runFaultScenario, verifyOutcomes, waitUntilHealthy } from './fault-scenario.js'
import { printCounts } from './outcome-counts.js'
import { type SteadyLoad, startSteadyLoad } from './steady-load.js'

let cluster: Cluster
let load: SteadyLoad

beforeAll(async () => {
  cluster = await startCluster()
  load = startSteadyLoad(cluster, await createClusterPayer(cluster.url, cluster.chain))
  await waitUntilHealthy(load, 0)
  // Three instances and two resolvers have just started at the same time.
  await verifyOutcomes(load, 'start', DNS_FAILS)
}, 60_000)
afterAll(async () => {
  await load?.stop()
  await cluster?.stop()
}, 60_000)

const DNS_FAILURES = ['502 dns_unavailable', '504 dns_timeout']
const UNCHARGED = DNS_FAILURES.map((failure) => `${failure}, charged no`)
const DNS_FAILS = { free: DNS_FAILURES, overLimit: DNS_FAILURES, paid: UNCHARGED }
const LEDGER_DOWN = '503 ledger_unavailable, charged no'
/** The reservation of a failed attempt outlives it by a few seconds. */
const STILL_RESERVED = '409 report_not_ready'

/** Waits until every instance reports this value. */
function waitForMetric(metric: string, value: number): Promise<void> {
  return waitUntil(`${metric} is ${value} on every instance`, async () => {
    const all = await Promise.all(cluster.instances.map(({ metrics }) => metrics()))
    return all.every((series) => series[metric] === value)
  })
}

const availability = (index: 0 | 1) =>
  `mailgrade_resolver_available{resolver="${new URL(cluster.resolvers[index].url).host}"}`

test.each(['start', 'startEmpty'] as const)('recovers after Redis is killed, %s', (start) =>
  runFaultScenario(load, {
    title: `Redis killed, ${start}`,
    expectedOutcomes: { paid: [LEDGER_DOWN, STILL_RESERVED] },
    async inject({ waitForOutcome }) {
      await cluster.redis.kill()
      await waitForOutcome('paid', LEDGER_DOWN, 10)
      await waitForMetric('mailgrade_store_up', 0)
      await cluster.redis[start]()
      await waitForMetric('mailgrade_store_up', 1)
    },
  }),
)

test('no request fails while the first of two resolvers is down', () =>
  runFaultScenario(load, {
    title: 'the first of two resolvers killed',
    async inject() {
      await cluster.resolvers[0].kill()
      await waitForMetric(availability(0), 0)
      await cluster.resolvers[0].restart()
      await waitForMetric(availability(0), 1)
    },
  }))

test('recovers after both resolvers are killed', () =>
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

test('recovers after the facilitator is killed', () =>
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

test('no request fails while an instance restarts after SIGTERM', () =>
  runFaultScenario(load, {
    title: 'an instance restarted (SIGTERM)',
    async inject() {
      const [instance] = cluster.instances
      expect(await instance.terminate()).toBe(0)
      await instance.restart()
    },
  }))

test('rate limit stays bounded while Redis is down', () => {
  const times = load.answered
    .filter(({ kind, response }) => kind === 'overLimit' && response.status === 200)
    .map(({ startedAt }) => startedAt)
  const inAnyMinute = times.map(
    (begin) => times.filter((time) => time >= begin && time < begin + 60_000).length,
  )
  const maximum = Math.max(...inAnyMinute)
  printCounts('checks of one caller', { total: times.length, 'maximum in a minute': maximum })
  expect(maximum).toBeGreaterThanOrEqual(30)
  // Each of three instances counts alone, and one lost its counts in a restart.
  expect(maximum).toBeLessThanOrEqual(30 * 4)
})

test('no instance crashed and settlements equal payments', async () => {
  await load.stop()
  await verifyOutcomes(load, 'end')
  const { instances, nginx, revenue } = cluster
  expect([...instances, nginx].map((one) => one.isAlive())).toEqual([true, true, true, true])
  for (const { metrics } of instances)
    expect((await metrics()).mailgrade_internal_errors_total).toBe(0)

  const paid = load.sent.filter(({ kind }) => kind === 'paid')
  const settlements = await revenue.transactions()
  printCounts('payments and settlements', {
    payments: paid.length,
    settlements: settlements.length,
  })
  expect(settlements).toHaveLength(paid.length)
  expect(await revenue.balance()).toBe(BigInt(paid.length) * CLUSTER_PRICE_UNITS)
})
