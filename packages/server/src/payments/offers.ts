/** The offers for whatever the table puts a price on. */
import type { PaidOperation } from '../operations/operation.js'
import { type Offer, offerOf } from './offer.js'
import type { Stall } from './stalls.js'
import type { Terms } from './terms.js'

export type OfferFor = (operation: PaidOperation) => Promise<Offer>

export interface OffersOptions {
  readonly terms: Terms
  readonly stall: Stall
  readonly serviceName: string
  /** What the operation answers to its own example. */
  readonly exampleAnswer: (operation: PaidOperation) => Promise<object>
}

/** Each is made when it is first asked for, and then kept. */
export function createOffers(options: OffersOptions): OfferFor {
  const offers = new Map<string, Promise<Offer>>()
  return (operation) => {
    const offer = offers.get(operation.id) ?? makeOffer(operation, options)
    offers.set(operation.id, offer)
    return offer
  }
}

async function makeOffer(operation: PaidOperation, options: OffersOptions): Promise<Offer> {
  const { summary, description, price } = operation
  const { terms, stall, serviceName, exampleAnswer } = options
  const place = stall(operation, await exampleAnswer(operation))
  return offerOf({ ...place, description: `${summary}. ${description}`, price, serviceName }, terms)
}
