/**
 * Under steady traffic through nginx, everything that the instances depend on is killed and started
 * again, and an instance is upgraded. Every answer is one that the documents promise, all is well
 * again without anybody's help, and in the end the books balance.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endChapter, tellChapter, wellSince } from './chapter.js'
import { type Cluster, startCluster } from './cluster.js'
import { type Load, startLoad } from './load.js'
import { openPurse } from './purchase.js'
import { PRICE } from './takings.js'
import { print } from './tally.js'
import { until } from './until.js'

let cluster: Cluster
let load: Load

beforeAll(async () => {
  cluster = await startCluster()
  load = startLoad(cluster, await openPurse(cluster.url, cluster.chain))
  await wellSince(load, 0)
  // Three instances begin at once, and a resolver with them.
  await endChapter(load, 'all of it has just been started', DNS_FAILS)
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
  return until(`${metric} is ${value} everywhere`, async () => {
    const all = await Promise.all(cluster.instances.map(({ metrics }) => metrics()))
    return all.every((series) => series[metric] === value)
  })
}

const availability = (index: 0 | 1) =>
  `mailgrade_resolver_available{resolver="${new URL(cluster.resolvers[index].url).host}"}`

test.each(['restart', 'restartEmpty'] as const)('Redis is killed, and comes back by %s', (way) =>
  tellChapter(load, {
    title: `Redis killed, ${way}`,
    explained: { paid: [LEDGER_DOWN, CLAIMED] },
    async strike({ happened }) {
      await cluster.redis.kill()
      await happened('paid', LEDGER_DOWN, 10)
      await everywhere('mailgrade_store_up', 0)
      await cluster.redis[way]()
      await everywhere('mailgrade_store_up', 1)
    },
  }),
)

test('the first resolver is killed and comes back: nobody notices', () =>
  tellChapter(load, {
    title: 'the first of two resolvers killed',
    async strike() {
      await cluster.resolvers[0].kill()
      await everywhere(availability(0), 0)
      await cluster.resolvers[0].restart()
      await everywhere(availability(0), 1)
    },
  }))

test('both resolvers are killed and come back', () =>
  tellChapter(load, {
    title: 'both resolvers killed',
    explained: DNS_FAILS,
    async strike({ happened }) {
      await Promise.all(cluster.resolvers.map(({ kill }) => kill()))
      await happened('free', '502 dns_unavailable', 30)
      await happened('paid', '502 dns_unavailable, charged no', 5)
      await Promise.all(cluster.resolvers.map(({ restart }) => restart()))
    },
  }))

test('the facilitator is killed and comes back', () =>
  tellChapter(load, {
    title: 'the facilitator killed',
    explained: {
      paid: [
        '502 facilitator_unavailable, charged no',
        '502 facilitator_unavailable, charged unknown',
      ],
    },
    async strike({ happened }) {
      const settling = cluster.facilitator.hold('settle')
      await settling.reached(5)
      cluster.facilitator.kill()
      settling.open()
      await happened('paid', '502 facilitator_unavailable, charged unknown', 5)
      await happened('paid', '502 facilitator_unavailable, charged no', 10)
      await cluster.facilitator.restart()
    },
  }))

test('an instance is told to end, and started again: not one answer is lost', () =>
  tellChapter(load, {
    title: 'an instance told to end (SIGTERM)',
    async strike() {
      const [instance] = cluster.instances
      expect(await instance.terminate()).toBe(0)
      await instance.restart()
    },
  }))

test('nobody gets more than his share, even while every instance has to count for itself', () => {
  const times = load.answered
    .filter(({ kind, heard }) => kind === 'greedy' && heard.status === 200)
    .map(({ startedAt }) => startedAt)
  const inAnyMinute = times.map(
    (begin) => times.filter((time) => time >= begin && time < begin + 60_000).length,
  )
  const most = Math.max(...inAnyMinute)
  print('checks of one caller', { 'in all': times.length, 'most in any minute': most })
  expect(most).toBeGreaterThanOrEqual(30)
  // Three instances, one of which was started again and remembers nothing.
  expect(most).toBeLessThanOrEqual(30 * 4)
})

test('and in the end nobody has died, nothing has broken, and the books balance', async () => {
  await load.stop()
  await endChapter(load, 'the last ones')
  const { instances, nginx, takings } = cluster
  expect([...instances, nginx].map((one) => one.isAlive())).toEqual([true, true, true, true])
  for (const { metrics } of instances) expect((await metrics()).mailgrade_faults_total).toBe(0)

  const paid = load.sent.filter(({ kind }) => kind === 'paid')
  const settlements = await takings.settlements()
  print('the books', { payments: paid.length, settlements: settlements.length })
  expect(settlements).toHaveLength(paid.length)
  expect(await takings.earned()).toBe(BigInt(paid.length) * PRICE)
})
