/** Kills instances during payments, at every point where money and report could be separated. */

import { waitUntil } from '@mailgrade/testing/wait-until'
import { expect } from 'vitest'
import { decodeBase64Json } from '../support/test-payer.js'
import type { Cluster } from './cluster.js'
import {
  type ClusterPayer,
  finalResponse,
  firstResponse,
  retryUntilDecided,
} from './cluster-payer.js'
import type { Instance } from './instance.js'
import { countByOutcome, printCounts, unexpectedOutcomes } from './outcome-counts.js'
import { type CallerResponse, sendRequest } from './send-request.js'

const PATH = '/v1/score?domain=microsoft365-1.test'

const settledTransaction = ({ headers }: CallerResponse): string =>
  decodeBase64Json(String(headers['payment-response'])).transaction

export async function killInstancesDuringPayments(
  cluster: Cluster,
  payer: ClusterPayer,
): Promise<void> {
  const { url, instances, facilitator, redis } = cluster
  const [first, second] = instances
  const newTransactions = await watchTransactions(cluster)
  const payments = await Promise.all([1, 2, 3, 4].map(() => payer.sign()))
  const [settledPayment, recordingPayment, settlingPayment, verifyingPayment] = payments
  const lost: Promise<CallerResponse>[] = []
  const send = (instance: Instance, payment = '') =>
    void lost.push(sendRequest(instance.url + PATH, { payment }))

  const settled = facilitator.hold('settled')
  send(first, settledPayment)
  await settled.waitForCount(1)
  send(second, recordingPayment)
  await settled.waitForCount(2)
  const settling = facilitator.hold('settle')
  send(first, settlingPayment)
  await settling.waitForCount(1)
  const verifying = facilitator.hold('verify')
  send(first, verifyingPayment)
  await verifying.waitForCount(1)
  await first.kill()
  // The second instance learns of its settlement, and tries to record it before it responds.
  await redis.command('CLIENT', 'PAUSE', '10000', 'WRITE')
  for (const barrier of [verifying, settling, settled]) barrier.release()
  await waitUntil('the second instance writes to Redis', async () =>
    /blocked_clients:[1-9]/.test(String(await redis.command('INFO', 'clients'))),
  )
  await second.kill()
  await redis.command('CLIENT', 'UNPAUSE')
  expect(countByOutcome(await Promise.all(lost))).toEqual({ '0 ECONNRESET': 4 })
  await waitUntil('three are settled', async () => (await newTransactions()).length === 3)
  await Promise.all([first.restart(), second.restart()])

  const responses = await Promise.all(
    payments.map((payment) => retryUntilDecided(url + PATH, { payment })),
  )
  const firstOutcomes = countByOutcome(responses.map(firstResponse))
  printCounts('four payments of two killed instances, sent again: first responses', firstOutcomes)
  expect(unexpectedOutcomes(['200', '409 report_not_ready'], firstOutcomes)).toEqual([])
  expect(countByOutcome(responses.map(finalResponse))).toEqual({ 200: 4 })
  // Three were settled before the restart; only the fourth is new.
  const transactions = responses.map(finalResponse).map(settledTransaction)
  expect(transactions).toEqual(await newTransactions())
  for (const [index, payment] of payments.entries()) {
    const again = await sendRequest(url + PATH, { payment })
    expect([again.status, again.text]).toEqual([200, responses[index]?.at(-1)?.text])
  }
  expect(await newTransactions()).toHaveLength(4)
}

/** Callers do not notice: nginx tries another instance, which sees that the payment is in progress. */
export async function killInstanceBehindNginx(
  cluster: Cluster,
  payer: ClusterPayer,
): Promise<void> {
  const { url, instances, facilitator } = cluster
  const [, , instance] = instances
  const newTransactions = await watchTransactions(cluster)
  const payments = await Promise.all(Array.from({ length: 12 }, () => payer.sign()))
  const settling = facilitator.hold('settle')
  const sending = payments.map((payment) => retryUntilDecided(url + PATH, { payment }))
  await settling.waitForCount(12)
  await instance.kill()
  settling.release()

  const responses = await Promise.all(sending)
  const firstOutcomes = countByOutcome(responses.map(firstResponse))
  printCounts('12 payments while one of three instances is killed: first responses', firstOutcomes)
  expect(unexpectedOutcomes(['200', '409 report_not_ready'], firstOutcomes)).toEqual([])
  expect(countByOutcome(responses.map(finalResponse))).toEqual({ 200: 12 })
  const transactions = responses.map(finalResponse).map(settledTransaction)
  expect(transactions.sort()).toEqual((await newTransactions()).sort())
  await instance.restart()
}

/** Returns a function that lists the settlements from now on, in order. */
async function watchTransactions({ revenue }: Cluster): Promise<() => Promise<string[]>> {
  const before = (await revenue.transactions()).length
  return async () => (await revenue.transactions()).slice(before)
}
