/** Creates random payments, signed by the demo wallet. */
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
  /** The payment as an object, and as the value of a PAYMENT-SIGNATURE header. */
  createPayment(
    variant: PaymentVariant,
    resource: string,
  ): Promise<{ payload: unknown; header: string }>
}

const MAX_KEPT = 200

export function createFuzzWallet(
  fetchPaymentRequired: (resource: string) => Promise<PaymentRequired>,
): FuzzWallet {
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)
  const known = new Map<string, Promise<PaymentRequired>>()
  const sent: unknown[] = []
  let kept = 0

  async function sign(resource: string): Promise<unknown> {
    const fetching = known.get(resource) ?? fetchPaymentRequired(resource)
    known.set(resource, fetching)
    const required = await fetching
    const [accepted] = required.accepts
    if (!accepted) throw new Error(`${resource} has no price`)
    const authorization = {
      from: account.address,
      to: accepted.payTo as Address,
      value: accepted.amount,
      validAfter: '0',
      validBefore: String(nowSeconds() + accepted.maxTimeoutSeconds),
      nonce: toHex(randomBytes(32)),
    }
    const { name, version } = accepted.extra as { name: string; version: string }
    const signature = await account.signTypedData({
      domain: {
        name,
        version,
        chainId: Number(accepted.network.split(':')[1]),
        verifyingContract: accepted.asset as Address,
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
      resource: required.resource,
      accepted,
      payload: { signature, authorization },
      extensions: required.extensions,
    }
  }

  function keep(payload: unknown): unknown {
    sent[kept++ % MAX_KEPT] = payload
    return payload
  }

  async function createPayload(
    variant: Exclude<PaymentVariant, { kind: 'malformed' }>,
    resource: string,
  ) {
    switch (variant.kind) {
      case 'valid':
        return keep(await sign(resource))
      case 'replayed':
        return sent[variant.index % sent.length] ?? keep(await sign(resource))
      case 'tampered':
        return replaceAtPath(await sign(resource), variant.path, variant.value)
      case 'oversized':
        return replaceAtPath(
          await sign(resource),
          ['extensions', 'more'],
          'x'.repeat(variant.characters),
        )
    }
  }

  return {
    async createPayment(variant, resource) {
      if (variant.kind === 'malformed') return { payload: variant.text, header: variant.text }
      const payload = await createPayload(variant, resource)
      return { payload, header: encodeBase64Json(payload) }
    },
  }
}
