/** How every document is served: to any origin, cacheable, compressed, and without a rate limit. */
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  DEPLOYMENTS,
  DISCOVERY_DOCUMENTS,
  deployApp,
  parseLinkHeader,
} from '../support/discovery-fixture.js'

const PATHS = Object.keys(DISCOVERY_DOCUMENTS)

describe.each(DEPLOYMENTS)('$name', (deployment) => {
  const service = deployApp(deployment)

  test.each(PATHS)('serves %s to any origin, cacheable for five minutes', async (path) => {
    const response = await service.get(path)
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
      200,
      {
        'content-type': DISCOVERY_DOCUMENTS[path],
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
        etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
        // At the root, browsers get a page instead.
        vary: path === '/' ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
      },
    ])
    expect(response.headers.has('ratelimit')).toBe(false)
    expect(response.headers.has('content-encoding')).toBe(false)
  })

  test.each(PATHS)('compresses %s with gzip if the client accepts it', async (path) => {
    const plain = await (await service.get(path)).text()
    const response = await service.get(path, { 'accept-encoding': 'br, gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await response.arrayBuffer()).toString()).toBe(plain)
  })

  test.each(PATHS)('returns 304 for %s if the ETag matches', async (path) => {
    const { headers } = await service.get(path)
    const again = await service.get(path, { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(headers.get('etag'))
    expect(again.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test.each(PATHS)('returns the same headers for HEAD %s, without a body', async (path) => {
    const headers = { 'x-request-id': 'same' }
    const get = await service.get(path, headers)
    const head = await service.request(path, { method: 'HEAD', headers })
    expect([head.status, Object.fromEntries(head.headers)]).toEqual([
      200,
      Object.fromEntries(get.headers),
    ])
    expect(await head.text()).toBe('')
  })

  test('links the catalog and the documentation in the Link header', async () => {
    const { baseUrl } = deployment
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
})

test('serves documents without counting them as free requests, even after a 429', async () => {
  const service = deployApp(
    { baseUrl: 'https://mailgrade.example', isSandbox: false },
    { RATE_LIMIT_PER_MINUTE: '1' },
  )
  const getStatus = async (path: string) => (await service.get(path)).status
  for (const path of PATHS) expect([path, await getStatus(path)]).toEqual([path, 200])
  expect(await getStatus('/v1/check?domain=example.com')).toBe(200)
  expect(await getStatus('/v1/check?domain=example.com')).toBe(429)
  for (const path of PATHS) expect([path, await getStatus(path)]).toEqual([path, 200])
})

test('rejects POST to a document with 405', async () => {
  const service = deployApp({ baseUrl: 'https://mailgrade.example', isSandbox: false })
  for (const path of PATHS) {
    const { status, headers } = await service.request(path, { method: 'POST', body: '{}' })
    expect([path, status, headers.get('allow')]).toEqual([path, 405, 'GET, HEAD, OPTIONS'])
  }
})

test('answers a CORS preflight', async () => {
  const service = deployApp({ baseUrl: 'https://mailgrade.example', isSandbox: false })
  const { status, headers } = await service.request('/llms.txt', {
    method: 'OPTIONS',
    headers: { origin: 'https://other.example', 'access-control-request-method': 'GET' },
  })
  expect([status, headers.get('access-control-allow-methods')]).toEqual([204, 'GET, HEAD, OPTIONS'])
})

test('the Link header is ASCII even if the base URL is not', async () => {
  const service = deployApp({ baseUrl: 'https://bücher.example/maß', isSandbox: false })
  const links = parseLinkHeader((await service.get('/openapi.json')).headers.get('link'))
  expect(links).toEqual({
    'api-catalog': 'https://xn--bcher-kva.example/ma%C3%9F/.well-known/api-catalog',
  })
})
