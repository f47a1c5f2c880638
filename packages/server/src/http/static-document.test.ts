import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { HttpEnv } from './http-env.js'
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

describe('a caller who has a copy', () => {
  const asked = async (ifNoneMatch: string) => {
    const response = await open()({ 'if-none-match': ifNoneMatch })
    return [response.status, (await response.text()).length]
  }
  const NOT_AGAIN = [304, 0]
  const ALL_OF_IT = [200, TEXT.length]

  test('is spared it', async () => {
    expect(await asked(await etagOf())).toEqual(NOT_AGAIN)
  })

  test('is spared it if it is one of several', async () => {
    const etag = await etagOf()
    expect(await asked(`"old", ${etag} ,W/"older"`)).toEqual(NOT_AGAIN)
    expect(await asked(`"old",${etag}`)).toEqual(NOT_AGAIN)
  })

  test('is spared it if a cache has made the tag a strong one', async () => {
    expect(await asked((await etagOf()).replace('W/', ''))).toEqual(NOT_AGAIN)
  })

  test('is spared it if any copy will do', async () => {
    expect(await asked('*')).toEqual(NOT_AGAIN)
  })

  test.each(['"old"', 'W/"old"', '"old", W/"older"', '', 'nonsense', '"*"'])(
    'of something else gets it: %s',
    async (ifNoneMatch) => {
      expect(await asked(ifNoneMatch)).toEqual(ALL_OF_IT)
    },
  )

  test('gets it when it has changed', async () => {
    const response = await open({ body: () => 'other words' })({ 'if-none-match': await etagOf() })
    expect([response.status, await response.text()]).toEqual([200, 'other words'])
  })

  test('is told under HEAD, too', async () => {
    expect((await open()({ 'if-none-match': await etagOf() }, 'HEAD')).status).toBe(304)
  })
})

describe('packing', () => {
  test.each([
    'gzip',
    'GZIP',
    'br, gzip',
    'gzip, deflate, br, zstd',
    'gzip;q=0.5',
    'deflate, gzip;q=1.0, *;q=0.5',
  ])('is done for Accept-Encoding: %s', async (accepted) => {
    const { headers, ...response } = await ask(accepted)
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
  ])('is not done for Accept-Encoding: %s', async (accepted) => {
    const { headers, octets } = await ask(accepted)
    expect(headers.has('content-encoding')).toBe(false)
    expect(octets.toString()).toBe(TEXT)
  })

  test('is not done for who does not ask for it', async () => {
    const response = await open()()
    expect(response.headers.has('content-encoding')).toBe(false)
    expect(await response.text()).toBe(TEXT)
  })

  test('changes neither the tag nor what caches tell copies apart by', async () => {
    const { headers } = await ask('gzip')
    expect([headers.get('etag'), headers.get('vary')]).toEqual([await etagOf(), 'Accept-Encoding'])
  })

  async function ask(accepted: string) {
    const response = await open()({ 'accept-encoding': accepted })
    return { headers: response.headers, octets: Buffer.from(await response.arrayBuffer()) }
  }
})

test('a document is made once, however many ask', async () => {
  let made = 0
  const ask = open({ body: async () => `words ${++made}` })
  const texts = await Promise.all(
    [ask(), ask(), ask()].map(async (answer) => (await answer).text()),
  )
  expect([texts, made]).toEqual([['words 1', 'words 1', 'words 1'], 1])
})

test('octets are handed out as they are', async () => {
  const octets = Buffer.from([0, 255, 128, 10])
  const response = await open({ type: 'image/png', body: () => octets })()
  expect(response.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await response.arrayBuffer())).toEqual(octets)
})

test('headers of its own come with it, with a 304 as well, and may say how long to keep it', async () => {
  const headers = { Link: '</a>; rel="b"', Vary: 'Accept', 'Cache-Control': 'no-cache' }
  const expected = [headers.Link, 'Accept, Accept-Encoding', 'no-cache']
  const seen = ({ headers: given }: Response) =>
    ['link', 'vary', 'cache-control'].map((name) => given.get(name))
  const response = await open({ headers })()
  expect(seen(response)).toEqual(expected)
  const known = { 'if-none-match': response.headers.get('etag') ?? '' }
  expect(seen(await open({ headers })(known))).toEqual(expected)
})
