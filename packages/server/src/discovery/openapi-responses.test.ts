import { describe, expect, test } from 'vitest'
import { buildOpenApiDocument } from '../../test/support/openapi-fixture.js'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'

interface Response {
  readonly description: string
  readonly headers: object
  readonly content: Record<string, { readonly schema: object; readonly examples?: object }>
}

interface Document {
  readonly paths: Record<string, { readonly get: { readonly responses: Record<string, Response> } }>
  readonly components: {
    readonly headers: object
    readonly schemas: Record<string, { readonly properties: Record<string, object> }>
  }
}

const document = (await buildOpenApiDocument(testServiceInfo())) as Document
const responsesOf = (path: string) => document.paths[path]?.get.responses ?? {}

describe('headers of every status', () => {
  const headersOf = (path: string) =>
    Object.fromEntries(
      Object.entries(responsesOf(path)).map(([status, { headers }]) => {
        const [id, ...others] = Object.keys(headers)
        expect(id).toBe('X-Request-Id')
        return [status, others]
      }),
    )

  test('free operation', () => {
    const limit = ['RateLimit-Policy', 'RateLimit']
    expect(headersOf('/v1/mx')).toEqual({
      200: limit,
      400: limit,
      404: limit,
      408: [],
      414: [],
      429: [...limit, 'Retry-After'],
      431: [],
      500: limit,
      502: limit,
      503: [...limit, 'Retry-After'],
      504: limit,
    })
  })

  test('paid operation', () => {
    expect(headersOf('/v1/score')).toEqual({
      200: ['PAYMENT-RESPONSE'],
      400: [],
      402: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
      404: [],
      408: [],
      409: ['Retry-After'],
      414: [],
      429: ['Retry-After'],
      431: [],
      500: [],
      502: ['Retry-After'],
      503: ['Retry-After'],
      504: [],
    })
  })

  test('all paid operations have the same', () => {
    expect(headersOf('/v1/email-check')).toEqual(headersOf('/v1/score'))
    expect(headersOf('/v1/fix-plan')).toEqual(headersOf('/v1/score'))
  })
})

test('says that an unknown domain is a verdict of the email check, not a 404', () => {
  const { description, content } = responsesOf('/v1/email-check')[404] ?? {}
  expect(description).toContain('get a 200 with the verdict `undeliverable`')
  expect(content?.['application/problem+json']?.examples).toBeUndefined()
})

test.each([
  ['/v1/check', 'CheckReport'],
  ['/v1/spf', 'SpfReport'],
  ['/v1/dmarc', 'DmarcReport'],
  ['/v1/dkim', 'DkimReport'],
  ['/v1/mx', 'MxReport'],
  ['/v1/score', 'ScoreReport'],
  ['/v1/email-check', 'EmailReport'],
  ['/v1/fix-plan', 'FixPlan'],
])('%s returns a named schema, %s, with meta', (path, name) => {
  expect(responsesOf(path)[200]?.content['application/json']?.schema).toEqual({
    allOf: [
      { $ref: `#/components/schemas/${name}` },
      {
        type: 'object',
        properties: { meta: { $ref: '#/components/schemas/Meta' } },
        required: ['meta'],
      },
    ],
  })
  expect(document.components.schemas[name]?.properties.domain).toMatchObject({ type: 'string' })
})

test('the check contains the reports of its parts', () => {
  const parts = { mx: 'Mx', spf: 'Spf', dmarc: 'Dmarc', dkim: 'Dkim', transport: 'Transport' }
  expect(document.components.schemas.CheckReport?.properties).toMatchObject(
    Object.fromEntries(
      Object.entries(parts).map(([part, name]) => [
        part,
        { $ref: `#/components/schemas/${name}Report` },
      ]),
    ),
  )
})

test('describes every header that a response refers to', () => {
  const references = new Set(JSON.stringify(document.paths).match(/#\/components\/headers\/[^"]+/g))
  const names = Object.keys(document.components.headers)
  expect([...references].sort()).toEqual(names.map((name) => `#/components/headers/${name}`).sort())
})

test('documents three conditions of report_not_ready, of which two occur today', () => {
  expect(document.components.schemas.Problem?.properties.condition).toMatchObject({
    enum: ['waiting', 'rejected_or_not_received', 'analysis_failed'],
  })
  const { description } = responsesOf('/v1/fix-plan')[409] ?? {}
  for (const condition of ['waiting', 'rejected_or_not_received', 'analysis_failed']) {
    expect(description).toContain(`\`${condition}\`: `)
  }
  expect(description).toMatch(
    /Only `waiting` and `analysis_failed` occur today; `rejected_or_not_received` is reserved\.\n/,
  )
})

test('examples use the URLs, limit and price of this service', async () => {
  const other = testServiceInfo({ baseUrl: 'https://other.example', limit: 5, windowSeconds: 10 })
  const { paths } = (await buildOpenApiDocument(other)) as Document
  const exampleOf = (path: string, status: number) =>
    paths[path]?.get.responses[status]?.content['application/problem+json']?.examples
  expect(exampleOf('/v1/spf', 429)).toMatchObject({
    rate_limited: {
      summary: 'Too many requests',
      value: {
        type: 'https://other.example/problems/rate-limited',
        detail: 'You’ve reached the limit of 5 free checks in 10 seconds. Try again in 10 seconds.',
        retryAfterSeconds: 10,
      },
    },
  })
  expect(exampleOf('/v1/fix-plan', 402)).toMatchObject({
    payment_required: {
      value: {
        detail: expect.stringMatching(/^This report costs one US dollar \(1 USDC\)\. /),
        resource: { url: 'https://other.example/v1/fix-plan' },
        accepts: [{ amount: '1000000', payTo: other.terms?.payTo }],
      },
    },
  })
})
