/** Instances are killed in the middle of sales, at every point where money and report could part. */
import { expect } from 'vitest'
import { decodeBase64Json } from '../support/test-payer.js'
import type { Cluster } from './cluster.js'
import { type ClusterPayer, finalResponse, retryUntilDecided } from './cluster-payer.js'
import { countByOutcome, printCounts, unexpectedOutcomes } from './outcome-counts.js'
import { type CallerResponse, sendRequest } from './send-request.js'
import { waitUntil } from './wait-until.js'

const PATH = '/v1/score?domain=microsoft365-1.test'

const transactionOf = ({ headers }: CallerResponse): string =>
  decodeBase64Json(String(headers['payment-response'])).transaction

export async function killInstancesDuringPayments(
  cluster: Cluster,
  purse: ClusterPayer,
): Promise<void> {
  const { url, instances, facilitator, redis } = cluster
  const [one, other] = instances
  const settled = await settledSince(cluster)
  const payments = await Promise.all([1, 2, 3, 4].map(() => purse.sign()))
  const [paid, closing, paying, unpaid] = payments
  const lost: Promise<CallerResponse>[] = []
  const send = (to: typeof one, payment = '') =>
    void lost.push(sendRequest(to.url + PATH, { payment }))

  const saying = facilitator.hold('settled')
  send(one, paid)
  await saying.waitForCount(1)
  send(other, closing)
  await saying.waitForCount(2)
  const settling = facilitator.hold('settle')
  send(one, paying)
  await settling.waitForCount(1)
  const verifying = facilitator.hold('verify')
  send(one, unpaid)
  await verifying.waitForCount(1)
  await one.kill()
  // The other learns that it is paid, and does not answer before it has tried to write it down.
  await redis.command('CLIENT PAUSE 10000 WRITE')
  for (const barrier of [verifying, settling, saying]) barrier.release()
  await waitUntil('it tries', async () =>
    /blocked_clients:[1-9]/.test(await redis.command('INFO clients')),
  )
  await other.kill()
  await redis.command('CLIENT UNPAUSE')
  expect(countByOutcome(await Promise.all(lost))).toEqual({ '0 ECONNRESET': 4 })
  await waitUntil('three are settled', async () => (await settled()).length === 3)
  await Promise.all([one.restart(), other.restart()])

  const answers = await Promise.all(
    payments.map((payment) => retryUntilDecided(url + PATH, { payment })),
  )
  const first = countByOutcome(answers.map(([answer]) => answer as CallerResponse))
  printCounts('four sales of two dead instances, asked for again: the first answers', first)
  expect(unexpectedOutcomes(['200', '409 report_not_ready'], first)).toEqual([])
  expect(countByOutcome(answers.map(finalResponse))).toEqual({ 200: 4 })
  // The first three are those that were made before, and only the fourth is new.
  expect(answers.map(finalResponse).map(transactionOf)).toEqual(await settled())
  for (const [index, payment] of payments.entries()) {
    const again = await sendRequest(url + PATH, { payment })
    expect([again.status, again.text]).toEqual([200, answers[index]?.at(-1)?.text])
  }
  expect(await settled()).toHaveLength(4)
}

/** Callers do not see it die: nginx asks another instance, which knows that the sale is under way. */
export async function killInstanceBehindNginx(
  cluster: Cluster,
  purse: ClusterPayer,
): Promise<void> {
  const { url, instances, facilitator } = cluster
  const [, , instance] = instances
  const settled = await settledSince(cluster)
  const payments = await Promise.all(Array.from({ length: 12 }, () => purse.sign()))
  const settling = facilitator.hold('settle')
  const sales = payments.map((payment) => retryUntilDecided(url + PATH, { payment }))
  await settling.waitForCount(12)
  await instance.kill()
  settling.release()

  const answers = await Promise.all(sales)
  const first = countByOutcome(answers.map(([answer]) => answer as CallerResponse))
  printCounts('12 sales behind nginx, one of three instances dies: the first answers', first)
  expect(unexpectedOutcomes(['200', '409 report_not_ready'], first)).toEqual([])
  expect(countByOutcome(answers.map(finalResponse))).toEqual({ 200: 12 })
  expect(answers.map(finalResponse).map(transactionOf).sort()).toEqual((await settled()).sort())
  await instance.restart()
}

/** Settlements from now on, in order. */
async function settledSince({ revenue }: Cluster): Promise<() => Promise<string[]>> {
  const before = (await revenue.transactions()).length
  return async () => (await revenue.transactions()).slice(before)
}
