import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { metaSchema } from '../src/operations/meta.js'
import { OPERATIONS } from '../src/operations/table.js'
import { DEMO_PAYER } from '../src/sandbox/chain/wallets.js'
import { openSandbox } from '../src/sandbox/sandbox.js'
import { type TestApp, testApp } from './support/test-app.js'
import { world } from './support/world.js'

interface Document {
  paths: Record<
    string,
    {
      get: {
        responses: {
          200: { content: { 'application/json': { example: { meta: object } } } }
        }
      }
    }
  >
}

/** No internet at all, and test dollars for what has a price. */
const { till } = await openSandbox()
const app = testApp(world(''), { env: {}, till })
const wallet = new x402Client().register(
  till.terms.network,
  new ExactEvmScheme(privateKeyToAccount(DEMO_PAYER.privateKey)),
)
const get = wrapFetchWithPayment((input, init) => {
  const request = new Request(input, init)
  return app.request(request.url, request)
}, wallet)

const document = await documentOf(app)

describe.each(OPERATIONS)('the example of $path', (operation) => {
  const { responses } = document.paths[operation.path]?.get ?? {}
  const { example } = responses?.[200].content['application/json'] ?? {}

  test('is the answer that the demo domain gives', async () => {
    const query = new URLSearchParams(operation.example)
    const response = await get(`https://mailgrade.example${operation.path}?${query}`)
    const answer = await response.json()
    expect(response.status).toBe(200)
    expect(answer).toEqual({
      ...example,
      meta: {
        ...example?.meta,
        checkedAt: expect.any(String),
        durationMs: expect.any(Number),
      },
    })
  })

  test('has exactly the fields that the schema describes', () => {
    const schema = z.strictObject({ ...operation.output.shape, meta: metaSchema })
    expect(schema.parse(example)).toEqual(example)
  })
})

test('the document is the same for a live service, which knows no demo domain', async () => {
  const live = testApp(world(''))
  const { paths } = await documentOf(live)
  expect(paths).toEqual(document.paths)
  expect((await live.get('/v1/mx?domain=good.test')).status).toBe(404)
})

async function documentOf(service: TestApp): Promise<Document> {
  return (await service.get('/openapi.json')).json() as Promise<Document>
}
