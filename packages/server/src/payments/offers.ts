/** The offers for whatever the table puts a price on. */
import type { PaidOperation } from '../operations/operation.js'
import { createPaymentOffer, type PaymentOffer } from './payment-offer.js'
import type { PaymentTerms } from './payment-terms.js'
import type { ResourceLocator } from './stalls.js'

export type GetPaymentOffer = (operation: PaidOperation) => Promise<PaymentOffer>

export interface PaymentOffersOptions {
  readonly terms: PaymentTerms
  readonly locateResource: ResourceLocator
  readonly serviceName: string
  /** What the operation answers to its own example. */
  readonly exampleAnswer: (operation: PaidOperation) => Promise<object>
}

/** Each is made when it is first asked for, and then kept. */
export function createPaymentOffers(options: PaymentOffersOptions): GetPaymentOffer {
  const offers = new Map<string, Promise<PaymentOffer>>()
  return (operation) => {
    const offer = offers.get(operation.id) ?? makeOffer(operation, options)
    offers.set(operation.id, offer)
    return offer
  }
}

async function makeOffer(
  operation: PaidOperation,
  options: PaymentOffersOptions,
): Promise<PaymentOffer> {
  const { summary, description, price } = operation
  const { terms, locateResource, serviceName, exampleAnswer } = options
  const place = locateResource(operation, await exampleAnswer(operation))
  return createPaymentOffer(
    { ...place, description: `${summary}. ${description}`, price, serviceName },
    terms,
  )
}
