import { operationAnswers } from '../../src/discovery/answers.js'
import { openApiDocument } from '../../src/discovery/openapi.js'
import { OPERATIONS } from '../../src/operations/table.js'
import { createOffers } from '../../src/payments/offers.js'
import type { ServiceInfo } from '../../src/payments/service-info.js'
import { endpointStall } from '../../src/payments/stalls.js'

/** The OpenAPI document of a service, without the results that the demo domains give. */
export async function documentOf(service: ServiceInfo): Promise<object> {
  const offerFor = createOffers({
    terms: service.terms,
    stall: endpointStall(service.baseUrl),
    serviceName: service.name,
    exampleAnswer: async () => ({}),
  })
  const answers = await operationAnswers(OPERATIONS, service, new Map(), offerFor)
  return openApiDocument(OPERATIONS, service, answers)
}
