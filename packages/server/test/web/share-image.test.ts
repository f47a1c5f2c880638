/** The image that platforms show with a link to a result, read with another PNG decoder. */
import { readFileSync, statSync } from 'node:fs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { decode } from 'fast-png'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDrawShareImage } from '../../src/web/images/share-image.js'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const PASS = [0x11, 0x64, 0x3a]
const WARN = [0x8a, 0x53, 0x00]
const FAIL = [0xa6, 0x1b, 0x1b]
const GREY = [0x53, 0x60, 0x6d]
const WHITE = [255, 255, 255]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-07T09:05:59.123Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const sandbox = createTestApp(zoneDns(''), { env: { RATE_LIMIT_PER_MINUTE: '1000' } })
const live = createTestApp(zoneDns('', { 'MX down.test': 'servfail' }), {
  env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000' },
})

interface Pixels {
  readonly width: number
  readonly height: number
  colorAt(x: number, y: number): readonly number[] | undefined
  /** The columns with anything but paper in these rows, right of the panel. */
  inkColumns(fromY: number, toY: number): number[]
}

function readPixels(png: Uint8Array): Pixels {
  const { width, height, data, palette = [] } = decode(png)
  const colorAt = (x: number, y: number) => palette[data[y * width + x] ?? -1]
  return {
    width,
    height,
    colorAt,
    inkColumns(fromY, toY) {
      const columns: number[] = []
      for (let x = 340; x < width; x++) {
        for (let y = fromY; y < toY; y++) {
          if (colorAt(x, y)?.some((value) => value < 255)) {
            columns.push(x)
            break
          }
        }
      }
      return columns
    },
  }
}

async function readImage(response: Response): Promise<Pixels> {
  expect(response.headers.get('content-type')).toBe('image/png')
  return readPixels(new Uint8Array(await response.arrayBuffer()))
}

test.each([
  ['good.test', PASS],
  ['selector.test', WARN],
  ['lookups.test', FAIL],
  ['monitoring.test', FAIL],
])('%s has the color of its verdict', async (domain, color) => {
  const response = await sandbox.get(`/share/${domain}.png`)
  expect([response.status, response.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=3600',
  ])
  const { width, height, colorAt, inkColumns } = await readImage(response)
  expect([width, height]).toEqual([1_200, 630])
  expect([colorAt(5, 5), colorAt(335, 625), colorAt(345, 5)]).toEqual([color, color, WHITE])
  // The ring of the mark.
  expect(colorAt(170, 212)).toEqual(WHITE)
  // The domain, the label, the answer and the footer.
  for (const [from, to] of [
    [110, 200],
    [240, 310],
    [330, 380],
    [510, 570],
  ] as const) {
    expect(inkColumns(from, to).length).toBeGreaterThan(100)
  }
})

test('shows the domain and the date: other ones are other pixels', async () => {
  const bytesOf = async (domain: string) =>
    Buffer.from(await (await sandbox.get(`/share/${domain}.png`)).arrayBuffer())
  const good = await bytesOf('good.test')
  expect((await bytesOf('good.test')).equals(good)).toBe(true)
  expect((await bytesOf('team.good.test')).equals(good)).toBe(false)
  vi.setSystemTime(new Date('2026-11-08T09:05:59Z'))
  expect((await bytesOf('good.test')).equals(good)).toBe(false)
})

test('answers a conditional request with 304', async () => {
  const etag = (await sandbox.get('/share/good.test.png')).headers.get('etag') ?? ''
  const again = await sandbox.get('/share/good.test.png', { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await sandbox.get('/badge/good.test.svg')).headers.get('etag')).not.toBe(etag)
})

test.each([
  ['nowhere.test', 404],
  ['acme', 400],
  ['%3Cscript%3E', 400],
  ['down.test', 502],
  [`${'a'.repeat(2_100)}.test`, 414],
])('%s is a grey image with status %i', async (name, status) => {
  const response = await live.get(`/share/${name}.png`)
  expect(response.status).toBe(status)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('etag')).toBeNull()
  const { colorAt, inkColumns } = await readImage(response)
  expect(colorAt(5, 5)).toEqual(GREY)
  expect(inkColumns(170, 240).length).toBeGreaterThan(100)
})

test('is a grey image with Retry-After over the rate limit', async () => {
  const limited = createTestApp(zoneDns(''), {
    env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1' },
    now: () => 5_000,
  })
  await limited.get('/badge/acme.test.svg')
  const response = await limited.get('/share/acme.test.png')
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
  expect((await readImage(response)).colorAt(5, 5)).toEqual(GREY)
})

test.each([
  ['a short name', 'a.io'],
  ['a long name', 'mail-security.team.example.co.uk'],
  [
    'the longest name',
    `${'m'.repeat(63)}.${'w'.repeat(63)}.${'m'.repeat(63)}.${'w'.repeat(57)}.com`,
  ],
  ['an internationalized name', 'xn--bcher-kva.xn--bcher-kva.xn--bcher-kva.example'],
])('%s stays within the margins', async (_, domain) => {
  const draw = createDrawShareImage('Mailgrade')
  const checkedAt = '2026-11-07T09:05:59.123Z'
  const verdict = { status: 'warn', label: 'Partly protected', statement: 'Almost.' } as const
  const { inkColumns } = readPixels(await draw({ ...verdict, domain, checkedAt }))
  const columns = inkColumns(110, 215)
  expect(columns[0]).toBeGreaterThanOrEqual(400)
  expect(columns.at(-1)).toBeLessThanOrEqual(1_140)
})

test('a long name has smaller letters before it loses its middle', async () => {
  const draw = createDrawShareImage('Mailgrade')
  const verdict = {
    status: 'pass',
    label: 'Protected',
    statement: 'Yes.',
    checkedAt: null,
  } as const
  const tops = ['b.example', 'bbbbbbbbbb.example', 'bbbbbbbbbbbbbbbbbbbb.example'].map(
    async (domain) => {
      const { inkColumns } = readPixels(await draw({ ...verdict, domain }))
      return [130, 150, 170].find((y) => inkColumns(y, y + 1).length > 0)
    },
  )
  expect(await Promise.all(tops)).toEqual([130, 150, 170])
})

test('an answer that is too long ends after three lines', async () => {
  const draw = createDrawShareImage('Mailgrade')
  const image = { status: 'unknown', label: 'DNS error', domain: null, checkedAt: null } as const
  const statement = 'no resolver could get an answer '.repeat(20).trim()
  const { inkColumns } = readPixels(await draw({ ...image, statement }))
  expect(inkColumns(380, 440).length).toBeGreaterThan(100)
  expect(inkColumns(445, 505)).toEqual([])
})

test('the art is small, and part of the image for containers', () => {
  expect(statSync('packages/server/share/art.png').size).toBeLessThan(150_000)
  expect(readFileSync('Dockerfile', 'utf8')).toContain(
    'COPY packages/server/share/ ./packages/server/share/',
  )
})
