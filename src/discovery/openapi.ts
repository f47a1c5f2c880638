/** The OpenAPI document, derived from the operation table. */
import { OpenAPIHono, z } from '@hono/zod-openapi'
import { metaSchema } from '../operations/meta.js'
import type { Operation } from '../operations/operation.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import { RATE_LIMIT_HEADERS, RETRY_AFTER_HEADER, registerHeaders } from './headers.js'

/** What any operation may answer instead of a result. */
const OPERATION_PROBLEMS: readonly ProblemCode[] = [
  'invalid_input',
  'unknown_domain',
  'rate_limited',
  'internal',
  'dns_unavailable',
  'dns_timeout',
]

const problemSchema = z
  .object({
    type: z.url().describe('Leads to a page about this type of problem'),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    detail: z.string().describe('What is wrong this time, and what to do next'),
    parameter: z.string().optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' })

export interface ServiceInfo {
  readonly baseUrl: string
  readonly name: string
}

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
      request: { query: operation.input },
      responses: {
        200: {
          description: 'The result',
          headers: RATE_LIMIT_HEADERS,
          content: {
            'application/json': {
              schema: operation.output.extend({ meta: metaSchema }),
              example: examples.get(operation.id),
            },
          },
        },
        ...Object.fromEntries(OPERATION_PROBLEMS.map(problemResponse)),
      },
    })
  }
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: service.name, version: '1.0.0' },
    servers: [{ url: service.baseUrl }],
    security: [],
  })
}

function problemResponse(code: ProblemCode) {
  const { status, title } = PROBLEMS[code]
  const content = { 'application/problem+json': { schema: problemSchema } }
  const headers =
    status === 429 ? { ...RATE_LIMIT_HEADERS, ...RETRY_AFTER_HEADER } : RATE_LIMIT_HEADERS
  return [status, { description: title, headers, content }] as const
}
