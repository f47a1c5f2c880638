import { OPERATIONS } from '@mailgrade/operations/operations'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { buildOpenApiDocument } from '../../test/support/openapi-fixture.js'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'
import { cutRecursion } from './openapi.js'

interface Document {
  readonly info: { readonly contact?: object; readonly 'x-guidance': string }
  readonly paths: Record<string, { readonly get: Described }>
}

interface Described {
  readonly 'x-payment-info'?: object
}

const service = testServiceInfo({
  siteUrl: 'https://mailgrade.example/about',
  contactEmail: 'hello@mailgrade.example',
})
const document = (await buildOpenApiDocument(service)) as Document
const described = (path: string): Described => {
  const found = document.paths[path]
  if (!found) throw new Error(`${path} is not described`)
  return found.get
}

test('is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate({ ...document })
  expect([valid, errors]).toEqual([true, undefined])
})

test('describes this service', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: {
      title: 'Mailgrade',
      version: '1.0.0',
      description: expect.stringMatching(/^Mailgrade checks in DNS whether/),
      contact: {
        name: 'Mailgrade',
        url: 'https://mailgrade.example/about',
        email: 'hello@mailgrade.example',
      },
    },
    servers: [{ url: 'https://mailgrade.example' }],
    externalDocs: { url: 'https://mailgrade.example/docs' },
    'x-agentcash-guidance': { llmsTxtUrl: 'https://mailgrade.example/llms.txt' },
    tags: [{ name: 'free' }, { name: 'paid' }],
    security: [],
  })
})

test('has no contact if none is configured', async () => {
  const anonymous = (await buildOpenApiDocument(testServiceInfo())) as Document
  expect(anonymous.info.contact).toBeUndefined()
})

describe('agent guidance', () => {
  test('names every endpoint and price in less than 4,000 characters', () => {
    const { 'x-guidance': guidance } = document.info
    expect(guidance).toContain(
      '- GET /v1/score?domain=[&selector=&exact=] (0.01 USD): Score a domain’s protection against forged mail',
    )
    const named = OPERATIONS.filter(({ path }) => guidance.includes(`GET ${path}?`))
    expect(named).toEqual(OPERATIONS)
    expect(guidance).toContain('Paid in USDC on Base:')
    expect(guidance).not.toContain('sandbox')
    expect(guidance.length).toBeLessThan(4_000)
  })

  test('says if the instance is a sandbox', async () => {
    const sandbox = testServiceInfo({ isSandbox: true })
    const { info } = (await buildOpenApiDocument(sandbox)) as Document
    expect(info['x-guidance']).toContain('This instance is a sandbox')
  })
})

test('lists exactly the operations', () => {
  expect(Object.keys(document.paths)).toEqual(OPERATIONS.map((operation) => operation.path))
})

test('describes a free operation with its parameters and documentation', () => {
  expect(described('/v1/dkim')).toMatchObject({
    operationId: 'dkim',
    tags: ['free'],
    security: [],
    externalDocs: { url: 'https://mailgrade.example/docs/api/dkim' },
    parameters: [
      {
        name: 'domain',
        in: 'query',
        required: true,
        schema: { type: 'string', maxLength: 320, example: 'monitoring.test' },
      },
      { name: 'selector', in: 'query', required: false, schema: { type: 'string' } },
      { name: 'exact', in: 'query', required: false, schema: { type: 'boolean' } },
    ],
  })
})

test('lists the payment header of a paid operation', () => {
  expect(described('/v1/email-check')).toMatchObject({
    operationId: 'emailCheck',
    tags: ['paid'],
    security: [],
    parameters: [
      { name: 'email', in: 'query', schema: { example: 'Sales+news@monitoring.test' } },
      { name: 'PAYMENT-SIGNATURE', in: 'header', required: false, schema: { type: 'string' } },
    ],
  })
})

test('states prices for registries, of paid operations only', () => {
  const prices = OPERATIONS.map(({ path }) => [path, described(path)['x-payment-info']])
  const usd = (amount: string) => ({
    price: { mode: 'fixed', currency: 'USD', amount },
    protocols: [{ x402: {} }],
  })
  expect(Object.fromEntries(prices)).toEqual({
    '/v1/check': undefined,
    '/v1/spf': undefined,
    '/v1/dmarc': undefined,
    '/v1/dkim': undefined,
    '/v1/mx': undefined,
    '/v1/score': usd('0.01'),
    '/v1/email-check': usd('0.01'),
    '/v1/fix-plan': usd('1'),
  })
})

describe('cutRecursion', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const treeWith = (items: object) => ({
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items } },
  })

  test('unrolls a recursive schema one level deep', () => {
    expect(cutRecursion({ Tree: treeWith(ref('Tree')) })).toEqual({
      Tree: treeWith(ref('TreeBranch')),
      TreeBranch: treeWith({
        type: 'object',
        additionalProperties: true,
        description: 'The same fields as its parent, one level down',
      }),
    })
  })

  test('keeps schemas that only refer to others', () => {
    const schemas = { Leaf: { type: 'string' }, Flat: treeWith(ref('Leaf')) }
    expect(cutRecursion(schemas)).toEqual(schemas)
  })
})
