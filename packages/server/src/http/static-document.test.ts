import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { HttpEnv } from './respond.js'
import { addDocumentRoute, type StaticDocument } from './static-document.js'

const TEXT = 'the same words, over and over again '.repeat(20)

function open(document: Partial<StaticDocument> = {}) {
  const app = new Hono<HttpEnv>()
  addDocumentRoute(app, '/words', { type: 'text/plain', body: () => TEXT, ...document })
  return (headers: Record<string, string> = {}, method = 'GET') =>
    app.request('/words', { method, headers })
}

async function etagOf(document: Partial<StaticDocument> = {}): Promise<string> {
  return (await open(document)()).headers.get('etag') ?? ''
}

describe('If-None-Match', () => {
  const request = async (ifNoneMatch: string) => {
    const response = await open()({ 'if-none-match': ifNoneMatch })
    return [response.status, (await response.text()).length]
  }
  const NOT_MODIFIED = [304, 0]
  const FULL = [200, TEXT.length]

  test('returns 304 for the ETag', async () => {
    expect(await request(await etagOf())).toEqual(NOT_MODIFIED)
  })

  test('returns 304 if one of several tags matches', async () => {
    const etag = await etagOf()
    expect(await request(`"old", ${etag} ,W/"older"`)).toEqual(NOT_MODIFIED)
    expect(await request(`"old",${etag}`)).toEqual(NOT_MODIFIED)
  })

  test('returns 304 for the tag as a strong one', async () => {
    expect(await request((await etagOf()).replace('W/', ''))).toEqual(NOT_MODIFIED)
  })

  test('returns 304 for *', async () => {
    expect(await request('*')).toEqual(NOT_MODIFIED)
  })

  test.each(['"old"', 'W/"old"', '"old", W/"older"', '', 'nonsense', '"*"'])(
    'returns the document for %s',
    async (ifNoneMatch) => {
      expect(await request(ifNoneMatch)).toEqual(FULL)
    },
  )

  test('returns a changed document', async () => {
    const response = await open({ body: () => 'other words' })({ 'if-none-match': await etagOf() })
    expect([response.status, await response.text()]).toEqual([200, 'other words'])
  })

  test('returns 304 for HEAD', async () => {
    expect((await open()({ 'if-none-match': await etagOf() }, 'HEAD')).status).toBe(304)
  })
})

describe('gzip', () => {
  test.each([
    'gzip',
    'GZIP',
    'br, gzip',
    'gzip, deflate, br, zstd',
    'gzip;q=0.5',
    'deflate, gzip;q=1.0, *;q=0.5',
  ])('compresses for Accept-Encoding: %s', async (accepted) => {
    const { headers, ...response } = await requestWith(accepted)
    expect(headers.get('content-encoding')).toBe('gzip')
    expect(response.octets.length).toBeLessThan(TEXT.length / 4)
    expect(gunzipSync(response.octets).toString()).toBe(TEXT)
  })

  test.each([
    'gzip;q=0',
    'gzip; q=0.0, br',
    'identity',
    'br',
    'gzip;q=0, *',
    '*;q=0',
    'identity, gzip;q=0.5',
    '',
  ])('does not compress for Accept-Encoding: %s', async (accepted) => {
    const { headers, octets } = await requestWith(accepted)
    expect(headers.has('content-encoding')).toBe(false)
    expect(octets.toString()).toBe(TEXT)
  })

  test('does not compress without Accept-Encoding', async () => {
    const response = await open()()
    expect(response.headers.has('content-encoding')).toBe(false)
    expect(await response.text()).toBe(TEXT)
  })

  test('keeps the ETag and Vary', async () => {
    const { headers } = await requestWith('gzip')
    expect([headers.get('etag'), headers.get('vary')]).toEqual([await etagOf(), 'Accept-Encoding'])
  })

  async function requestWith(accepted: string) {
    const response = await open()({ 'accept-encoding': accepted })
    return { headers: response.headers, octets: Buffer.from(await response.arrayBuffer()) }
  }
})

test('builds a document once for concurrent requests', async () => {
  let made = 0
  const ask = open({ body: async () => `words ${++made}` })
  const texts = await Promise.all(
    [ask(), ask(), ask()].map(async (answer) => (await answer).text()),
  )
  expect([texts, made]).toEqual([['words 1', 'words 1', 'words 1'], 1])
})

test('sends bytes unchanged', async () => {
  const octets = Buffer.from([0, 255, 128, 10])
  const response = await open({ type: 'image/png', body: () => octets })()
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await response.arrayBuffer())).toEqual(octets)
})

test('sends its own headers, also with a 304, and lets them set Cache-Control', async () => {
  const headers = { Link: '</a>; rel="b"', Vary: 'Accept', 'Cache-Control': 'no-cache' }
  const expected = [headers.Link, 'Accept, Accept-Encoding', 'no-cache']
  const seen = ({ headers: given }: Response) =>
    ['link', 'vary', 'cache-control'].map((name) => given.get(name))
  const response = await open({ headers })()
  expect(seen(response)).toEqual(expected)
  const known = { 'if-none-match': response.headers.get('etag') ?? '' }
  expect(seen(await open({ headers })(known))).toEqual(expected)
})
