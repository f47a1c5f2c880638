import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { isPaid } from '../../src/operations/operation.js'
import { OPERATIONS } from '../../src/operations/operations.js'
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
  const check = async (domain: string, failing = {}) => {
    const response = await createTestApp(zoneDns(ZONE, failing)).get(`${path}?domain=${domain}`)
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

describe('/v1/check in the sandbox', () => {
  test.each([
    ['good.test', 'pass', ['transport.mta-sts-policy-not-checked']],
    ['team.good.test', 'pass', []],
    ['locked.test', 'pass', ['dkim.not-needed']],
    ['monitoring.test', 'fail', ['spf.softfail-without-dmarc', 'dmarc.policy-none']],
    [
      'lookups.test',
      'fail',
      ['spf.too-many-lookups', 'spf.unaligned-include', 'dmarc.policy-quarantine'],
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
