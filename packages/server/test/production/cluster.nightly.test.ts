/**
 * Three instances behind nginx that share a Redis act as one service: the rate limit holds over all
 * of them, and a payment buys one report wherever it is sent. The tests depend on their order.
 */

import { waitUntil } from '@mailgrade/testing/wait-until'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestPayer } from '../support/test-payer.js'
import { CLUSTER_PRICE_UNITS, type Cluster, startCluster } from './cluster.js'
import {
  type ClusterPayer,
  createClusterPayer,
  finalResponse,
  firstResponse,
  retryUntilDecided,
} from './cluster-payer.js'
import { killInstanceBehindNginx, killInstancesDuringPayments } from './kill-instances.js'
import {
  countByOutcome,
  countOccurrences,
  printCounts,
  unexpectedOutcomes,
} from './outcome-counts.js'
import { sendRequest } from './send-request.js'

const WINDOW_MS = 60_000
const ANN = '127.0.0.2'
const BOB = '127.0.0.3'

let cluster: Cluster
let payer: ClusterPayer

beforeAll(async () => {
  cluster = await startCluster()
  payer = await createClusterPayer(cluster.url, cluster.chain)
}, 60_000)
afterAll(() => cluster?.stop(), 60_000)

const requestMx = (localAddress: string, count: number) =>
  repeat(count, () => sendRequest(`${cluster.url}/v1/mx?domain=flat-1.test`, { localAddress }))

function repeat<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)))
}

/** Times of Ann's first ten requests, and of the twenty after them. */
const firstTen = { sentAt: 0, answeredAt: 0 }
let twentySentAt = 0

test('accepts ten free requests', async () => {
  firstTen.sentAt = performance.now()
  expect(countByOutcome(await requestMx(ANN, 10))).toEqual({ 200: 10 })
  firstTen.answeredAt = performance.now()
})

test('an x402 client can pay through nginx', async () => {
  const { wrapFetch } = await createTestPayer(cluster.chain)
  const before = await cluster.revenue.balance()
  const response = await wrapFetch(fetch)(`${cluster.url}/v1/score?domain=flat-2.test`)
  expect([response.status, await response.json()]).toMatchObject([200, { domain: 'flat-2.test' }])
  expect((await cluster.revenue.balance()) - before).toBe(CLUSTER_PRICE_UNITS)
})

test('one payment sent to all instances at once buys one report', async () => {
  const before = await cluster.revenue.transactions()
  const payment = await payer.sign()
  const { instances, url } = cluster
  const urls = [...instances.map((instance) => instance.url), url, url, url]
  const copies = await repeat(30, (index) =>
    retryUntilDecided(`${urls[index % urls.length]}/v1/score?domain=workspace-1.test`, { payment }),
  )

  const firstOutcomes = countByOutcome(copies.map(firstResponse))
  printCounts('one payment in 30 copies: first responses', firstOutcomes)
  expect(unexpectedOutcomes(['200', '409 report_not_ready'], firstOutcomes)).toEqual([])
  const settled = (await cluster.revenue.transactions()).slice(before.length)
  expect(settled).toHaveLength(1)
  const delivered = copies
    .map(finalResponse)
    .map(({ status, headers, text }) => `${status} ${headers['payment-response']} ${text}`)
  expect(new Set(delivered).size).toBe(1)
  expect(delivered[0]).toMatch(/^200 .*"domain":"workspace-1.test"/)
})

test(
  'killing two instances mid-payment loses no report and charges no one twice',
  () => killInstancesDuringPayments(cluster, payer),
  60_000,
)

test('all instances together allow thirty requests in 60 seconds', async () => {
  twentySentAt = performance.now()
  const [ann, bob] = await Promise.all([requestMx(ANN, 200), requestMx(BOB, 300)])
  const answeredAt = performance.now()
  printCounts('Ann, after 10 requests, sends 200 at once', countByOutcome(ann))
  printCounts('Bob sends 300 at once', countByOutcome(bob))
  expect(answeredAt - firstTen.sentAt).toBeLessThan(WINDOW_MS)
  expect(countByOutcome(ann)).toEqual({ 200: 20, '429 rate_limited': 180 })
  expect(countByOutcome(bob)).toEqual({ 200: 30, '429 rate_limited': 270 })

  // The first of the ten leaves the window after 60 s; Retry-After is in whole seconds, rounded up.
  const least = (firstTen.sentAt + WINDOW_MS - answeredAt) / 1_000
  const most = (firstTen.answeredAt + WINDOW_MS - twentySentAt) / 1_000 + 1
  for (const { headers } of ann.filter(({ status }) => status === 429)) {
    const retryAfter = Number(headers['retry-after'])
    expect(headers.ratelimit).toBe(`"free";r=0;t=${retryAfter}`)
    expect(retryAfter).toBeGreaterThanOrEqual(least)
    expect(retryAfter).toBeLessThanOrEqual(most)
  }
})

test('nginx spreads requests over all instances', async () => {
  const forwarded = (await cluster.nginx.accessLog()).filter(({ path }) => path === '/v1/mx')
  const shares = countOccurrences(
    forwarded.map(({ upstream }) => upstream.split(', ').at(-1) ?? ''),
  )
  printCounts('requests of Ann and Bob by instance', shares)
  expect(Object.keys(shares)).toEqual(cluster.instances.map(({ address }) => address).sort())
  expect(forwarded).toHaveLength(510)
  expect(Math.min(...Object.values(shares))).toBeGreaterThan(100)
})

test(
  'killing an instance behind nginx loses no paid report',
  () => killInstanceBehindNginx(cluster, payer),
  60_000,
)

test('frees exactly the requests that left the 60 s window', async () => {
  const freeAt = firstTen.answeredAt + WINDOW_MS + 50
  await waitUntil('the first ten left the window', () => performance.now() > freeAt, WINDOW_MS)
  const ann = await requestMx(ANN, 100)
  printCounts('60 s after her first ten, Ann sends 100 at once', countByOutcome(ann))
  expect(performance.now() - twentySentAt).toBeLessThan(WINDOW_MS)
  expect(countByOutcome(ann)).toEqual({ 200: 10, '429 rate_limited': 90 })
}, 70_000)
