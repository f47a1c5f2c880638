/** What an instance in production needs: a resolver, a facilitator, a chain, and a payer on it. */
import { startDohServer } from '@mailgrade/testing/doh-server'
import { startFacilitatorProxy } from '../production/facilitator-proxy.js'
import { startChainServer } from '../support/chain-server.js'
import { startFacilitatorServer } from '../support/facilitator-server.js'
import { TEST_OFFER } from '../support/payment-fixtures.js'
import { createTestPayer } from '../support/test-payer.js'

export interface DeployEnvironment {
  /** Settings of an operator. */
  readonly env: Record<string, string>
  /** The value of a PAYMENT-SIGNATURE header; a new payment for each call. */
  signPayment(resource: string): Promise<string>
  close(): Promise<void>
}

export async function openDeployEnvironment(): Promise<DeployEnvironment> {
  const resolver = await startDohServer('acme.example. MX 0 .', 'http/1.1')
  const chain = await startChainServer({ chainId: 8453 })
  const facilitator = await startFacilitatorProxy(await startFacilitatorServer(chain))
  const payer = await createTestPayer(chain, 100_000_000n)
  const { requirements, resource } = TEST_OFFER
  return {
    env: {
      PAY_TO_ADDRESS: requirements.payTo,
      FACILITATOR_URL: facilitator.url,
      RPC_URL: chain.url,
      DOH_URLS: resolver.url.href,
    },
    signPayment: (url) =>
      payer.sign({ x402Version: 2, resource: { ...resource, url }, accepts: [requirements] }),
    async close() {
      facilitator.kill()
      await chain.close()
      await resolver.close()
    },
  }
}
