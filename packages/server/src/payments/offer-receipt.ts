/**
 * The x402 offer-receipt extension: offers and receipts that a key of the operator signs (EIP-712),
 * so a client can prove later what was offered and paid. Loaded on demand: it is off by default.
 */
import type { PaidOperation } from '@mailgrade/operations/operation'
import type { SettleResultContext } from '@x402/core/server'
import type { Network } from '@x402/core/types'
import {
  createEIP712OfferReceiptIssuer,
  createOfferReceiptExtension,
  OFFER_RECEIPT,
  type ReceiptPayload,
  signReceiptEIP712,
} from '@x402/extensions/offer-receipt'
import { privateKeyToAccount } from 'viem/accounts'
import { memoizeAsync } from '../state/memoize-async.js'
import { originOf } from './payment-backend.js'
import { type GetPaymentOffer, type PaymentOffer, toPaymentRequired } from './payment-offer.js'
import type { HexText } from './payment-terms.js'

/** Requests without a payment are free, so they must not cost a signature each. */
const SIGN_EVERY_MS = 60_000
/** Longer than the time between two signatures and the time to pay together. */
const OFFER_VALID_SECONDS = 300

type Receipt = Omit<ReceiptPayload, 'version' | 'network'> & { readonly network: Network }

/** Only for a payment that the chain shows. Equal receipts have equal signatures (RFC 6979). */
export type IssueReceipt = (receipt: Receipt) => Promise<Record<string, unknown>>

export interface OfferReceipts {
  /** The DID of the key that signs. */
  readonly signer: string
  /** That key's signature of the origin (EIP-191). */
  readonly ownershipProof: HexText
  signOffers(getOffer: GetPaymentOffer, now: () => number): GetPaymentOffer
  readonly issueReceipt: IssueReceipt
}

export async function createOfferReceipts(
  privateKey: HexText,
  baseUrl: string,
): Promise<OfferReceipts> {
  const account = privateKeyToAccount(privateKey)
  // Always chain 1, because nothing is sent to it (specification, section 3.2).
  const signer = `did:pkh:eip155:1:${account.address}`
  const sign: Parameters<typeof createEIP712OfferReceiptIssuer>[1] = (typedData) =>
    account.signTypedData(typedData)
  const issuer = createEIP712OfferReceiptIssuer(signer, sign)
  const offers = createOfferReceiptExtension(issuer)

  async function signOffer(offer: PaymentOffer): Promise<PaymentOffer> {
    const { resource, requirements, extensions } = offer
    const signed = await offers.enrichPaymentRequiredResponse?.(
      { offerValiditySeconds: OFFER_VALID_SECONDS },
      {
        requirements: [requirements],
        resourceInfo: resource,
        paymentRequiredResponse: toPaymentRequired(offer, 'payment_required'),
      },
    )
    return { ...offer, extensions: { ...extensions, [OFFER_RECEIPT]: signed } }
  }

  return {
    signer,
    ownershipProof: await account.signMessage({ message: originOf(baseUrl) }),
    signOffers(getOffer, now) {
      const signed = new Map<string, () => Promise<PaymentOffer>>()
      return (operation: PaidOperation) => {
        const load = async () => signOffer(await getOffer(operation))
        const get = signed.get(operation.id) ?? memoizeAsync(load, { ttlMs: SIGN_EVERY_MS, now })
        signed.set(operation.id, get)
        return get()
      }
    },
    async issueReceipt({ resourceUrl, network, payer, transaction, issuedAt }) {
      const payload = { version: 1, network, resourceUrl, payer, issuedAt, transaction }
      const extension = createOfferReceiptExtension({
        ...issuer,
        // The package would date it now; a receipt that is sent again keeps its date.
        issueReceipt: async () => ({
          format: 'eip712',
          payload,
          signature: await signReceiptEIP712(payload, sign),
        }),
      })
      const context = {
        result: { success: true, transaction, network, payer },
        transportContext: { request: { adapter: { getUrl: () => resourceUrl } } },
      }
      const issued = await extension.enrichSettlementResponse?.(
        { includeTxHash: true },
        // The extension reads nothing else of it.
        context as unknown as SettleResultContext,
      )
      return { [OFFER_RECEIPT]: issued }
    },
  }
}
