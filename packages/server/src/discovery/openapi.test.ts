import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { buildOpenApiDocument } from '../../test/support/openapi-fixture.js'
import { testServiceInfo } from '../../test/support/service-info-fixture.js'
import { OPERATIONS } from '../operations/operations.js'

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

test('it is valid OpenAPI 3.1, by a validator that is not ours', async () => {
  const { valid, errors } = await new Validator().validate({ ...document })
  expect([valid, errors]).toEqual([true, undefined])
})

test('it is about this very service', () => {
  expect(document).toMatchObject({
    openapi: '3.1.0',
    info: {
      title: 'Mailgrade',
      version: '1.0.0',
      description: expect.stringMatching(/^Mailgrade tells from the DNS whether/),
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

test('who has told nobody how to be reached has no contact in it', async () => {
  const silent = (await buildOpenApiDocument(testServiceInfo())) as Document
  expect(silent.info.contact).toBeUndefined()
})

describe('the guidance for agents', () => {
  test('names every endpoint and every price, and is short enough to be read', () => {
    const { 'x-guidance': guidance } = document.info
    expect(guidance).toContain(
      '- GET /v1/score?domain= (0.01 USD): How well a domain is guarded against forged mail',
    )
    const named = OPERATIONS.filter(({ path }) => guidance.includes(`GET ${path}?`))
    expect(named).toEqual(OPERATIONS)
    expect(guidance).toContain('Paid in USDC on Base:')
    expect(guidance).not.toContain('sandbox')
    expect(guidance.length).toBeLessThan(4_000)
  })

  test('says so where the money is not real', async () => {
    const sandbox = testServiceInfo({ isSandbox: true })
    const { info } = (await buildOpenApiDocument(sandbox)) as Document
    expect(info['x-guidance']).toContain('This instance is a sandbox')
  })
})

test('it lists every operation and nothing else', () => {
  expect(Object.keys(document.paths)).toEqual(OPERATIONS.map((operation) => operation.path))
})

test('a free operation: who may call, with what, and where to read more', () => {
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
      { name: 'selector', in: 'query', required: false },
    ],
  })
})

test('a paid operation has the payment among its parameters, too', () => {
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

test('what has a price says so as registries read it, and nothing else does', () => {
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
