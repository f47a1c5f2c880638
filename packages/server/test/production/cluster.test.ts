/**
 * Three instances behind nginx that share a Redis are one service to their callers: who has used up
 * his requests has used them up everywhere, and a payment buys one report wherever it is sent.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestPayer } from '../support/test-payer.js'
import { type Cluster, startCluster } from './cluster.js'
import {
  type ClusterPayer,
  createClusterPayer,
  finalResponse,
  retryUntilDecided,
} from './cluster-payer.js'
import { killInstanceBehindNginx, killInstancesDuringPayments } from './kill-instances.js'
import {
  countByOutcome,
  countOccurrences,
  printCounts,
  unexpectedOutcomes,
} from './outcome-counts.js'
import { CLUSTER_PRICE_UNITS } from './revenue.js'
import { type CallerResponse, sendRequest } from './send-request.js'
import { waitUntil } from './wait-until.js'

const WINDOW_MS = 60_000
const ANN = '127.0.0.2'
const BOB = '127.0.0.3'

let cluster: Cluster
let purse: ClusterPayer

beforeAll(async () => {
  cluster = await startCluster()
  purse = await createClusterPayer(cluster.url, cluster.chain)
}, 60_000)
afterAll(() => cluster?.stop(), 60_000)

const askMx = (from: string, count: number) =>
  many(count, () => sendRequest(`${cluster.url}/v1/mx?domain=flat-1.test`, { localAddress: from }))

function many<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)))
}

/** When Ann's first ten requests were sent and answered, and when the next twenty were sent. */
const ten = { sentAt: 0, answeredAt: 0 }
let twentySentAt = 0

test('Ann asks ten times', async () => {
  ten.sentAt = performance.now()
  expect(countByOutcome(await askMx(ANN, 10))).toEqual({ 200: 10 })
  ten.answeredAt = performance.now()
})

test('a client of x402 pays through nginx as anywhere else', async () => {
  const payer = await createTestPayer(cluster.chain)
  const before = await cluster.revenue.balance()
  const response = await payer.wrapFetch(fetch)(`${cluster.url}/v1/score?domain=flat-2.test`)
  expect([response.status, await response.json()]).toMatchObject([200, { domain: 'flat-2.test' }])
  expect((await cluster.revenue.balance()) - before).toBe(CLUSTER_PRICE_UNITS)
})

test('one payment, sent to all three at once and through nginx, buys one report', async () => {
  const before = await cluster.revenue.transactions()
  const payment = await purse.sign()
  const doors = [...cluster.instances, cluster, cluster, cluster]
  const copies = await many(30, (index) => {
    const { url } = doors[index % doors.length] as Cluster
    return retryUntilDecided(`${url}/v1/score?domain=workspace-1.test`, { payment })
  })

  const first = countByOutcome(copies.map(([answer]) => answer as CallerResponse))
  printCounts('one payment in 30 copies: the first answer to each', first)
  expect(unexpectedOutcomes(['200', '409 report_not_ready'], first)).toEqual([])
  const settled = (await cluster.revenue.transactions()).slice(before.length)
  expect(settled).toHaveLength(1)
  const delivered = copies
    .map(finalResponse)
    .map(({ status, headers, text }) => `${status} ${headers['payment-response']} ${text}`)
  expect(new Set(delivered).size).toBe(1)
  expect(delivered[0]).toMatch(/^200 .*"domain":"workspace-1.test"/)
})

test(
  'two instances die in the middle of sales: nobody pays without a report, nobody twice',
  () => killInstancesDuringPayments(cluster, purse),
  60_000,
)

test('thirty requests in any sixty seconds, over all three together', async () => {
  twentySentAt = performance.now()
  const [ann, bob] = await Promise.all([askMx(ANN, 200), askMx(BOB, 300)])
  const answeredAt = performance.now()
  printCounts('Ann, who had asked 10 times, asks 200 times at once', countByOutcome(ann))
  printCounts('Bob asks 300 times at once', countByOutcome(bob))
  expect(answeredAt - ten.sentAt).toBeLessThan(WINDOW_MS)
  expect(countByOutcome(ann)).toEqual({ 200: 20, '429 rate_limited': 180 })
  expect(countByOutcome(bob)).toEqual({ 200: 30, '429 rate_limited': 270 })

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
  const passed = (await cluster.nginx.accessLog()).filter(({ path }) => path === '/v1/mx')
  const shares = countOccurrences(passed.map(({ instance }) => instance))
  printCounts('requests of Ann and Bob by instance', shares)
  expect(Object.keys(shares)).toEqual(cluster.instances.map(({ address }) => address).sort())
  expect(passed).toHaveLength(510)
  expect(Math.min(...Object.values(shares))).toBeGreaterThan(100)
})

test(
  'an instance dies behind nginx: all who pay get what they paid for',
  () => killInstanceBehindNginx(cluster, purse),
  60_000,
)

test('when her first ten are a window old, Ann has ten again, and not thirty', async () => {
  const passedAt = ten.answeredAt + WINDOW_MS + 50
  await waitUntil('a window has passed', () => performance.now() > passedAt, WINDOW_MS)
  const ann = await askMx(ANN, 100)
  printCounts('a minute after her first ten, Ann asks 100 times at once', countByOutcome(ann))
  expect(performance.now() - twentySentAt).toBeLessThan(WINDOW_MS)
  expect(countByOutcome(ann)).toEqual({ 200: 10, '429 rate_limited': 90 })
}, 70_000)
