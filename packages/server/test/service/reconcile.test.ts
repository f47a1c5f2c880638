/** `npm run reconcile`, and what the running service resolves on its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDohServer } from '@mailgrade/testing/doh-server'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectChain } from '../../src/payments/chain/chain-client.js'
import { createGasPayer } from '../../src/payments/chain/gas-payer.js'
import type { Payment } from '../../src/payments/payment.js'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { startChainServer } from '../support/chain-server.js'
import { openDiskLedger } from '../support/disk-ledger.js'
import {
  signTestPayment,
  TEST_MAX_COST,
  TEST_PAYEE,
  transferTransaction,
} from '../support/payment-fixtures.js'
import { runReconcile } from '../support/reconcile-process.js'
import { startServiceProcess } from '../support/service-process.js'
import { createTestPayer } from '../support/test-payer.js'
import { scrapeMetrics, selectMetric } from './observe/scrape-metrics.js'

const NETWORK = 'eip155:8453'
const TEN_MINUTES = 600_000

async function openChain() {
  const chain = await startChainServer({ chainId: 8453 })
  onTestFinished(() => chain.close())
  const env = {
    PAY_TO_ADDRESS: TEST_PAYEE,
    RPC_URL: chain.url,
    FACILITATOR_PRIVATE_KEY: FACILITATOR_WALLET.privateKey,
  }
  return { chain, env }
}

/** A ledger of payments that were prepared ten minutes ago. */
async function openLedger() {
  const { chain, env } = await openChain()
  const payer = await chain.newWallet()
  const gasPayer = createGasPayer(
    connectChain([chain.url], NETWORK),
    privateKeyToAccount(FACILITATOR_WALLET.privateKey),
  )
  const { ledger, dataDir, close } = await openDiskLedger(() => Date.now() - TEN_MINUTES)
  const settle = (payment: Payment, recordTransaction: (hash: string) => Promise<void>) =>
    gasPayer.send({
      ...transferTransaction(payment),
      maxGas: 1_000_000n,
      maxCost: TEST_MAX_COST,
      recordTransaction,
    })
  return {
    env: { ...env, DATA_DIR: dataDir },
    ledger,
    payer,
    close,
    async prepareOne() {
      const payment = await signTestPayment(payer, NETWORK)
      const { id, fingerprint, validBefore, authorization } = payment
      const request = { id, fingerprint, requestKey: 'key', payer: id, validBefore }
      await ledger.reserve({ ...request, amount: authorization.value })
      await ledger.prepare(id, 'sealed')
      return payment
    },
    settleRecorded: (payment: Payment) =>
      settle(payment, (hash) => ledger.recordTransaction(payment.id, hash)),
    settleUnrecorded: (payment: Payment) => settle(payment, async () => {}),
  }
}

test('agrees with the chain on a report sold by a running service', async () => {
  const { chain, env } = await openChain()
  const resolver = await startDohServer('acme.example. MX 0 .', 'http/1.1')
  const dataDir = await mkdtemp(join(tmpdir(), 'mailgrade-data-'))
  onTestFinished(async () => {
    await resolver.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  const settings = { ...env, DATA_DIR: dataDir }
  const service = await startServiceProcess({ ...settings, DOH_URLS: resolver.url.href })
  onTestFinished(() => void service.process.kill('SIGKILL'))
  const payer = await createTestPayer(chain)
  const url = `${service.url}/v1/score?domain=acme.example`
  expect((await payer.wrapFetch(fetch)(url)).status).toBe(200)
  const { reference, transaction } = await service.logged('payment')
  expect(await runReconcile(settings)).toMatchObject({
    code: 0,
    err: '',
    firstLine:
      'OK: the ledger and the chain agree for the last 24 hours. Paid and delivered: 1, 0.01 USDC.',
  })
  const { out } = await runReconcile(settings, '--json', '--hours', '1')
  expect(JSON.parse(out)).toMatchObject({
    isAttentionNeeded: false,
    hours: 1,
    delivered: [{ reference, transaction, usd: '0.01', payer: payer.address }],
    notDelivered: [],
    transfersWithoutEntry: [],
  })
})

test('lists what needs attention, with exit code 1', async () => {
  const { env, ledger, payer, prepareOne, settleRecorded, settleUnrecorded } = await openLedger()
  const due = await prepareOne()
  const dueTransaction = await settleRecorded(due)
  await ledger.complete(due.id, dueTransaction)
  const lost = await prepareOne()
  const lostTransaction = await settleRecorded(lost)
  await ledger.markUnknown(lost.id)
  const open = await prepareOne()
  await ledger.markUnknown(open.id)
  const past = await signTestPayment(payer, NETWORK)
  const pastTransaction = await settleUnrecorded(past)
  const missing = await prepareOne()
  await ledger.complete(missing.id, `0x${'1'.repeat(64)}`)

  expect(await runReconcile(env)).toMatchObject({
    code: 1,
    err: '',
    firstLine:
      'ATTENTION: payments of the last 24 hours: 2 paid and not delivered, 1 unknown, 1 on the chain only, 1 in the ledger only.',
  })
  const { code, out } = await runReconcile(env, '--json')
  const references = (list: { reference: string; transaction: string }[]) =>
    new Map(list.map(({ reference, transaction }) => [reference, transaction]))
  const result = JSON.parse(out)
  expect([code, result.isAttentionNeeded]).toEqual([1, true])
  expect(references(result.notDelivered)).toEqual(
    new Map([
      [due.id, dueTransaction],
      [lost.id, lostTransaction],
    ]),
  )
  expect(result.notDelivered[0]).toMatchObject({ usd: '0.01', payer: payer.address })
  expect(references(result.transfersWithoutEntry)).toEqual(new Map([[past.id, pastTransaction]]))
  expect(result.unknown).toMatchObject([{ reference: open.id, usd: '0.01' }])
  expect(result.entriesWithoutTransfer).toMatchObject([{ reference: missing.id }])
})

describe('fails with exit code 2', () => {
  const LIVE = { PAY_TO_ADDRESS: TEST_PAYEE, FACILITATOR_URL: 'http://127.0.0.1:9' }

  test.each([
    [
      'without a payee',
      {},
      [],
      'payments aren’t live. Set PAY_TO_ADDRESS and the service’s other environment variables.',
    ],
    ['with an invalid variable', { ...LIVE, PORT: 'x' }, [], 'correct these environment variables'],
    ['with too many hours', LIVE, ['--hours', '25'], 'a whole number from 1 to 24'],
    ['with another argument', LIVE, ['--days'], 'a whole number from 1 to 24'],
    [
      'if we can’t read the chain, without the URL',
      { ...LIVE, RPC_URL: 'http://127.0.0.1:9/secret' },
      [],
      'we can’t read the chain (HttpRequestError). Check RPC_URL.',
    ],
  ])('%s', async (_, env, args, message) => {
    const { code, out, err } = await runReconcile(env as Record<string, string>, ...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`Cannot reconcile: `)
    expect(err).toContain(message)
    expect(err).not.toContain('secret')
  })

  test('if the ledger cannot be read', async () => {
    const { env } = await openChain()
    const { code, err } = await runReconcile({ ...env, DATA_DIR: '/nonexistent' })
    expect(code).toBe(2)
    expect(err).toContain('we can’t read the ledger. DATA_DIR (/nonexistent) cannot be written')
    const redis = await runReconcile({ ...env, REDIS_URL: 'redis://127.0.0.1:9' })
    expect(redis.code).toBe(2)
    expect(redis.err).toContain('we can’t read the ledger.')
  })
})

test('a service that starts resolves what the one before it left, and counts the rest', async () => {
  const { env, ledger, close, prepareOne, settleRecorded } = await openLedger()
  const paid = await prepareOne()
  const transaction = await settleRecorded(paid)
  await prepareOne()
  expect(await ledger.listUnknown()).toHaveLength(2)
  await close()
  const service = await startServiceProcess({ ...env, METRICS_PORT: '0' })
  onTestFinished(() => void service.process.kill('SIGKILL'))
  expect(await service.logged('paid, not delivered')).toMatchObject({
    level: 'warn',
    reference: paid.id,
    transaction,
    usd: 0.01,
  })
  const { metricsPort } = await service.logged('listening')
  const series = await scrapeMetrics(metricsPort)
  expect(selectMetric(series, 'mailgrade_payments_unknown')).toEqual({ '': 1 })
  expect(selectMetric(series, 'mailgrade_settled_usd_total')).toEqual({
    '{operation="none"}': 0.01,
  })
  expect(selectMetric(series, 'mailgrade_payments_total')).toEqual({
    '{operation="none",outcome="paid_not_delivered"}': 1,
  })
  service.process.kill('SIGTERM')
  expect(await service.exitCode()).toBe(0)
})
