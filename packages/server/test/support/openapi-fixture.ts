import { OPERATIONS } from '@mailgrade/operations/operations'
import { documentResponses } from '../../src/discovery/documented-responses.js'
import { openApiDocument } from '../../src/discovery/openapi.js'
import { createPaymentOffers, httpResourceLocator } from '../../src/payments/payment-offer.js'
import type { ServiceInfo } from '../../src/service-info.js'

/** The OpenAPI document of a service, without example results. */
export async function buildOpenApiDocument(service: ServiceInfo): Promise<object> {
  if (!service.terms) throw new Error('nothing is for sale')
  const offerFor = createPaymentOffers({
    terms: service.terms,
    locateResource: httpResourceLocator(service.baseUrl),
    serviceName: service.name,
    iconUrl: `${service.baseUrl}/favicon.svg`,
    exampleResult: async () => ({}),
  })
  const responses = await documentResponses(OPERATIONS, service, new Map(), offerFor)
  return openApiDocument(OPERATIONS, service, responses)
}
