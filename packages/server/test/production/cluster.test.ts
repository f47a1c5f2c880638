/**
 * Three instances behind nginx that share a Redis are one service to their callers: who has used up
 * his requests has used them up everywhere, and a payment buys one report wherever it is sent.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPayer } from '../support/payer.js'
import { ask, type Heard } from './caller.js'
import { type Cluster, startCluster } from './cluster.js'
import { dieBehindNginx, dieInTheMiddleOfSales } from './dying.js'
import { insist, lastOf, openPurse, type Purse } from './purchase.js'
import { PRICE } from './takings.js'
import { counted, otherThan, print, tally } from './tally.js'
import { until } from './until.js'

const WINDOW_MS = 60_000
const ANN = '127.0.0.2'
const BOB = '127.0.0.3'

let cluster: Cluster
let purse: Purse

beforeAll(async () => {
  cluster = await startCluster()
  purse = await openPurse(cluster.url, cluster.chain)
}, 60_000)
afterAll(() => cluster?.stop(), 60_000)

const askMx = (from: string, count: number) =>
  many(count, () => ask(`${cluster.url}/v1/mx?domain=flat-1.test`, { from }))

function many<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}

/** When Ann's first ten requests were sent and answered, and when the next twenty were sent. */
const ten = { sentAt: 0, answeredAt: 0 }
let twentySentAt = 0

test('Ann asks ten times', async () => {
  ten.sentAt = performance.now()
  expect(counted(await askMx(ANN, 10))).toEqual({ 200: 10 })
  ten.answeredAt = performance.now()
})

test('a client of x402 pays through nginx as anywhere else', async () => {
  const payer = await newPayer(cluster.chain)
  const before = await cluster.takings.earned()
  const response = await payer.fetchWith(fetch)(`${cluster.url}/v1/score?domain=flat-2.test`)
  expect([response.status, await response.json()]).toMatchObject([200, { domain: 'flat-2.test' }])
  expect((await cluster.takings.earned()) - before).toBe(PRICE)
})

test('one payment, sent to all three at once and through nginx, buys one report', async () => {
  const before = await cluster.takings.settlements()
  const payment = await purse.sign()
  const doors = [...cluster.instances, cluster, cluster, cluster]
  const copies = await many(30, (index) => {
    const { url } = doors[index % doors.length] as Cluster
    return insist(`${url}/v1/score?domain=workspace-1.test`, { payment })
  })

  const first = counted(copies.map(([answer]) => answer as Heard))
  print('one payment in 30 copies: the first answer to each', first)
  expect(otherThan(['200', '409 report_not_ready'], first)).toEqual([])
  const settled = (await cluster.takings.settlements()).slice(before.length)
  expect(settled).toHaveLength(1)
  const delivered = copies
    .map(lastOf)
    .map(({ status, headers, text }) => `${status} ${headers['payment-response']} ${text}`)
  expect(new Set(delivered).size).toBe(1)
  expect(delivered[0]).toMatch(/^200 .*"domain":"workspace-1.test"/)
})

test(
  'two instances die in the middle of sales: nobody pays without a report, nobody twice',
  () => dieInTheMiddleOfSales(cluster, purse),
  60_000,
)

test('thirty requests in any sixty seconds, over all three together', async () => {
  twentySentAt = performance.now()
  const [ann, bob] = await Promise.all([askMx(ANN, 200), askMx(BOB, 300)])
  const answeredAt = performance.now()
  print('Ann, who had asked 10 times, asks 200 times at once', counted(ann))
  print('Bob asks 300 times at once', counted(bob))
  expect(answeredAt - ten.sentAt).toBeLessThan(WINDOW_MS)
  expect(counted(ann)).toEqual({ 200: 20, '429 rate_limited': 180 })
  expect(counted(bob)).toEqual({ 200: 30, '429 rate_limited': 270 })

  // A place is free when the first of the ten is a window old; whole seconds, rounded up.
  const least = (ten.sentAt + WINDOW_MS - answeredAt) / 1_000
  const most = (ten.answeredAt + WINDOW_MS - twentySentAt) / 1_000 + 1
  for (const { headers } of ann.filter(({ status }) => status === 429)) {
    const retryAfter = Number(headers['retry-after'])
    expect(headers.ratelimit).toBe(`"free";r=0;t=${retryAfter}`)
    expect(retryAfter).toBeGreaterThanOrEqual(least)
    expect(retryAfter).toBeLessThanOrEqual(most)
  }
})

test('every instance had its share of them', async () => {
  const passed = (await cluster.nginx.passed()).filter(({ path }) => path === '/v1/mx')
  const shares = tally(passed.map(({ instance }) => instance))
  print('requests of Ann and Bob by instance', shares)
  expect(Object.keys(shares)).toEqual(cluster.instances.map(({ address }) => address).sort())
  expect(passed).toHaveLength(510)
  expect(Math.min(...Object.values(shares))).toBeGreaterThan(100)
})

test(
  'an instance dies behind nginx: all who pay get what they paid for',
  () => dieBehindNginx(cluster, purse),
  60_000,
)

test('when her first ten are a window old, Ann has ten again, and not thirty', async () => {
  const passedAt = ten.answeredAt + WINDOW_MS + 50
  await until('a window has passed', () => performance.now() > passedAt, WINDOW_MS)
  const ann = await askMx(ANN, 100)
  print('a minute after her first ten, Ann asks 100 times at once', counted(ann))
  expect(performance.now() - twentySentAt).toBeLessThan(WINDOW_MS)
  expect(counted(ann)).toEqual({ 200: 10, '429 rate_limited': 90 })
}, 70_000)
