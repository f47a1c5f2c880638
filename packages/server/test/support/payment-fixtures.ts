/** An offer, unsigned payments for it, and signed ones. */
import { encodeFunctionData, toHex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { type Payment, parsePayment } from '../../src/payments/payment.js'
import { createPaymentOffer, type PaymentOffer } from '../../src/payments/payment-offer.js'
import {
  type HexText,
  NETWORKS,
  type NetworkId,
  type PaymentTerms,
} from '../../src/payments/payment-terms.js'
import { TEST_USDC_ABI } from '../../src/sandbox/token/generated/contracts.js'
import { EIP3009_TYPES } from './eip3009.js'

export const TEST_PAYEE = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
export const TEST_PAYER = '0x857b06519E91e3A54538791bDbb0E22373e36b66'

/** Seconds since 1970; payments are valid around this time by default. */
export const TEST_NOW_SECONDS = 1_800_000_000

export const testTerms = (network: NetworkId): PaymentTerms => ({
  network,
  asset: NETWORKS[network].usdc,
  payTo: TEST_PAYEE,
})

export const testOffer = (network: NetworkId): PaymentOffer =>
  createPaymentOffer(
    {
      url: 'https://mailgrade.example/v1/score',
      description: 'A score.',
      price: '0.01',
      serviceName: 'Mailgrade',
      iconUrl: 'https://mailgrade.example/favicon.svg',
      extensions: {},
    },
    testTerms(network),
  )

export const TEST_CALLER = '192.0.2.1'
export const TEST_VERIFY_CONTEXT = { allowsContracts: true }
/** Gas costs almost nothing. */
export const TEST_ETH_USD = 1
/** In wei. */
export const TEST_MAX_COST = 10n ** 18n

export const TEST_OFFER = testOffer('eip155:8453')

type Fields = Record<string, unknown>

export interface PayloadChanges {
  readonly top?: Fields
  readonly accepted?: Fields
  readonly authorization?: Fields
  readonly signature?: unknown
}

/** A decoded payload with a dummy signature. */
export function unsignedPayload(changes: PayloadChanges = {}) {
  return {
    x402Version: 2,
    resource: { ...TEST_OFFER.resource },
    accepted: { ...TEST_OFFER.requirements, ...changes.accepted },
    payload: {
      signature: changes.signature ?? `0x${'ab'.repeat(65)}`,
      authorization: {
        from: TEST_PAYER,
        to: TEST_PAYEE,
        value: '10000',
        validAfter: String(TEST_NOW_SECONDS - 600),
        validBefore: String(TEST_NOW_SECONDS + 120),
        nonce: `0x${'5c'.repeat(32)}`,
        ...changes.authorization,
      },
    },
    extensions: {},
    ...changes.top,
  }
}

export function unsignedPayment(changes: PayloadChanges = {}): Payment {
  return parse(unsignedPayload(changes))
}

export interface SigningChanges {
  readonly nonce?: HexText
  readonly to?: HexText
  readonly validBefore?: number
}

let signed = 0

/** A payment by this account, valid from ten minutes ago for two more minutes. */
export async function signTestPayment(
  account: LocalAccount,
  network: NetworkId,
  changes: SigningChanges = {},
): Promise<Payment> {
  const now = Math.floor(Date.now() / 1_000)
  const authorization = {
    from: account.address,
    to: changes.to ?? TEST_PAYEE,
    value: 10_000n,
    validAfter: BigInt(now - 600),
    validBefore: BigInt(changes.validBefore ?? now + 120),
    nonce: changes.nonce ?? toHex(++signed, { size: 32 }),
  } as const
  const { chainId, usdc, eip712Domain } = NETWORKS[network]
  const signature = await account.signTypedData({
    domain: { ...eip712Domain, chainId, verifyingContract: usdc },
    types: EIP3009_TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  const { resource, requirements } = testOffer(network)
  return parse({
    x402Version: 2,
    resource,
    accepted: requirements,
    payload: {
      signature,
      authorization: {
        ...authorization,
        value: String(authorization.value),
        validAfter: String(authorization.validAfter),
        validBefore: String(authorization.validBefore),
      },
    },
  })
}

function parse(payload: unknown): Payment {
  const payment = parsePayment(payload)
  if (!payment) throw new Error('the fixture is malformed')
  return payment
}

/** The transaction that settles a payment; any account may send it. */
export function transferTransaction({ authorization, payload }: Payment) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const data = encodeFunctionData({
    abi: TEST_USDC_ABI,
    functionName: 'transferWithAuthorization',
    args: [
      from,
      to,
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      nonce,
      payload.payload.signature as HexText,
    ],
  })
  return { to: payload.accepted.asset as HexText, data }
}

/** The transaction that cancels a payment. */
export async function cancelTransaction(
  account: LocalAccount,
  { authorization, payload }: Payment,
) {
  const { nonce } = authorization
  const { chainId, usdc, eip712Domain } = NETWORKS[payload.accepted.network as NetworkId]
  const signature = await account.signTypedData({
    domain: { ...eip712Domain, chainId, verifyingContract: usdc },
    types: EIP3009_TYPES,
    primaryType: 'CancelAuthorization',
    message: { authorizer: account.address, nonce },
  })
  const data = encodeFunctionData({
    abi: TEST_USDC_ABI,
    functionName: 'cancelAuthorization',
    args: [account.address, nonce, signature],
  })
  return { to: usdc, data }
}
