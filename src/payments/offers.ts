/** The offers for whatever the table puts a price on. */
import type { PaidOperation } from '../operations/operation.js'
import { discoveryExtension } from './discovery-extension.js'
import { type Offer, offerOf } from './offer.js'
import type { Terms } from './terms.js'

export type OfferFor = (operation: PaidOperation) => Promise<Offer>

export interface OffersOptions {
  readonly terms: Terms
  readonly baseUrl: string
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
  const { path, summary, description, price, input, output, example } = operation
  const { terms, baseUrl, serviceName, exampleAnswer } = options
  const answer = await exampleAnswer(operation)
  return offerOf(
    {
      url: baseUrl + path,
      description: `${summary}. ${description}`,
      price,
      serviceName,
      extensions: discoveryExtension({ input, output, query: example, answer }),
    },
    terms,
  )
}
