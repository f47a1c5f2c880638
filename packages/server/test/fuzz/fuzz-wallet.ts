/** Makes the payments that chance has planned, signed by the demo wallet where they are sound. */
import { randomBytes } from 'node:crypto'
import type { PaymentRequired } from '@x402/core/types'
import { type Address, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEMO_PAYER_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { EIP3009_TYPES } from '../support/eip3009.js'
import { encodeBase64Json, nowSeconds } from '../support/test-payer.js'
import type { PaymentVariant } from './fuzz-request.js'
import { replaceAtPath } from './json-values.js'

export interface FuzzWallet {
  /** What goes out as a payment, as an object; as a header it is base64 of that, or what stands in `text`. */
  createPayment(plan: PaymentVariant, goods: string): Promise<{ payload: unknown; header: string }>
}

const MOST_KEPT = 200

export function createFuzzWallet(offerOf: (goods: string) => Promise<PaymentRequired>): FuzzWallet {
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)
  const offers = new Map<string, Promise<PaymentRequired>>()
  const sent: unknown[] = []
  let kept = 0

  async function sign(goods: string): Promise<unknown> {
    const known = offers.get(goods) ?? offerOf(goods)
    offers.set(goods, known)
    const { accepts, resource, extensions } = await known
    const [offer] = accepts
    if (!offer) throw new Error(`${goods} has no price`)
    const authorization = {
      from: account.address,
      to: offer.payTo as Address,
      value: offer.amount,
      validAfter: '0',
      validBefore: String(nowSeconds() + offer.maxTimeoutSeconds),
      nonce: toHex(randomBytes(32)),
    }
    const { name, version } = offer.extra as { name: string; version: string }
    const signature = await account.signTypedData({
      domain: {
        name,
        version,
        chainId: Number(offer.network.split(':')[1]),
        verifyingContract: offer.asset as Address,
      },
      types: EIP3009_TYPES,
      primaryType: 'TransferWithAuthorization',
      message: {
        ...authorization,
        value: BigInt(authorization.value),
        validAfter: 0n,
        validBefore: BigInt(authorization.validBefore),
      },
    })
    return {
      x402Version: 2,
      resource,
      accepted: offer,
      payload: { signature, authorization },
      extensions,
    }
  }

  function keep(payload: unknown): unknown {
    sent[kept++ % MOST_KEPT] = payload
    return payload
  }

  async function payloadFor(plan: Exclude<PaymentVariant, { kind: 'nonsense' }>, goods: string) {
    switch (plan.kind) {
      case 'honest':
        return keep(await sign(goods))
      case 'again':
        return sent[plan.index % sent.length] ?? keep(await sign(goods))
      case 'bent':
        return replaceAtPath(await sign(goods), plan.path, plan.value)
      case 'heavy':
        return replaceAtPath(await sign(goods), ['extensions', 'more'], 'x'.repeat(plan.characters))
    }
  }

  return {
    async createPayment(plan, goods) {
      if (plan.kind === 'nonsense') return { payload: plan.text, header: plan.text }
      const payload = await payloadFor(plan, goods)
      return { payload, header: encodeBase64Json(payload) }
    },
  }
}
