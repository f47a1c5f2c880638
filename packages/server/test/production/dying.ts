/** Instances are killed in the middle of sales, at every point where money and report could part. */
import { expect } from 'vitest'
import { decode } from '../support/payer.js'
import { ask, type Heard } from './caller.js'
import type { Cluster } from './cluster.js'
import { insist, lastOf, type Purse } from './purchase.js'
import { counted, otherThan, print } from './tally.js'
import { until } from './until.js'

const PATH = '/v1/score?domain=microsoft365-1.test'

const transactionOf = ({ headers }: Heard): string =>
  decode(String(headers['payment-response'])).transaction

export async function dieInTheMiddleOfSales(cluster: Cluster, purse: Purse): Promise<void> {
  const { url, instances, facilitator, redis } = cluster
  const [one, other] = instances
  const settled = await settledSince(cluster)
  const payments = await Promise.all([1, 2, 3, 4].map(() => purse.sign()))
  const [paid, closing, paying, unpaid] = payments
  const lost: Promise<Heard>[] = []
  const send = (to: typeof one, payment = '') => void lost.push(ask(to.url + PATH, { payment }))

  const saying = facilitator.hold('settled')
  send(one, paid)
  await saying.reached(1)
  send(other, closing)
  await saying.reached(2)
  const settling = facilitator.hold('settle')
  send(one, paying)
  await settling.reached(1)
  const verifying = facilitator.hold('verify')
  send(one, unpaid)
  await verifying.reached(1)
  await one.kill()
  // The other learns that it is paid, and does not answer before it has tried to write it down.
  await redis.tell('CLIENT PAUSE 10000 WRITE')
  for (const barrier of [verifying, settling, saying]) barrier.open()
  await until('it tries', async () =>
    /blocked_clients:[1-9]/.test(await redis.tell('INFO clients')),
  )
  await other.kill()
  await redis.tell('CLIENT UNPAUSE')
  expect(counted(await Promise.all(lost))).toEqual({ '0 ECONNRESET': 4 })
  await until('three are settled', async () => (await settled()).length === 3)
  await Promise.all([one.restart(), other.restart()])

  const answers = await Promise.all(payments.map((payment) => insist(url + PATH, { payment })))
  const first = counted(answers.map(([answer]) => answer as Heard))
  print('four sales of two dead instances, asked for again: the first answers', first)
  expect(otherThan(['200', '409 report_not_ready'], first)).toEqual([])
  expect(counted(answers.map(lastOf))).toEqual({ 200: 4 })
  // The first three are those that were made before, and only the fourth is new.
  expect(answers.map(lastOf).map(transactionOf)).toEqual(await settled())
  for (const [index, payment] of payments.entries()) {
    const again = await ask(url + PATH, { payment })
    expect([again.status, again.text]).toEqual([200, answers[index]?.at(-1)?.text])
  }
  expect(await settled()).toHaveLength(4)
}

/** Callers do not see it die: nginx asks another instance, which knows that the sale is under way. */
export async function dieBehindNginx(cluster: Cluster, purse: Purse): Promise<void> {
  const { url, instances, facilitator } = cluster
  const [, , instance] = instances
  const settled = await settledSince(cluster)
  const payments = await Promise.all(Array.from({ length: 12 }, () => purse.sign()))
  const settling = facilitator.hold('settle')
  const sales = payments.map((payment) => insist(url + PATH, { payment }))
  await settling.reached(12)
  await instance.kill()
  settling.open()

  const answers = await Promise.all(sales)
  const first = counted(answers.map(([answer]) => answer as Heard))
  print('12 sales behind nginx, one of three instances dies: the first answers', first)
  expect(otherThan(['200', '409 report_not_ready'], first)).toEqual([])
  expect(counted(answers.map(lastOf))).toEqual({ 200: 12 })
  expect(answers.map(lastOf).map(transactionOf).sort()).toEqual((await settled()).sort())
  await instance.restart()
}

/** Settlements from now on, in order. */
async function settledSince({ takings }: Cluster): Promise<() => Promise<string[]>> {
  const before = (await takings.settlements()).length
  return async () => (await takings.settlements()).slice(before)
}
