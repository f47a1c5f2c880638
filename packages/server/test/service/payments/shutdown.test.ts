/** The service as a process of its own, told to stop while a settlement is under way. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startDohServer } from '@mailgrade/testing/doh-server'
import { expect, onTestFinished, test } from 'vitest'
import { unsignedPayment } from '../../support/payment-fixtures.js'
import { startServiceProcess } from '../../support/service-process.js'
import { encodeBase64Json } from '../../support/test-payer.js'

/** A facilitator to whom every payment is good, and whose settlements wait to be let go. */
async function startFacilitator() {
  const settling: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url !== '/settle') return response.end(JSON.stringify({ isValid: true }))
    settling.push(response)
    return server.emit('settling')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { server, settling, url: `http://127.0.0.1:${port}` }
}

const RECEIPT = { success: true, transaction: '0xabc', network: 'eip155:8453', payer: '0x1' }

/** A shop with one sale under way, whose settlement waits. */
async function startSale(signal: AbortSignal | null = null) {
  const facilitator = await startFacilitator()
  const resolver = await startDohServer('acme.example. MX 0 .', 'http/1.1')
  onTestFinished(resolver.close)
  const { payload } = unsignedPayment()
  const service = await startServiceProcess({
    PAY_TO_ADDRESS: payload.accepted.payTo,
    FACILITATOR_URL: facilitator.url,
    DOH_URLS: resolver.url.href,
  })
  onTestFinished(() => void service.process.kill('SIGKILL'))
  const path = `${service.url}/v1/score?domain=acme.example`
  const validBefore = String(Math.floor(Date.now() / 1_000) + 100)
  const buy = (nonce: string) => {
    const payment = unsignedPayment({
      authorization: { validAfter: '0', validBefore, nonce: `0x${nonce.repeat(64)}` },
    })
    const resource = { url: path }
    const header = encodeBase64Json({ ...payment.payload, resource })
    return fetch(path, { headers: { 'PAYMENT-SIGNATURE': header }, signal })
  }
  const settling = once(facilitator.server, 'settling')
  const sale = buy('1')
  sale.catch(() => {})
  await settling
  const settle = () => facilitator.settling[0]?.end(JSON.stringify(RECEIPT))
  return { service, buy, sale, settle }
}

test('a caller whose payment is being settled gets the report, and no other sale begins', async () => {
  const { service, buy, sale, settle } = await startSale()
  service.process.kill('SIGTERM')
  await service.logged('draining')
  const late = await buy('2')
  expect([late.status, ((await late.json()) as { code: string }).code]).toEqual([
    503,
    'shutting_down',
  ])

  settle()
  const response = await sale
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ domain: 'acme.example', profile: 'non-sending' })
  expect(await service.exitCode()).toBe(0)
})

test('a sale is brought to its end also when the caller has hung up', async () => {
  const caller = new AbortController()
  const { service, settle } = await startSale(caller.signal)
  caller.abort()
  await service.logged('request')
  service.process.kill('SIGINT')
  await service.logged('draining')
  settle()
  expect(await service.logged('payment')).toMatchObject({ operation: 'score', outcome: 'sold' })
  expect(await service.exitCode()).toBe(0)
})
