import type { StreamEvidence } from '@mailgrade/core'
import { createZoneDns } from '@mailgrade/doh/zone'
import { describe, expect, test } from 'vitest'
import { type FakeAnswer, startFakeService } from '../../test/support/fake-service.js'
import { createTestContext } from '../../test/support/test-context.js'
import { openReportSource } from '../command-line/open-report-source.js'
import type { SourceOptions } from '../command-line/shared-options.js'
import { checkAddress, checkMx, planDomain, scoreDomain } from '../library.js'

const zone = `good.test. MX 10 mail.good.test.
mail.good.test. A 192.0.2.1
good.test. TXT "v=spf1 mx -all"
`
const dns = createZoneDns('zone', zone)

async function mxAnswer(): Promise<FakeAnswer> {
  const result = await checkMx('good.test', { dns })
  if (result.kind !== 'report') throw new Error('No report')
  return { status: 200, body: { ...result.report, meta: result.meta } }
}

function problem(status: number, code: string, detail: string, headers = {}): FakeAnswer {
  return { status, headers, body: { status, code, detail } }
}

const open = (server: URL, options: SourceOptions = {}, context = createTestContext()) =>
  openReportSource({ server, ...options }, context)

/** Mail of the owner, which stays on this computer. */
const EVIDENCE: StreamEvidence = {
  from: 'message',
  kind: 'own',
  certainty: 'certain',
  serviceId: null,
  name: 'good.test',
  addresses: ['192.0.2.1'],
  at: 'good.test',
  messages: 1,
  spfAligned: 1,
  dkimAligned: 0,
  months: ['2026-11'],
  keys: [],
  envelopeDomains: ['good.test'],
  lastSeen: null,
}

describe('a report', () => {
  test('is the one of the service', async () => {
    const answer = await mxAnswer()
    const { url } = await startFakeService(() => answer)
    const result = await (await open(url)).mx('good.test')
    expect(result).toMatchObject({
      kind: 'report',
      report: { domain: 'good.test', records: [{ exchange: 'mail.good.test' }] },
      meta: { resolvers: ['zone'] },
    })
    expect(result).not.toHaveProperty('report.meta')
  })

  test('is requested with the same parameters', async () => {
    const { url, requests } = await startFakeService(() => problem(500, 'internal', 'No.'))
    const source = await open(url)
    await source.check('good.test', { selectors: ['s1'], exact: true, ip: '192.0.2.1' })
    await source.dkim('good.test', { selector: 's2' })
    await source.plan('good.test', {
      selectors: ['s1', 's2'],
      rua: 'a+b@c.test',
      uses: ['x', 'y'],
      evidence: [EVIDENCE],
    })
    await source.address('"a b"+c@good.test')
    expect(requests).toEqual([
      '/v1/check?domain=good.test&selector=s1&exact=true&ip=192.0.2.1',
      '/v1/dkim?domain=good.test&selector=s2',
      '/v1/fix-plan?domain=good.test&selector=s1&selector=s2&uses=x%2Cy&rua=a%2Bb%40c.test',
      '/v1/email-check?email=%22a%20b%22%2Bc%40good.test',
    ])
  })

  test('that this version cannot read is an error', async () => {
    const { url } = await startFakeService(() => ({ status: 200, body: { domain: 'good.test' } }))
    expect(await (await open(url)).mx('good.test')).toMatchObject({
      kind: 'service-problem',
      code: 'invalid_response',
    })
  })

  test('about a name that is no domain is an error, because files are named after it', async () => {
    const plan = await planDomain('good.test', { dns })
    if (plan.kind !== 'report') throw new Error('No report')
    const { url } = await startFakeService((_, count) => ({
      status: 200,
      body: { ...plan.report, domain: count === 1 ? 'good.test' : '../../x', meta: plan.meta },
    }))
    const source = await open(url)
    expect((await source.plan('good.test')).kind).toBe('report')
    expect(await source.plan('good.test')).toMatchObject({ code: 'invalid_response' })
  })

  test.each([
    ['good.test', {}, 'www.good.test'],
    ['good.test', {}, 'test'],
    ['good.test', { exact: true }, 'other.test'],
    ['www.good.test', { exact: true }, 'good.test'],
    ['Good.test.', {}, 'GOOD.test'],
  ])('of %s with %o about %s is an error', async (asked, options, domain) => {
    const answer = await mxAnswer()
    const { url } = await startFakeService(() => ({
      status: 200,
      body: { ...Object(answer.body), domain },
    }))
    expect(await (await open(url)).mx(asked, options)).toEqual({
      kind: 'service-problem',
      code: 'invalid_response',
      detail: `The service at ${url.origin} sent a report about ${domain}, which isn’t what you asked for. Check the --server URL.`,
    })
  })

  test.each([
    ['https://www.good.test/', {}, 'good.test'],
    ['www.good.test', {}, 'www.good.test'],
    ['www.good.test', { exact: true }, 'www.good.test'],
    ['Ann@GOOD.test', {}, 'good.test'],
    ['bücher.test', {}, 'xn--bcher-kva.test'],
    ['nas.internal', {}, 'nas.internal'],
  ])('of %s with %o may be about %s', async (asked, options, domain) => {
    const answer = await mxAnswer()
    const { url } = await startFakeService(() => ({
      status: 200,
      body: { ...Object(answer.body), domain },
    }))
    const result = await (await open(url)).mx(asked, options)
    expect(result).toMatchObject({ kind: 'report', report: { domain } })
  })

  test('of an address about another one is an error', async () => {
    const addresses = ['Ann@Good.test', 'ann@[192.0.2.1]', ' ann@good.test ']
    const reports = new Map<string | null, FakeAnswer>()
    for (const address of addresses) {
      const result = await checkAddress(address, { dns })
      if (result.kind !== 'report') throw new Error('No report')
      reports.set(address, { status: 200, body: { ...result.report, meta: result.meta } })
    }
    const { url } = await startFakeService(({ url = '' }) => {
      const email = new URL(url, 'http://localhost').searchParams.get('email')
      return reports.get(email) ?? reports.get('Ann@Good.test') ?? 'drop'
    })
    const source = await open(url)
    for (const address of addresses) {
      expect(await source.address(address)).toMatchObject({ report: { email: address.trim() } })
    }
    expect(await source.address('bob@good.test')).toMatchObject({
      code: 'invalid_response',
      detail: `The service at ${url.origin} sent a report about Ann@Good.test, which isn’t what you asked for. Check the --server URL.`,
    })
  })

  test('with more levels than any report has is an error', async () => {
    const answer = await mxAnswer()
    const { url } = await startFakeService((_, count) => {
      const levels = count === 1 ? 50 : 100_000
      const report = JSON.stringify({ ...Object(answer.body), more: 0 })
      const more = `"more":${'['.repeat(levels)}${']'.repeat(levels)}`
      return { status: 200, body: report.replace('"more":0', more) }
    })
    const source = await open(url)
    expect((await source.mx('good.test')).kind).toBe('report')
    expect(await source.mx('good.test')).toMatchObject({ code: 'invalid_response' })
  })

  test('that never ends is an error', async () => {
    const { url } = await startFakeService(() => ({
      status: 200,
      body: `{"x":"${'x'.repeat(20_000_000)}"}`,
    }))
    expect(await (await open(url)).mx('good.test')).toMatchObject({
      kind: 'service-problem',
      code: 'invalid_response',
      detail: `The service at ${url.origin} sent more than 10 MB. Check the --server URL.`,
    })
  })

  test('with two selectors is not requested, because the service takes one', async () => {
    const { url, requests } = await startFakeService(() => problem(500, 'internal', 'No.'))
    const result = await (await open(url)).score('good.test', { selectors: ['s1', 's2'] })
    expect(result).toEqual({
      kind: 'invalid-input',
      detail:
        'With --server, you can add only one selector to the usual ones, but you passed 2. Use --selector once, or leave out --server.',
    })
    expect(requests).toEqual([])
  })
})

describe('a problem of the service', () => {
  test.each([
    ['invalid_input', 400, { kind: 'invalid-input' }],
    ['unknown_domain', 404, { kind: 'unknown-domain', domain: 'good.test' }],
    ['dns_unavailable', 502, { kind: 'dns-unavailable', reason: 'unknown' }],
    ['dns_timeout', 504, { kind: 'dns-unavailable', reason: 'timeout' }],
    ['internal', 500, { kind: 'service-problem', code: 'internal' }],
  ] as const)('%s has the kind that it has over DNS', async (code, status, expected) => {
    const { url } = await startFakeService(() => problem(status, code, 'The reason.'))
    const result = await (await open(url)).mx('good.test')
    expect(result).toEqual({ ...expected, detail: 'The reason.' })
  })

  test('cannot write to the terminal', async () => {
    const { url } = await startFakeService(() => problem(500, 'internal', 'Line\n\u001b[2J end.'))
    const result = await (await open(url)).mx('good.test')
    expect(result).toMatchObject({ detail: 'Line ⟨U+001B⟩[2J end.' })
  })

  test('without problem details names the status and the service', async () => {
    const { url } = await startFakeService(() => ({ status: 418, body: '<html>' }))
    const result = await (await open(url)).mx('good.test')
    expect(result).toMatchObject({
      code: 'invalid_response',
      detail: `The service at ${url.origin} answered with HTTP status 418 and no explanation. Check the --server URL.`,
    })
  })

  test('a redirect is not followed', async () => {
    const headers = { location: 'https://other.example/v1/mx' }
    const { url, requests } = await startFakeService(() => ({ status: 308, headers }))
    const result = await (await open(url)).mx('good.test')
    expect(result).toMatchObject({
      detail: `The service at ${url.origin} redirects to https://other.example/v1/mx. Use that URL with --server.`,
    })
    expect(requests).toHaveLength(1)
  })
})

describe('the rate limit', () => {
  const limited = (seconds: number) =>
    problem(429, 'rate_limited', 'Try later.', { 'retry-after': `${seconds}` })

  test('is waited for if it is short, and said once', async () => {
    const answer = await mxAnswer()
    const { url, requests } = await startFakeService((_, count) =>
      count <= 2 ? limited(1) : answer,
    )
    const context = createTestContext()
    const source = await open(url, {}, context)
    const results = await Promise.all([source.mx('good.test'), source.mx('good.test')])
    expect(results.map(({ kind }) => kind)).toEqual(['report', 'report'])
    expect(requests).toHaveLength(4)
    expect(context.errors()).toBe(
      `The service at ${url.origin} is busy. Waiting 1 s, as requested.\n`,
    )
  })

  test('is an error if it is long', async () => {
    const { url, requests } = await startFakeService(() => limited(3_600))
    const result = await (await open(url)).mx('good.test')
    expect(result).toEqual({
      kind: 'service-problem',
      code: 'rate_limited',
      detail: 'Try later.',
    })
    expect(requests).toHaveLength(1)
  })

  test('is an error if it does not end', async () => {
    const { url, requests } = await startFakeService(() => limited(0))
    expect(await (await open(url)).mx('good.test')).toMatchObject({ code: 'rate_limited' })
    expect(requests).toHaveLength(5)
  })
})

describe('a service that does not answer', () => {
  test('is unreachable', async () => {
    const { url } = await startFakeService(() => 'drop')
    const result = await (await open(url)).mx('good.test')
    expect(result).toMatchObject({ code: 'service_unreachable' })
    expect(result).toHaveProperty(
      'detail',
      expect.stringContaining(`We couldn’t reach the service at ${url.origin}`),
    )
  })

  test('is given up after --timeout', async () => {
    const { url } = await startFakeService(() => 'hang')
    expect(await (await open(url, { timeout: 0.05 })).mx('good.test')).toMatchObject({
      code: 'service_timeout',
      detail: `The service at ${url.origin} didn’t answer within 0.05 seconds. Try again later.`,
    })
  })

  test('is left alone after Ctrl-C', async () => {
    const interrupted = new AbortController()
    const { url } = await startFakeService(() => {
      interrupted.abort()
      return 'hang'
    })
    const context = createTestContext({ signal: interrupted.signal })
    expect(await (await open(url, {}, context)).mx('good.test')).toMatchObject({ code: 'canceled' })
  })
})

describe('--server', () => {
  test('may have a path, a slash, credentials and a query; credentials are never shown', async () => {
    const { url, requests, authorizations } = await startFakeService(() => 'drop')
    const server = new URL('/mail//?tenant=7', url)
    server.username = 'ann'
    server.password = 'p%40ss'
    const result = await (await open(server)).mx('good.test')
    expect(requests).toEqual(['/mail/v1/mx?tenant=7&domain=good.test'])
    expect(authorizations).toEqual([`Basic ${Buffer.from('ann:p@ss').toString('base64')}`])
    expect(JSON.stringify(result)).toContain(
      `We couldn’t reach the service at ${url.origin}/mail (`,
    )
    expect(JSON.stringify(result)).not.toMatch(/ann|p@ss|p%40ss/)
  })

  test.each([
    [{ yes: true }, '--yes and --max-usd only work with --server. Without it, reports are free.'],
    [
      { server: new URL('http://127.0.0.1:9'), resolver: [new URL('http://127.0.0.1:9')] },
      'Use --server or --resolver, not both. A service uses its own resolvers.',
    ],
    [
      { server: new URL('http://127.0.0.1:9'), yes: true },
      '--yes needs a spending limit. Add --max-usd, such as --max-usd 0.05.',
    ],
  ])('%o is refused', async (options, message) => {
    await expect(openReportSource(options, createTestContext())).rejects.toThrow(message)
  })

  test('is not needed for a report, which is then free', async () => {
    const local = await openReportSource({}, createTestContext({ zone }))
    const direct = await scoreDomain('good.test', { dns })
    const result = await local.score('good.test')
    if (result.kind !== 'report' || direct.kind !== 'report') throw new Error('No report')
    expect(result.report).toEqual(direct.report)
  })
})
