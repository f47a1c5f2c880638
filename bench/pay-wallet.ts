/** Payments made out ahead of time: to sign them is the caller's work and not the server's. */
import { randomBytes } from 'node:crypto'
import type { PaymentRequired } from '@x402/core/types'
import { authorizationTypes } from '@x402/evm'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { NETWORKS, type NetworkId } from '../packages/server/src/payments/payment-terms.js'
import { DEMO_PAYER_WALLET } from '../packages/server/src/sandbox/chain/sandbox-wallets.js'

const VALID_SECONDS = 900

const payer = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)

/** So many payments, each good for one report. */
export type PaymentSource = (count: number) => Promise<readonly object[]>

/** Unsigned payments are for those who believe everything, and take no time. */
export function createPaymentSource(offer: PaymentRequired, isSigned: boolean): PaymentSource {
  const sign = isSigned ? signature : async () => `0x${'5a'.repeat(65)}`
  return async (count) => {
    const payments: object[] = []
    while (payments.length < count) {
      const authorization = authorizationOf(offer)
      const payload = { signature: await sign(offer, authorization), authorization }
      payments.push({ ...answerTo(offer), payload })
    }
    return payments
  }
}

function answerTo({ x402Version, resource, accepts, extensions }: PaymentRequired) {
  return { x402Version, resource, accepted: accepts[0], extensions }
}

function authorizationOf({ accepts: [accepted] }: PaymentRequired) {
  return {
    from: payer.address,
    to: accepted?.payTo as Hex,
    value: accepted?.amount ?? '',
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + VALID_SECONDS),
    nonce: `0x${randomBytes(32).toString('hex')}` as Hex,
  }
}

function signature(
  { accepts: [accepted] }: PaymentRequired,
  authorization: ReturnType<typeof authorizationOf>,
): Promise<Hex> {
  const network = accepted?.network as NetworkId
  const { chainId, usdc, eip712Domain } = NETWORKS[network]
  const { value, validAfter, validBefore } = authorization
  return payer.signTypedData({
    domain: { ...eip712Domain, chainId, verifyingContract: usdc },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  })
}
