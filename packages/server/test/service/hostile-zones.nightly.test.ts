/** The documented heap is enough for whatever callers within their rate limit have checked. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { CharacterStrings, RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import {
  encodeAnswer,
  encodeRawMessage,
  encodeRawQuestion,
  encodeRawRecord,
  WIRE_TYPES,
} from '@mailgrade/testing/dns-message'
import { startDohServer } from '@mailgrade/testing/doh-server'
import { HOSTILE_ZONES } from '@mailgrade/testing/hostile-zones'
import { expect, onTestFinished, test } from 'vitest'
import { startServiceProcess } from '../support/service-process.js'

/** docs/production.md. */
const HEAP = '--max-old-space-size=384'
const CALLERS = ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4']
const REQUESTS_PER_MINUTE = 30
/** The default of MAX_CONCURRENT_REPORTS. */
const REPORTS_AT_ONCE = 100

const execNode = promisify(execFile)

/** The zones that take the most memory: every answer is as long as a message can be. */
const ZONES = HOSTILE_ZONES.filter(({ name }) => /^TXT wildcard, [12]-octet/.test(name))

/** Every domain has the records of number 0, so concurrent checks share no queries for them. */
const domainOf = (zone: number, number: number) => `zone${zone}-${number}.test`
const originalName = (name: string) => name.replace(/-\d+\.test$/, '-0.test')

/** A resolver that knows every zone under any number, and encodes a TXT record once. */
async function startHostileResolver() {
  const zones = ZONES.map(({ zoneText }, index) => zoneText(domainOf(index, 0)))
  const dns = createZoneDns('zone', ...zones)
  const encoded = new WeakMap<CharacterStrings, Buffer>()

  function encodeTxt(strings: CharacterStrings): Buffer {
    const data = () =>
      Buffer.concat(
        strings.map((text) => Buffer.from(`\0${text}`, 'latin1').fill(text.length, 0, 1)),
      )
    const record = encoded.get(strings) ?? encodeRawRecord({ type: WIRE_TYPES.TXT, data: data() })
    encoded.set(strings, record)
    return record
  }

  async function answer(name: string, type: RecordType): Promise<Buffer> {
    const found = await dns.query(originalName(name), type)
    if (type !== 'TXT' || found.kind !== 'records' || found.cnames.length > 0) {
      return encodeAnswer(name, type, found)
    }
    return encodeRawMessage({
      question: encodeRawQuestion(name.split('.'), WIRE_TYPES.TXT),
      answers: (found.records as CharacterStrings[]).map(encodeTxt),
    })
  }

  const server = await startDohServer('', 'http/1.1')
  onTestFinished(() => server.close())
  server.respond = async (exchange) => {
    const [type = 'A', name = '.'] = exchange.query.split(' ')
    exchange.send(await answer(name, type as RecordType))
  }
  return server.url
}

test('a hundred reports at once on the worst zones fit in the documented heap', async () => {
  const resolver = await startHostileResolver()
  const domains = Array.from({ length: REPORTS_AT_ONCE }, (_, index) =>
    domainOf(index % ZONES.length, index),
  )
  const script = fileURLToPath(new URL('./hostile-reports.mjs', import.meta.url))
  const { stdout } = await execNode(process.execPath, [HEAP, script, resolver.href, ...domains])
  expect(stdout).toBe('100 reports')
}, 180_000)

test('survives four callers that check the worst zones as often as they may', async () => {
  const resolver = await startHostileResolver()
  const service = await startServiceProcess({
    NODE_ENV: 'production',
    NODE_OPTIONS: HEAP,
    PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    FACILITATOR_URL: 'http://127.0.0.1:9',
    DOH_URLS: resolver.href,
    // No report ends early because this machine is slow.
    DNS_TIMEOUT_MS: '30000',
    TRUST_PROXY_HOPS: '1',
  })
  onTestFinished(() => {
    service.process.kill('SIGKILL')
  })
  const check = async (caller: string, index: number) => {
    const domain = domainOf(index % ZONES.length, index)
    const response = await fetch(`${service.url}/v1/check?domain=${domain}`, {
      headers: { 'x-forwarded-for': caller },
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  for (const index of ZONES.keys()) {
    expect(await check('198.51.100.9', index)).toMatchObject({ status: 200, body: { mx: {} } })
  }
  const responses = await Promise.all(
    CALLERS.flatMap((caller, at) =>
      Array.from({ length: REQUESTS_PER_MINUTE }, (_, index) =>
        check(caller, 100 + at * REQUESTS_PER_MINUTE + index),
      ),
    ),
  )

  expect(responses).toHaveLength(120)
  // On a busy machine some have to wait too long.
  const outcomes = responses.map(({ status, body }) => (status === 200 ? 'report' : body.code))
  const documented = ['report', 'overloaded', 'dns_timeout', 'dns_unavailable']
  expect(outcomes.filter((outcome) => !documented.includes(outcome as string))).toEqual([])
  expect((await check(CALLERS[0] as string, 999)).status).toBe(429)
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  expect(service.process.exitCode).toBeNull()
}, 180_000)
