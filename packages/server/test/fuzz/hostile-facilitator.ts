/** A facilitator with random, often invalid responses. */
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { createFuzzRandom } from './fuzz-random.js'

export interface HostileFacilitator {
  readonly url: string
  close(): void
}

const TRANSACTIONS = [`0x${'11'.repeat(32)}`, '', '<fz>\r\nX-Fz: 1', 'x'.repeat(20_000)]

const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  '/verify': [
    ...Array.from({ length: 20 }, () => ({ isValid: true, payer: '0x1' })),
    { isValid: false, invalidReason: 'insufficient_funds' },
    { isValid: false, invalidReason: '<fz>\r\nX-Fz: 1' },
    { isValid: false },
    { isValid: 'yes' },
  ],
  '/settle': [
    ...TRANSACTIONS.map((transaction) => ({ success: true, transaction, network: 'eip155:8453' })),
    ...TRANSACTIONS.map((transaction) => ({
      success: true,
      transaction,
      network: '<fz>',
      payer: 7,
    })),
    { success: false, errorReason: 'insufficient_funds', transaction: '', network: 'eip155:8453' },
    { success: false, errorReason: 'unexpected_settle_error', transaction: '0x', network: '' },
    { success: false, errorReason: { a: 1 } },
    { success: 1 },
  ],
  '/supported': [
    {
      kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
      extensions: [],
      signers: {},
    },
    { kinds: null },
  ],
}
const INVALID_BODIES = ['', 'null', '[]', '"x"', '{', '<html>', `${'['.repeat(50_000)}`]
const STATUSES = [...Array.from({ length: 20 }, () => 200), 400, 402, 429, 500, 503]

export async function startHostileFacilitator(): Promise<HostileFacilitator> {
  let requests = 0
  const server = http.createServer(async (request, response) => {
    const { url = '' } = request
    await text(request).catch(() => '')
    const random = createFuzzRandom(`${url} ${requests++}`)
    if (random.integerBelow(20) === 0) return void response.destroy()
    const valid = JSON.stringify(random.pick(BODIES[url] ?? [null]))
    response.writeHead(random.pick(STATUSES), { 'content-type': 'application/json' })
    response.end(random.integerBelow(12) === 0 ? random.pick(INVALID_BODIES) : valid)
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
