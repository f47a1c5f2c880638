/** Scans with resolvers that throttle, drop, lie or hang. */
import { expect, test } from 'vitest'
import {
  openEnvironment,
  type ScanEnvironment,
  type ScanLine,
  sortedDomains,
} from './scan-environment.js'
import type { ResolverExchange } from './scan-resolver.js'

const DOMAINS = 40
/** What a resolver without faults leads to. */
let healthyLines: Promise<ScanLine[]> | null = null

async function scanHealthy(): Promise<ScanLine[]> {
  const { start, readLines } = await openEnvironment(DOMAINS)
  await start().ended
  return readLines()
}

const withoutTime = (lines: readonly ScanLine[]) =>
  lines
    .map((line) => ({ ...line, checkedAt: '' }))
    .sort((left, right) => (left.domain < right.domain ? -1 : 1))

async function expectSameAsHealthy(lines: readonly ScanLine[]): Promise<void> {
  healthyLines ??= scanHealthy()
  expect(withoutTime(lines)).toEqual(withoutTime(await healthyLines))
}

/** What is called missing does not exist in the zone. */
async function expectNothingMissing(lines: readonly ScanLine[]): Promise<void> {
  healthyLines ??= scanHealthy()
  const toAbsences = ({ domain, findings = [], error }: ScanLine) => [
    ...findings.filter((id) => id.endsWith('.missing')).map((id) => `${domain} ${id}`),
    ...(error?.code === 'unknown_domain' ? [`${domain} ${error.code}`] : []),
  ]
  const absences = new Set((await healthyLines).flatMap(toAbsences))
  expect(lines.flatMap(toAbsences).filter((absence) => !absences.has(absence))).toEqual([])
}

async function scanWith(
  handle: (exchange: ResolverExchange) => void,
  { resolver, start, readLines, domains }: ScanEnvironment,
  ...options: string[]
): Promise<ScanLine[]> {
  resolver.handle = handle
  const { exitCode, stderr } = await start(...options).ended
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1 })
  const lines = readLines()
  expect(sortedDomains(lines)).toEqual([...domains].sort())
  await expectNothingMissing(lines)
  return lines
}

const answer = ({ send, message }: ResolverExchange) => send(message)

test('a resolver that throttles is left alone for a while, and every domain gets its result', async () => {
  const isThrottled = createThrottle()
  let refused = 0
  const environment = await openEnvironment(DOMAINS)
  const lines = await scanWith((exchange) => {
    if (isThrottled(exchange)) {
      refused++
      exchange.refuse(429, { 'retry-after': '1' })
    } else answer(exchange)
  }, environment)
  await expectSameAsHealthy(lines)
  expect(refused).toBeGreaterThan(0)
  // A scan that went on would have most of its queries refused.
  expect(refused).toBeLessThan(environment.resolver.queries() / 2)
})

test('a resolver that drops connections is queried again', async () => {
  const environment = await openEnvironment(DOMAINS)
  const lines = await scanWith((exchange) => {
    if (exchange.number % 300 === 0) exchange.dropConnection()
    else answer(exchange)
  }, environment)
  await expectSameAsHealthy(lines)
})

const LIES: readonly ((message: Buffer) => Buffer)[] = [
  toOtherQuestion,
  toTruncated,
  (message) => message.subarray(0, 20),
  () => Buffer.from('<html>Log in first</html>'),
]

test('a resolver that lies is not believed', async () => {
  const environment = await openEnvironment(DOMAINS)
  let lies = 0
  const lines = await scanWith((exchange) => {
    // At first half of the answers, so some queries fail for good; then the resolver recovers.
    const isLie = exchange.number < 400 && exchange.number % 2 === 0
    const lie = isLie ? LIES[lies++ % LIES.length] : undefined
    exchange.send(lie ? lie(exchange.message) : exchange.message)
  }, environment)
  expect(lies).toBeGreaterThan(100)
  expect(lines.filter(({ error }) => error?.code === 'unknown_domain').length).toBeGreaterThan(0)
})

test('a resolver that hangs now and then leads to the same results', async () => {
  const environment = await openEnvironment(DOMAINS)
  const lines = await scanWith((exchange) => {
    if (exchange.number % 300 !== 0) answer(exchange)
  }, environment)
  await expectSameAsHealthy(lines)
})

test('a resolver that never answers leaves the queries to another one', async () => {
  const environment = await openEnvironment(DOMAINS)
  const silent = await environment.startResolver()
  silent.handle = () => {}
  const lines = await scanWith(answer, environment, '--resolver', silent.url)
  await expectSameAsHealthy(lines)
  expect(silent.queries()).toBeGreaterThan(0)
})

test('without any resolver that answers the scan ends, and can be resumed', async () => {
  const { resolver, start, readLines } = await openEnvironment(DOMAINS)
  resolver.handle = () => {}
  const { exitCode, stderr } = await start('--timeout', '1', '--concurrency', '10').ended
  expect(exitCode).toBe(3)
  expect(stderr).toContain('because no resolver answered for 1 seconds. To continue')
  expect(readLines().map(({ error }) => error?.code)).toEqual(
    Array.from({ length: 10 }, () => expect.stringMatching(/^dns_(timeout|unavailable)$/)),
  )
  resolver.handle = answer
  expect((await start('--resume').ended).exitCode).toBe(1)
  expect(readLines()).toHaveLength(DOMAINS)
})

/** From the 300th query on, true until no query has come for half of the time to wait. */
function createThrottle(): (exchange: ResolverExchange) => boolean {
  let lastRefusal = Number.POSITIVE_INFINITY
  let hasPaused = false
  return ({ number }) => {
    const now = performance.now()
    hasPaused ||= now - lastRefusal > 500
    if (number < 300 || hasPaused) return false
    lastRefusal = now
    return true
  }
}

/** The first letter of the name is another one. */
function toOtherQuestion(message: Buffer): Buffer {
  const copy = Buffer.from(message)
  copy[13] = 0x78
  return copy
}

/** Only the header and the question, with the TC flag. */
function toTruncated(message: Buffer): Buffer {
  let end = 12
  while (message[end]) end += (message[end] ?? 0) + 1
  const copy = Buffer.from(message.subarray(0, end + 5))
  copy.writeUInt16BE(copy.readUInt16BE(2) | 0x0200, 2)
  copy.writeUInt16BE(0, 6)
  return copy
}
