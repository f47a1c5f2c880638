/** The OpenAPI document, derived from the operation table. */
import { OpenAPIHono, z } from '@hono/zod-openapi'
import { isPaid, type Operation } from '../operations/operation.js'
import { API_VERSION } from '../operations/table.js'
import { registerHeaders } from './headers.js'
import { responsesOf } from './responses.js'
import type { ServiceInfo } from './service-info.js'

const paymentHeader = z.object({
  'PAYMENT-SIGNATURE': z
    .string()
    .optional()
    .describe('The payment: base64 of an x402 version 2 PaymentPayload'),
})

export function openApiDocument(
  operations: readonly Operation[],
  service: ServiceInfo,
  examples: ReadonlyMap<string, object>,
): object {
  const app = new OpenAPIHono()
  registerHeaders(app.openAPIRegistry)
  for (const operation of operations) {
    app.openAPIRegistry.registerPath({
      method: 'get',
      path: operation.path,
      operationId: operation.id,
      summary: operation.summary,
      description: operation.description,
      request: { query: operation.input, ...(isPaid(operation) && { headers: paymentHeader }) },
      responses: responsesOf(operation, examples.get(operation.id)),
    })
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: service.name, version: API_VERSION },
    servers: [{ url: service.baseUrl }],
    security: [],
  })
}
