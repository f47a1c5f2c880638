/** The example result of every operation in the OpenAPI document equals the real one, paid if needed. */

import { metaSchema } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DEMO_PAYER_WALLET } from '../../../src/sandbox/chain/sandbox-wallets.js'
import { openSandbox } from '../../../src/sandbox/sandbox.js'
import { createSchemaValidator } from '../../openapi/schema-validator.js'
import {
  documentedOpenApiResponses,
  fetchOpenApiDocument,
  schemaPointer,
} from '../../openapi/served-openapi.js'
import { asDocumented } from '../../support/as-documented.js'
import { createTestApp } from '../../support/test-app.js'

const JSON_TYPE = 'application/json'
const BASE_URL = 'https://mailgrade.example'

/** Without internet, and with test money. */
const { paymentBackend } = await openSandbox()
const app = createTestApp(zoneDns(''), { env: {}, paymentBackend })
const wallet = new x402Client().register(
  paymentBackend.terms.network,
  new ExactEvmScheme(privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)),
)
const get = wrapFetchWithPayment((input, init) => {
  const request = new Request(input, init)
  return app.request(request.url, request)
}, wallet)

const document = await fetchOpenApiDocument(app)
const checkBody = createSchemaValidator(document)

describe.each(OPERATIONS)('example of $path', (operation) => {
  const documented = documentedOpenApiResponses(document, operation)[200]
  const { example } = documented?.content[JSON_TYPE] ?? {}

  test('equals the real result, with the documented headers', async () => {
    const query = new URLSearchParams(operation.example)
    const response = await get(`${BASE_URL}${operation.path}?${query}`)
    const result = await response.json()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, JSON_TYPE])
    expect(asDocumented(result, BASE_URL)).toEqual({
      ...asDocumented(example, BASE_URL),
      meta: {
        ...asDocumented(example?.meta, BASE_URL),
        checkedAt: expect.any(String),
        durationMs: expect.any(Number),
      },
    })
    expect(checkBody(schemaPointer(operation, 200, JSON_TYPE), result)).toEqual([])
    const headers = Object.keys(document.components.headers)
    expect(headers.filter((name) => response.headers.has(name)).sort()).toEqual(
      Object.keys(documented?.headers ?? {}).sort(),
    )
  })

  test('has exactly the fields of the schema', () => {
    const schema = z.strictObject({ ...operation.output.shape, meta: metaSchema })
    expect(schema.parse(example)).toEqual(example)
    const { meta: _, ...withoutMeta } = example ?? {}
    expect(checkBody(schemaPointer(operation, 200, JSON_TYPE), withoutMeta)).toEqual([
      " must have required property 'meta'",
    ])
  })
})

test('is the same on a live service, which has no demo domains', async () => {
  const live = createTestApp(zoneDns(''), { paymentBackend })
  const { paths } = await fetchOpenApiDocument(live)
  expect(paths).toEqual(document.paths)
  expect((await live.get('/v1/mx?domain=good.test')).status).toBe(404)
})
