import { type AbortableDns, failed } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createMailgrade } from './index.js'

const ZONE = `acme.test. MX 10 mail.acme.test.
mail.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:reports@acme.test"
`

const mailgrade = createMailgrade({ dns: createZoneDns('zone', ZONE) })

describe('a report', () => {
  test('says what the zone publishes, and how it was made', async () => {
    const result = await mailgrade.spf('acme.test')
    expect(result).toMatchObject({
      kind: 'report',
      report: { domain: 'acme.test', record: 'v=spf1 mx -all', lookupCount: 1, allResult: 'fail' },
      meta: { resolvers: ['zone'], checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    })
    const { meta } = result as Extract<typeof result, { kind: 'report' }>
    expect(meta.dnsQueries).toBeGreaterThan(2)
    expect(meta.durationMs).toBeGreaterThanOrEqual(0)
  })

  test('has the SPF result for a given server', async () => {
    const pass = await mailgrade.spf('acme.test', { ip: '192.0.2.1' })
    expect(pass).toMatchObject({ report: { evaluation: { result: 'pass' } } })
    const fail = await mailgrade.check('acme.test', { ip: '192.0.2.2', sender: 'ann@acme.test' })
    expect(fail).toMatchObject({ report: { spf: { evaluation: { result: 'fail' } } } })
    expect(await mailgrade.spf('acme.test', { ip: '192.0.2' })).toEqual({
      kind: 'invalid-input',
      reason: 'This is not an IP address. Send one such as 192.0.2.1 or 2001:db8::1.',
    })
  })

  test.each([
    ['check', { status: 'fail' }],
    ['mx', { records: [{ preference: 10, exchange: 'mail.acme.test', addresses: ['192.0.2.1'] }] }],
    ['dmarc', { policy: 'reject' }],
    ['dkim', { presence: 'absent' }],
    ['score', { profile: 'sending' }],
    ['fixPlan', { sendsMail: true }],
  ] as const)('%s answers for a domain, an address or a URL', async (operation, expected) => {
    for (const text of ['acme.test', 'ann@acme.test', 'https://acme.test/contact']) {
      const result = await mailgrade[operation](text)
      expect(result).toMatchObject({ kind: 'report', report: { domain: 'acme.test', ...expected } })
    }
  })

  test('emailCheck answers for an address', async () => {
    expect(await mailgrade.emailCheck('ann@acme.test')).toMatchObject({
      kind: 'report',
      report: { verdict: 'ok', domain: 'acme.test' },
    })
  })

  test('dkim queries only the selector it is given', async () => {
    const dns = zoneDns(ZONE)
    await createMailgrade({ dns }).dkim('acme.test', { selector: 'mine' })
    expect(dns.queries.filter((query) => query.includes('_domainkey'))).toEqual([
      'TXT mine._domainkey.acme.test',
    ])
  })

  test('dkim rejects what is not a selector, before any query', async () => {
    const dns = zoneDns(ZONE)
    expect(await createMailgrade({ dns }).dkim('acme.test', { selector: 'a..b' })).toEqual({
      kind: 'invalid-input',
      reason:
        'This is not a DKIM selector. Use labels of 1 to 63 letters, digits, hyphens and underscores, separated by dots, such as google.',
    })
    expect(dns.queries).toEqual([])
  })
})

const DOMAIN_OPERATIONS = ['check', 'mx', 'spf', 'dmarc', 'dkim', 'score', 'fixPlan'] as const

describe('a www. name', () => {
  test.each(DOMAIN_OPERATIONS)('%s reports on the domain and says what was asked', async (name) => {
    const result = await mailgrade[name]('https://www.Acme.test/contact')
    expect(result).toMatchObject({
      kind: 'report',
      report: { domain: 'acme.test', requested: 'www.acme.test' },
    })
  })

  test.each(DOMAIN_OPERATIONS)('%s reports on the name itself with exact', async (name) => {
    const exact = createMailgrade({ dns: zoneDns(`${ZONE}www.acme.test. A 192.0.2.2`) })
    const result = await exact[name]('www.acme.test', { exact: true })
    expect(result).toMatchObject({ kind: 'report', report: { domain: 'www.acme.test' } })
    expect(result).not.toHaveProperty('report.requested')
  })

  test('stays in an email address', async () => {
    const dns = zoneDns(`${ZONE}www.acme.test. A 192.0.2.2`)
    expect(await createMailgrade({ dns }).emailCheck('ann@www.acme.test')).toMatchObject({
      report: { domain: 'www.acme.test' },
    })
  })
})

describe('selectors', () => {
  test.each(['check', 'score', 'fixPlan'] as const)(
    '%s queries them besides the usual ones',
    async (name) => {
      const dns = zoneDns(ZONE)
      await createMailgrade({ dns })[name]('acme.test', {
        selectors: ['mine', 'other._domainkey.acme.test'],
      })
      for (const selector of ['mine', 'other', 'google']) {
        expect(dns.queries).toContain(`TXT ${selector}._domainkey.acme.test`)
      }
    },
  )

  test('are rejected before any query', async () => {
    const dns = zoneDns(ZONE)
    const selectors = ['a', 'b', 'c', 'd', 'e', 'f']
    expect(await createMailgrade({ dns }).check('acme.test', { selectors })).toEqual({
      kind: 'invalid-input',
      reason: 'There are 6 selectors; send at most 5.',
    })
    expect(dns.queries).toEqual([])
  })
})

describe('without a report, the result says why', () => {
  test('text that is not a domain', async () => {
    const result = await mailgrade.check('192.0.2.1')
    expect(result).toEqual({ kind: 'invalid-input', reason: expect.stringContaining('192.0.2.1') })
  })

  test('text that is not an address', async () => {
    expect(await mailgrade.emailCheck('acme.test')).toMatchObject({ kind: 'invalid-input' })
  })

  test('a domain that does not exist', async () => {
    expect(await mailgrade.check('nowhere.test')).toEqual({
      kind: 'unknown-domain',
      domain: 'nowhere.test',
    })
  })

  test('a query that failed, which is not a missing record', async () => {
    const dns = zoneDns(ZONE, { 'TXT acme.test': 'servfail' })
    expect(await createMailgrade({ dns }).spf('acme.test')).toMatchObject({
      kind: 'dns-unavailable',
      query: { name: 'acme.test', type: 'TXT' },
      reason: 'servfail',
    })
  })

  test('a caller that aborts', async () => {
    const controller = new AbortController()
    const hanging: AbortableDns = {
      query: (_name, _type, signal) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve(failed('aborted', 'aborted')))
          controller.abort()
        }),
    }
    const { signal } = controller
    expect(await createMailgrade({ dns: hanging }).mx('acme.test', { signal })).toMatchObject({
      kind: 'dns-unavailable',
      reason: 'aborted',
    })
  })
})

test('without a `dns` option the resolvers are DNS-over-HTTPS, closed with close()', async () => {
  const offline = createMailgrade({ resolvers: ['http://127.0.0.1:9/dns-query'], timeoutMs: 2_000 })
  expect(await offline.mx('acme.test')).toMatchObject({
    kind: 'dns-unavailable',
    reason: 'unreachable',
  })
  offline.close()
})
