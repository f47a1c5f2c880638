/** The middleware that x402 itself has for Hono, offering the same as we do for the same price. */
import { x402Facilitator } from '@x402/core/facilitator'
import type { FacilitatorClient } from '@x402/core/server'
import type { Network, PaymentRequired, SupportedResponse } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as Settler } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/hono'
import type { MiddlewareHandler } from 'hono'
import { type Abi, createWalletClient, http, publicActions } from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { score } from '../packages/server/src/operations/score.js'
import { FACILITATOR_WALLET } from '../packages/server/src/sandbox/chain/sandbox-wallets.js'

/** Without an endpoint there is no chain, and every payment is good. */
export function stockPaymentMiddleware(
  offer: PaymentRequired,
  rpcUrl: string | null,
): MiddlewareHandler {
  const { resource, accepts, extensions } = offer
  const [accepted] = accepts
  if (!resource || !accepted || !extensions) throw new Error('half an offer')
  const { scheme, network, payTo, maxTimeoutSeconds } = accepted
  const { url, ...about } = resource
  const facilitator = rpcUrl ? chainFacilitator(rpcUrl, network) : instantFacilitator(network)
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())
  const price = `$${score.price}`
  const route = {
    accepts: { scheme, network, price, payTo, maxTimeoutSeconds },
    resource: url,
    ...about,
    extensions,
  }
  return paymentMiddleware({ [`GET ${score.path}`]: route }, server)
}

function instantFacilitator(network: Network): FacilitatorClient {
  return {
    verify: async () => ({ isValid: true }),
    settle: async () => ({ success: true, transaction: `0x${'ab'.repeat(32)}`, network }),
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network }],
      extensions: [],
      signers: {},
    }),
  }
}

function chainFacilitator(rpcUrl: string, network: Network): FacilitatorClient {
  const facilitator = new x402Facilitator().register(network, new Settler(signerOn(rpcUrl)))
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => facilitator.getSupported() as SupportedResponse,
  }
}

/** As viem is meant to be used; our own settings of it are part of what is compared. */
function signerOn(rpcUrl: string) {
  const account = privateKeyToAccount(FACILITATOR_WALLET.privateKey, { nonceManager })
  const client = createWalletClient({
    account,
    chain: baseSepolia,
    transport: http(rpcUrl),
  }).extend(publicActions)
  return toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args) => client.getCode(args),
    readContract: (args) => client.readContract({ ...args, abi: args.abi as Abi }),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: (args) => client.writeContract({ ...args, abi: args.abi as Abi } as never),
    sendTransaction: (args) => client.sendTransaction(args),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
  })
}
