import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createFixtureDns,
  createManualClock,
  FIXTURE_RECORDS,
  queryDns,
  startFixtureResolver,
} from '../test/support/doh-fixture.js'
import { createErrorReport } from './doh-dns.js'
import { createDohResolver } from './doh-resolver.js'
import { type EncodedQuery, encodeQuery } from './wire/encode-query.js'

describe('error report', () => {
  test('warns at most once a minute, with the number of errors since the last time', () => {
    const clock = { ms: 5 }
    const warnings: string[] = []
    const report = createErrorReport(
      () => clock.ms,
      (message) => warnings.push(message),
    )
    report({ resolver: 'one.test', error: new TypeError('first') })
    report({ resolver: 'one.test', error: new TypeError('second') })
    clock.ms += 59_999
    report({ resolver: 'two.test', error: new RangeError('third') })
    expect(warnings).toEqual(['1 unexpected error in the connection to one.test: TypeError: first'])
    clock.ms += 1
    report({ resolver: 'two.test', error: 'text' })
    expect(warnings.slice(1)).toEqual([
      '3 unexpected errors, the last in the connection to two.test: text',
    ])
  })
})

describe('onUnexpectedError', () => {
  test('gets an exception of a callback, and the query still ends', async () => {
    const bug = new Error('a metric that does not exist')
    const reported: unknown[] = []
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server], {
      onAnswer: () => {
        throw bug
      },
      onUnexpectedError: (event) => reported.push(event),
    })
    expect(await queryDns(dns, 'A a.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(await queryDns(dns, 'A b.acme.test')).toMatchObject({ records: FIXTURE_RECORDS })
    expect(reported).toEqual(Array(2).fill({ resolver: server.url.host, error: bug }))
    expect(server.connections()).toBe(1)
  })

  test('gets an exception of the decoder, and the query fails', async () => {
    const bug = new Error('a bug')
    const reported: unknown[] = []
    const server = await startFixtureResolver('http/1.1')
    const resolver = createDohResolver(server.url, {
      timeoutMs: 20_000,
      tls: {},
      clock: createManualClock(),
      onAnswer: () => {},
      onUnexpectedError: (event) => reported.push(event),
    })
    onTestFinished(resolver.close)
    const query: EncodedQuery = {
      dnsParameter: encodeQuery({ name: 'acme.test', type: 'A' })?.dnsParameter ?? '',
      type: 'A',
      get name(): string {
        throw bug
      },
    }
    const answer = await new Promise((resolve) => resolver.query(query, { onAnswer: resolve }))
    expect(answer).toMatchObject({
      kind: 'failed',
      reason: 'malformed',
      detail: `${server.url.host} sent a message that could not be decoded`,
    })
    expect(reported).toEqual([{ resolver: server.url.host, error: bug }])
  })

  test('is a warning of the process by default', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    onTestFinished(() => emitWarning.mockRestore())
    const server = await startFixtureResolver()
    const dns = createFixtureDns([server], {
      onAnswer: () => {
        throw new Error('a metric that does not exist')
      },
    })
    await queryDns(dns, 'A acme.test')
    expect(emitWarning.mock.calls).toEqual([
      [
        `1 unexpected error in the connection to ${server.url.host}: Error: a metric that does not exist`,
        { type: 'DohWarning', detail: expect.stringContaining('doh-dns.errors.test.ts') },
      ],
    ])
  })
})
