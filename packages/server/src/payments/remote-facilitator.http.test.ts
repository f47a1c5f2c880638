import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  TEST_CALLER,
  TEST_OFFER,
  TEST_VERIFY_CONTEXT,
  unsignedPayment,
} from '../../test/support/payment-fixtures.js'
import { createFacilitatorRequest, createRemoteFacilitator } from './remote-facilitator.js'

const MAX_RESPONSE_BYTES = 65_536
const TIMEOUT_MS = 10_000

interface SeenRequest {
  readonly target: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A server on loopback and the requests that arrived. */
async function start(handle: (response: http.ServerResponse) => unknown) {
  const seen: SeenRequest[] = []
  const server = http.createServer(async (request, response) => {
    const { method, url, headers } = request
    seen.push({ target: `${method} ${url}`, headers, body: await text(request) })
    await handle(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** JSON of exactly this many bytes. */
const jsonOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))

describe('a request', () => {
  test('carries JSON and the headers of its endpoint', async () => {
    const { url, seen } = await start((response) => response.end('{"ok":true}'))
    const createAuthHeaders = async () => ({
      verify: { authorization: 'for verify' },
      settle: { authorization: 'for settle' },
    })
    const request = createFacilitatorRequest({ url: `${url}/x402//`, createAuthHeaders })
    expect(await request('settle', { a: 1 }, TIMEOUT_MS)).toEqual({
      status: 200,
      body: { ok: true },
    })
    await request('supported', null, TIMEOUT_MS)
    const json = { 'content-type': 'application/json' }
    expect(seen).toMatchObject([
      {
        target: 'POST /x402/settle',
        headers: { ...json, authorization: 'for settle' },
        body: '{"a":1}',
      },
      { target: 'GET /x402/supported', headers: json, body: '' },
    ])
    expect(seen[1]?.headers).not.toHaveProperty('authorization')
  })

  test('is not sent without its authorization', async () => {
    const { url, seen } = await start((response) => response.end('{}'))
    const createAuthHeaders = () => Promise.reject(new Error('no key'))
    const request = createFacilitatorRequest({ url, createAuthHeaders })
    await expect(request('settle', {}, TIMEOUT_MS)).rejects.toThrow('no key')
    expect(seen).toEqual([])
  })

  test('returns an error status with its body', async () => {
    const { url } = await start((response) => response.writeHead(402).end('{"success":false}'))
    const request = createFacilitatorRequest({ url })
    expect(await request('settle', {}, TIMEOUT_MS)).toEqual({
      status: 402,
      body: { success: false },
    })
  })
})

describe.each([301, 302, 303, 307, 308])('a redirect with status %i is not followed', (status) => {
  async function startRedirect() {
    const target = await start((response) =>
      response.end('{"isValid":true,"success":true,"kinds":[]}'),
    )
    const { url, seen } = await start((response) =>
      response.writeHead(status, { location: `${target.url}/elsewhere` }).end('{}'),
    )
    return { url, seen, target }
  }

  test.each(['verify', 'settle', 'supported'] as const)('from %s', async (endpoint) => {
    const { url, seen, target } = await startRedirect()
    const request = createFacilitatorRequest({ url })
    const body = endpoint === 'supported' ? null : { payment: 'secret' }
    await expect(request(endpoint, body, TIMEOUT_MS)).rejects.toThrow()
    expect([seen.length, target.seen]).toEqual([1, []])
  })

  test('and decides nothing about a payment', async () => {
    const { url, target } = await startRedirect()
    const remote = createRemoteFacilitator({ url, network: 'eip155:8453' })
    const payment = unsignedPayment()
    const purchase = { offer: TEST_OFFER, caller: TEST_CALLER }
    expect(await remote.verify(payment, purchase, TEST_VERIFY_CONTEXT)).toMatchObject({
      kind: 'unavailable',
    })
    const claim = await remote.settle(payment, purchase, async () => {})
    expect(claim).toMatchObject({ kind: 'sent', isClaimedPaid: false, transaction: null })
    expect(await remote.healthProblem()).toBe('the facilitator does not answer')
    expect(target.seen).toEqual([])
  })
})

describe('the size of a response', () => {
  test('may be 64 KB', async () => {
    const { url } = await start((response) => response.end(jsonOf(MAX_RESPONSE_BYTES)))
    const { body } = await createFacilitatorRequest({ url })('verify', {}, TIMEOUT_MS)
    expect(body).toHaveLength(MAX_RESPONSE_BYTES - 2)
  })

  test('may not be a byte more', async () => {
    const { url } = await start((response) => response.end(jsonOf(MAX_RESPONSE_BYTES + 1)))
    const request = createFacilitatorRequest({ url })
    await expect(request('verify', {}, TIMEOUT_MS)).rejects.toMatchObject({
      name: 'ResponseTooLarge',
    })
  })

  test('is limited after decompression', async () => {
    const compressed = gzipSync(jsonOf(16 * 1024 * 1024))
    expect(compressed.length).toBeLessThan(MAX_RESPONSE_BYTES)
    const { url } = await start((response) =>
      response.setHeader('content-encoding', 'gzip').end(compressed),
    )
    const request = createFacilitatorRequest({ url })
    await expect(request('verify', {}, TIMEOUT_MS)).rejects.toMatchObject({
      name: 'ResponseTooLarge',
    })
  })

  /** What the sockets of both sides may buffer; a response without a limit is much larger. */
  const SOCKET_BUFFERS = 16 * 1024 * 1024
  const OFFERED = 8 * SOCKET_BUFFERS

  test.each(['verify', 'settle', 'supported'] as const)(
    'ends the connection, so the server cannot go on writing: %s',
    async (endpoint) => {
      const chunk = Buffer.alloc(65_536, 'x')
      let written = 0
      let isClosed: Promise<unknown> = Promise.resolve()
      const { url } = await start(async (response) => {
        isClosed = once(response, 'close')
        response.write('"')
        while (written < OFFERED && !response.destroyed) {
          written += chunk.length
          if (!response.write(chunk)) await Promise.race([once(response, 'drain'), isClosed])
        }
        response.end('"')
      })
      const request = createFacilitatorRequest({ url })
      const body = endpoint === 'supported' ? null : {}
      await expect(request(endpoint, body, TIMEOUT_MS)).rejects.toMatchObject({
        name: 'ResponseTooLarge',
      })
      await isClosed
      expect(written).toBeLessThan(SOCKET_BUFFERS)
    },
  )
})

describe('rejects', () => {
  test.each([
    ['an empty response', ''],
    ['half a response', '{"isValid":'],
    ['a page', '<html>'],
  ])('%s', async (_, body) => {
    const { url } = await start((response) => response.end(body))
    await expect(createFacilitatorRequest({ url })('verify', {}, TIMEOUT_MS)).rejects.toThrow()
  })

  test('a response that ends early', async () => {
    const { url } = await start((response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"isValid":true}', () => response.destroy())
    })
    await expect(createFacilitatorRequest({ url })('verify', {}, TIMEOUT_MS)).rejects.toThrow()
  })

  test('a response that starts but does not end in time', async () => {
    const { url } = await start((response) => response.write('{"isValid":true'))
    await expect(createFacilitatorRequest({ url })('verify', {}, 100)).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })
})
