import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp } from '../support/test-app.js'

const ZONE = `
  acme.test.        MX  10 mx.acme.test.
  mx.acme.test.     A   192.0.2.1
  acme.test.        TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"
`

/** A query that each check cannot do without. */
const NEEDED: Record<string, string> = {
  check: 'TXT _dmarc.acme.test',
  spf: 'TXT acme.test',
  dmarc: 'TXT _dmarc.acme.test',
  dkim: 'MX acme.test',
  mx: 'MX acme.test',
}

describe.each(OPERATIONS.filter((operation) => !isPaid(operation)))('$path', ({ id, path }) => {
  let dns = zoneDns(ZONE)
  const app = createTestApp({ query: (name, type) => dns.query(name, type) })
  const check = async (domain: string, failing = {}) => {
    dns = zoneDns(ZONE, failing)
    const response = await app.get(`${path}?domain=${domain}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('accepts a URL or an email address as a domain', async () => {
    const { status, body } = await check(encodeURIComponent('https://ann@ACME.test:8443/x?y'))
    expect([status, body.domain]).toEqual([200, 'acme.test'])
  })

  test('returns 404 for a domain that does not exist', async () => {
    expect(await check('nowhere.test')).toMatchObject({
      status: 404,
      body: { code: 'unknown_domain' },
    })
  })

  test('rejects an IP address', async () => {
    expect(await check('192.0.2.1')).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  })

  test.each([
    ['servfail', 502, 'dns_unavailable'],
    ['timeout', 504, 'dns_timeout'],
  ])('returns an error when a required query ends in %s', async (reason, status, code) => {
    const query = NEEDED[id] ?? ''
    expect(await check('acme.test', { [query]: reason })).toMatchObject({ status, body: { code } })
  })
})

describe('the SPF result for one server', () => {
  const app = createTestApp(zoneDns(ZONE))
  const ask = async (path: string) => {
    const response = await app.get(path)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('is in /v1/spf, and in the SPF part of /v1/check', async () => {
    const evaluation = {
      ip: '192.0.2.1',
      sender: 'ann+news@acme.test',
      helo: 'mx.acme.test',
      result: 'pass',
      matched: { term: 'mx', record: 'acme.test', path: ['acme.test'], innerTerm: 'mx' },
      explanation: null,
      lookups: 1,
      voidLookups: 0,
    }
    const query = 'domain=acme.test&ip=192.0.2.1&sender=ann+news@acme.test&helo=mx.acme.test'
    expect((await ask(`/v1/spf?${query}`)).body.evaluation).toEqual(evaluation)
    expect((await ask(`/v1/check?${query}`)).body.spf).toMatchObject({ evaluation })
  })

  test('is for the postmaster of the domain without a sender', async () => {
    const { body } = await ask('/v1/spf?domain=acme.test&ip=2001:db8::9')
    expect(body.evaluation).toMatchObject({
      sender: 'postmaster@acme.test',
      result: 'fail',
      matched: { term: '-all' },
      voidLookups: 1,
    })
  })

  test('is left out without ip', async () => {
    expect((await ask('/v1/spf?domain=acme.test')).body).not.toHaveProperty('evaluation')
  })

  test.each([
    ['ip=mail.acme.test', 'ip', 'This isn’t an IP address.'],
    ['ip=192.0.2.1&sender=a@@b', 'sender', 'This is neither an email address nor a domain.'],
    ['ip=192.0.2.1&helo=a+b', 'helo', 'This isn’t a HELO name.'],
    ['sender=ann@acme.test', 'ip', 'The parameter ip is missing, and sender and helo need it.'],
  ])('refuses %s', async (query, parameter, detail) => {
    expect(await ask(`/v1/spf?domain=acme.test&${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', parameter, detail: expect.stringContaining(detail) },
    })
  })
})

describe('/v1/check in the sandbox', () => {
  test.each([
    ['good.test', 'pass', ['transport.mta-sts-policy-not-checked']],
    ['team.good.test', 'pass', []],
    ['locked.test', 'pass', ['dkim.not-needed']],
    ['monitoring.test', 'fail', ['spf.softfail-without-dmarc', 'dmarc.policy-none']],
    [
      'lookups.test',
      'fail',
      [
        'spf.too-many-lookups',
        'spf.unaligned-include',
        'dmarc.policy-quarantine',
        'dkim.sender-unsigned',
      ],
    ],
    ['parked.test', 'fail', ['spf.missing', 'dmarc.missing', 'dkim.missing', 'mx.implicit']],
    ['nothing.test', 'fail', ['spf.missing', 'dmarc.missing', 'dkim.missing', 'mx.missing']],
  ])('%s: %s, without live DNS', async (domain, status, ids) => {
    const internet = zoneDns('')
    const response = await createTestApp(internet, { env: {} }).get(`/v1/check?domain=${domain}`)
    const report = (await response.json()) as Record<string, { issues: { id: string }[] }>
    expect(report.status).toBe(status)
    const found = ['spf', 'dmarc', 'dkim', 'mx', 'transport'].flatMap((part) =>
      report[part]?.issues.map((issue) => issue.id),
    )
    expect(found).toEqual(ids)
    expect(internet.queries).toEqual([])
  })
})
