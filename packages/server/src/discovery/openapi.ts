/** The OpenAPI document, derived from the operation table. */
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { isPaid, type Operation } from '../operations/operation.js'
import { API_VERSION } from '../operations/operations.js'
import { endpointDocsPath } from '../operations/pages.js'
import { PATHS } from '../operations/service-paths.js'
import type { ServiceInfo } from '../service-info.js'
import { agentGuidance, apiDescription } from './agent-guidance.js'
import { cutRecursion } from './cut-recursion.js'
import type { DocumentedResponses, DocumentedResponsesById } from './documented-responses.js'
import { registerOpenApiHeaders } from './openapi-headers.js'
import { openApiResponses } from './openapi-responses.js'

const paymentHeader = z.object({
  'PAYMENT-SIGNATURE': z
    .string()
    .optional()
    .describe('The payment: base64 of an x402 version 2 PaymentPayload'),
})

const TAGS = [
  { name: 'free', description: 'Checks that cost nothing, under one common rate limit.' },
  { name: 'paid', description: 'Reports with a price, paid request by request with x402.' },
]

export function openApiDocument(
  operations: readonly Operation[],
  service: ServiceInfo,
  answers: DocumentedResponsesById,
): object {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono()
  registerOpenApiHeaders(registry)
  for (const operation of operations) {
    const given = answers.get(operation.id)
    if (!given) throw new Error(`${operation.id} has no answers`)
    registry.registerPath(pathOf(operation, given, service.baseUrl))
  }
  const { components, ...document } = getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: service.name,
      version: API_VERSION,
      description: apiDescription(service),
      ...contactOf(service),
      'x-guidance': agentGuidance(operations, service),
    },
    'x-agentcash-guidance': { llmsTxtUrl: service.baseUrl + PATHS.llms },
    externalDocs: { description: 'The documentation', url: service.baseUrl + PATHS.docs },
    servers: [{ url: service.baseUrl }],
    tags: TAGS,
    security: [],
  })
  const schemas = cutRecursion(components?.schemas ?? {})
  return { ...document, components: { ...components, schemas } }
}

function pathOf(operation: Operation, answers: DocumentedResponses, baseUrl: string): RouteConfig {
  const { id, path, summary, description } = operation
  return {
    method: 'get',
    path,
    operationId: id,
    summary,
    description,
    tags: [isPaid(operation) ? 'paid' : 'free'],
    externalDocs: {
      description: 'This endpoint in words',
      url: baseUrl + endpointDocsPath(operation),
    },
    security: [],
    request: { query: queryOf(operation), ...(isPaid(operation) && { headers: paymentHeader }) },
    responses: openApiResponses(operation, answers, baseUrl),
    ...(isPaid(operation) && { 'x-payment-info': paymentInfo(operation.price) }),
  }
}

/** Registries call with the example that they find within the schema. */
function queryOf({ input, example }: Operation) {
  const shape = Object.entries(input.shape as Record<string, z.ZodType>).map(([name, schema]) => [
    name,
    name in example ? schema.meta({ ...schema.meta(), example: example[name] }) : schema,
  ])
  return z.object(Object.fromEntries(shape))
}

function paymentInfo(price: string) {
  return { price: { mode: 'fixed', currency: 'USD', amount: price }, protocols: [{ x402: {} }] }
}

function contactOf({ name, siteUrl, contactEmail }: ServiceInfo) {
  if (siteUrl === null && contactEmail === null) return {}
  return {
    contact: {
      name,
      ...(siteUrl !== null && { url: siteUrl }),
      ...(contactEmail !== null && { email: contactEmail }),
    },
  }
}
