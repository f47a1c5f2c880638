/** The service process is stopped while a settlement is in progress. */
import { startDohServer } from '@mailgrade/testing/doh-server'
import { expect, onTestFinished, test } from 'vitest'
import { startChainServer } from '../../support/chain-server.js'
import { startFacilitatorServer } from '../../support/facilitator-server.js'
import { TEST_PAYEE } from '../../support/payment-fixtures.js'
import { startServiceProcess } from '../../support/service-process.js'
import { createTestPayer, decodeBase64Json } from '../../support/test-payer.js'

/** A service with one payment whose settlement is held. */
async function startPayment(signal: AbortSignal | null = null) {
  const chain = await startChainServer({ chainId: 8453 })
  const facilitator = await startFacilitatorServer(chain)
  const resolver = await startDohServer('acme.example. MX 0 .', 'http/1.1')
  const payer = await createTestPayer(chain)
  const service = await startServiceProcess({
    PAY_TO_ADDRESS: TEST_PAYEE,
    FACILITATOR_URL: facilitator.url,
    RPC_URL: chain.url,
    DOH_URLS: resolver.url.href,
  })
  onTestFinished(async () => {
    service.process.kill('SIGKILL')
    facilitator.kill()
    await resolver.close()
    await chain.close()
  })
  const path = `${service.url}/v1/score?domain=acme.example`
  const offer = await fetch(path)
  const required = decodeBase64Json(offer.headers.get('payment-required') ?? '')
  const pay = async () =>
    fetch(path, { headers: { 'PAYMENT-SIGNATURE': await payer.sign(required) }, signal })
  let settle = () => {}
  const held = new Promise<void>((resolve) => {
    settle = resolve
  })
  const settling = new Promise<void>((resolve) => {
    facilitator.onStep('settle', () => {
      resolve()
      return held
    })
  })
  const paid = pay()
  paid.catch(() => {})
  await settling
  return { service, pay, paid, settle }
}

test('delivers the report of a payment in progress and rejects new payments', async () => {
  const { service, pay, paid, settle } = await startPayment()
  service.process.kill('SIGTERM')
  await service.logged('draining')
  const late = await pay()
  expect([late.status, ((await late.json()) as { code: string }).code]).toEqual([
    503,
    'shutting_down',
  ])

  settle()
  const response = await paid
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ domain: 'acme.example', profile: 'non-sending' })
  expect(await service.exitCode()).toBe(0)
})

test('completes a payment even if the caller has hung up', async () => {
  const caller = new AbortController()
  const { service, settle } = await startPayment(caller.signal)
  caller.abort()
  await service.logged('request')
  service.process.kill('SIGINT')
  await service.logged('draining')
  settle()
  expect(await service.logged('payment')).toMatchObject({
    operation: 'score',
    outcome: 'delivered',
  })
  expect(await service.exitCode()).toBe(0)
})
