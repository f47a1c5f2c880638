/** What an instance in production needs: a resolver, and a facilitator that accepts every payment. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startDohServer } from '@mailgrade/testing/doh-server'
import { unsignedPayment } from '../support/payment-fixtures.js'
import { encodeBase64Json, nowSeconds } from '../support/test-payer.js'

export interface DeployEnvironment {
  /** Settings of an operator. */
  readonly env: Record<string, string>
  /** The value of a PAYMENT-SIGNATURE header; a different payment for each nonce. */
  paymentHeader(resource: string, nonce: number): string
  close(): Promise<void>
}

const SETTLEMENT = { success: true, transaction: '0xabc', network: 'eip155:8453', payer: '0x1' }

export async function openDeployEnvironment(): Promise<DeployEnvironment> {
  const resolver = await startDohServer('acme.example. MX 0 .', 'http/1.1')
  const facilitator = createServer((request, response) => {
    response.end(JSON.stringify(request.url === '/settle' ? SETTLEMENT : { isValid: true }))
  })
  await once(facilitator.listen(0, '127.0.0.1'), 'listening')
  const { port } = facilitator.address() as AddressInfo
  return {
    env: {
      PAY_TO_ADDRESS: unsignedPayment().payload.accepted.payTo,
      FACILITATOR_URL: `http://127.0.0.1:${port}`,
      DOH_URLS: resolver.url.href,
    },
    paymentHeader(url, nonce) {
      const { payload } = unsignedPayment({
        authorization: {
          validAfter: '0',
          validBefore: String(nowSeconds() + 100),
          nonce: `0x${String(nonce).padStart(64, '0')}`,
        },
      })
      return encodeBase64Json({ ...payload, resource: { url } })
    },
    async close() {
      facilitator.close()
      facilitator.closeAllConnections()
      await resolver.close()
    },
  }
}
