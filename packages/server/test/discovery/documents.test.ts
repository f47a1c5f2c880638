/** Every document is handed out alike: to anybody, as often as they like, and no more than needed. */
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  DEPLOYMENTS,
  DISCOVERY_DOCUMENTS,
  deployApp,
  parseLinkHeader,
} from '../support/discovery-fixture.js'

const PATHS = Object.keys(DISCOVERY_DOCUMENTS)

describe.each(DEPLOYMENTS)('$kind', (deployment) => {
  const service = deployApp(deployment)

  test.each(PATHS)(
    '%s is what it says, for anybody to read and keep for five minutes',
    async (path) => {
      const response = await service.get(path)
      expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
        200,
        {
          'content-type': DISCOVERY_DOCUMENTS[path],
          'cache-control': 'public, max-age=300',
          'access-control-allow-origin': '*',
          etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
          // At the root, people get a page instead.
          vary: path === '/' ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
          'x-content-type-options': 'nosniff',
        },
      ])
      expect(response.headers.has('ratelimit')).toBe(false)
      expect(response.headers.has('content-encoding')).toBe(false)
    },
  )

  test.each(PATHS)('%s comes packed to who can unpack it', async (path) => {
    const plain = await (await service.get(path)).text()
    const response = await service.get(path, { 'accept-encoding': 'br, gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await response.arrayBuffer()).toString()).toBe(plain)
  })

  test.each(PATHS)('%s comes not at all to who has it', async (path) => {
    const { headers } = await service.get(path)
    const again = await service.get(path, { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(headers.get('etag'))
    expect(again.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test.each(PATHS)('%s has the same headers under HEAD, and no body', async (path) => {
    const headers = { 'x-request-id': 'same' }
    const get = await service.get(path, headers)
    const head = await service.request(path, { method: 'HEAD', headers })
    expect([head.status, Object.fromEntries(head.headers)]).toEqual([
      200,
      Object.fromEntries(get.headers),
    ])
    expect(await head.text()).toBe('')
  })
})

test('the documents are not counted against the free requests, and still come when there are none', async () => {
  const service = deployApp(
    { baseUrl: 'https://mailgrade.example', isSandbox: false },
    { RATE_LIMIT_PER_MINUTE: '1' },
  )
  const ask = async (path: string) => (await service.get(path)).status
  for (const path of PATHS) expect([path, await ask(path)]).toEqual([path, 200])
  expect(await ask('/v1/check?domain=example.com')).toBe(200)
  expect(await ask('/v1/check?domain=example.com')).toBe(429)
  for (const path of PATHS) expect([path, await ask(path)]).toEqual([path, 200])
})

test('nothing is taken at the address of a document', async () => {
  const service = deployApp({ baseUrl: 'https://mailgrade.example', isSandbox: false })
  for (const path of PATHS) {
    const { status, headers } = await service.request(path, { method: 'POST', body: '{}' })
    expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD, OPTIONS'])
  }
})

test('a browser on another site may ask for them', async () => {
  const service = deployApp({ baseUrl: 'https://mailgrade.example', isSandbox: false })
  const { status, headers } = await service.request('/llms.txt', {
    method: 'OPTIONS',
    headers: { origin: 'https://other.example', 'access-control-request-method': 'GET' },
  })
  expect([status, headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD, OPTIONS'])
})

describe('whoever has found one document is led to the others by a header', () => {
  test.each(DEPLOYMENTS)('$kind', async ({ baseUrl, ...rest }) => {
    const service = deployApp({ baseUrl, ...rest })
    const catalog = { 'api-catalog': `${baseUrl}/.well-known/api-catalog` }
    const links = async (path: string) =>
      parseLinkHeader((await service.get(path)).headers.get('link'))
    expect(await links('/openapi.json')).toEqual(catalog)
    expect(await links('/')).toEqual({
      ...catalog,
      'service-desc': `${baseUrl}/openapi.json`,
      'service-doc': `${baseUrl}/docs`,
    })
  })

  test('in ASCII, wherever the service stands', async () => {
    const service = deployApp({ baseUrl: 'https://bücher.example/maß', isSandbox: false })
    const links = parseLinkHeader((await service.get('/openapi.json')).headers.get('link'))
    expect(links).toEqual({
      'api-catalog': 'https://xn--bcher-kva.example/ma%C3%9F/.well-known/api-catalog',
    })
  })
})
