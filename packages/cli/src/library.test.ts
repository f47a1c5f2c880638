import { type AbortableDns, failed } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  checkAddress,
  checkDkim,
  checkDmarc,
  checkDomain,
  checkMx,
  checkSpf,
  createDoh,
  evaluateSpf,
  planDomain,
  scoreDomain,
} from './index.js'

const ZONE = `acme.test. MX 10 mail.acme.test.
mail.acme.test. A 192.0.2.1
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:reports@acme.test"
`

const dns = createZoneDns('zone', ZONE)

const DOMAIN_FUNCTIONS = {
  checkDomain,
  checkMx,
  checkSpf,
  checkDmarc,
  checkDkim,
  scoreDomain,
  planDomain,
}

describe('a report', () => {
  test('says what the zone publishes, and how it was made', async () => {
    const result = await checkSpf('acme.test', { dns })
    expect(result).toMatchObject({
      kind: 'report',
      report: { domain: 'acme.test', record: 'v=spf1 mx -all', lookupCount: 1, allResult: 'fail' },
      meta: { resolvers: ['zone'], checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    })
    const { meta } = result as Extract<typeof result, { kind: 'report' }>
    expect(meta.dnsQueries).toBeGreaterThan(2)
    expect(meta.durationMs).toBeGreaterThanOrEqual(0)
  })

  test('takes options that are undefined as not given', async () => {
    const options = { ip: undefined, exact: undefined, timeoutMs: undefined, signal: undefined }
    expect(await checkSpf('acme.test', { dns, ...options })).toMatchObject({ kind: 'report' })
  })

  test('may take as long as a timer of Node can wait', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    await checkSpf('acme.test', { dns, timeoutMs: Infinity })
    expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([2_147_483_647])
  })

  test('has the SPF result for a given server', async () => {
    const pass = await checkSpf('acme.test', { dns, ip: '192.0.2.1' })
    expect(pass).toMatchObject({ report: { evaluation: { result: 'pass' } } })
    const fail = await checkDomain('acme.test', {
      dns,
      ip: '192.0.2.2',
      sender: 'ann@acme.test',
    })
    expect(fail).toMatchObject({ report: { spf: { evaluation: { result: 'fail' } } } })
    expect(await checkSpf('acme.test', { dns, ip: '192.0.2' })).toEqual({
      kind: 'invalid-input',
      detail: 'This isn’t an IP address. Send one such as 192.0.2.1 or 2001:db8::1.',
    })
  })

  test.each([
    ['checkDomain', { status: 'fail' }],
    [
      'checkMx',
      { records: [{ preference: 10, exchange: 'mail.acme.test', addresses: ['192.0.2.1'] }] },
    ],
    ['checkDmarc', { policy: 'reject' }],
    ['checkDkim', { presence: 'absent' }],
    ['scoreDomain', { profile: 'sending' }],
    ['planDomain', { sendsMail: true }],
  ] as const)('%s answers for a domain, an address or a URL', async (name, expected) => {
    for (const text of ['acme.test', 'ann@acme.test', 'https://acme.test/contact']) {
      const result = await DOMAIN_FUNCTIONS[name](text, { dns })
      expect(result).toMatchObject({ kind: 'report', report: { domain: 'acme.test', ...expected } })
    }
  })

  test('planDomain counts its stages from the given day', async () => {
    const monitoring = createZoneDns('zone', ZONE.replace('p=reject', 'p=none'))
    const now = new Date('2030-01-01T12:00:00Z')
    const result = await planDomain('acme.test', { dns: monitoring, now })
    expect(result).toMatchObject({ report: { summary: expect.stringContaining('on 2030-03-16') } })
  })

  test('planDomain takes the id of a service in any case', async () => {
    const services = async (uses: string[]) => {
      const result = await planDomain('acme.test', { dns, uses })
      return result.kind === 'report' ? result.report.senders.map(({ id }) => id) : result
    }
    expect(await services(['Mailchimp'])).toEqual(await services(['mailchimp']))
    expect(await services(['Mailchimp'])).toContain('mailchimp')
  })

  test('planDomain refuses a service that is in both answers', async () => {
    expect(await planDomain('acme.test', { dns, uses: ['google'], unused: ['Google'] })).toEqual({
      kind: 'invalid-input',
      detail: 'google is in both uses and unused. Put it in only one of them.',
    })
  })

  test('checkAddress answers for an address', async () => {
    expect(await checkAddress('ann@acme.test', { dns })).toMatchObject({
      kind: 'report',
      report: { verdict: 'ok', domain: 'acme.test' },
    })
  })

  test('checkDkim queries only the selector it is given', async () => {
    const dns = zoneDns(ZONE)
    await checkDkim('acme.test', { dns, selector: 'mine' })
    expect(dns.queries.filter((query) => query.includes('_domainkey'))).toEqual([
      'TXT mine._domainkey.acme.test',
    ])
  })

  test('checkDkim rejects what is not a selector, before any query', async () => {
    const dns = zoneDns(ZONE)
    expect(await checkDkim('acme.test', { dns, selector: 'a..b' })).toEqual({
      kind: 'invalid-input',
      detail:
        'This isn’t a DKIM selector. Use parts of 1 to 63 letters, digits, hyphens, and underscores, separated by dots, such as google.',
    })
    expect(dns.queries).toEqual([])
  })
})

const DOMAIN_FUNCTION_NAMES = [
  'checkDomain',
  'checkMx',
  'checkSpf',
  'checkDmarc',
  'checkDkim',
  'scoreDomain',
  'planDomain',
] as const

describe('a www. name', () => {
  test.each(DOMAIN_FUNCTION_NAMES)(
    '%s reports on the domain and says what was asked',
    async (name) => {
      const result = await DOMAIN_FUNCTIONS[name]('https://www.Acme.test/contact', { dns })
      expect(result).toMatchObject({
        kind: 'report',
        report: { domain: 'acme.test', requested: 'www.acme.test' },
      })
    },
  )

  test.each(DOMAIN_FUNCTION_NAMES)('%s reports on the name itself with exact', async (name) => {
    const dns = zoneDns(`${ZONE}www.acme.test. A 192.0.2.2`)
    const result = await DOMAIN_FUNCTIONS[name]('www.acme.test', { dns, exact: true })
    expect(result).toMatchObject({ kind: 'report', report: { domain: 'www.acme.test' } })
    expect(result).not.toHaveProperty('report.requested')
  })

  test('stays in an email address', async () => {
    const dns = zoneDns(`${ZONE}www.acme.test. A 192.0.2.2`)
    expect(await checkAddress('ann@www.acme.test', { dns })).toMatchObject({
      report: { domain: 'www.acme.test' },
    })
  })
})

describe('selectors', () => {
  test.each(['checkDomain', 'scoreDomain', 'planDomain'] as const)(
    '%s queries them besides the usual ones',
    async (name) => {
      const dns = zoneDns(ZONE)
      await DOMAIN_FUNCTIONS[name]('acme.test', {
        dns,
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
    expect(await checkDomain('acme.test', { dns, selectors })).toEqual({
      kind: 'invalid-input',
      detail: 'There are 6 selectors; send at most 5.',
    })
    expect(dns.queries).toEqual([])
  })
})

describe('without a report, the result says why', () => {
  test('text that is not a domain', async () => {
    const result = await checkDomain('192.0.2.1', { dns })
    expect(result).toEqual({ kind: 'invalid-input', detail: expect.stringContaining('192.0.2.1') })
  })

  test('what is not text, as a form may send it', async () => {
    const detail = 'This isn’t text. Enter a domain name or an email address.'
    for (const given of [undefined, null, 5, ['acme.test']]) {
      const text = given as unknown as string
      expect(await checkDomain(text, { dns })).toEqual({ kind: 'invalid-input', detail })
      expect(await checkAddress(text, { dns })).toEqual({ kind: 'invalid-input', detail })
    }
  })

  test('text that is not an address', async () => {
    expect(await checkAddress('acme.test', { dns })).toMatchObject({ kind: 'invalid-input' })
  })

  test('a domain that does not exist', async () => {
    expect(await checkDomain('nowhere.test', { dns })).toEqual({
      kind: 'unknown-domain',
      domain: 'nowhere.test',
      detail: 'nowhere.test doesn’t exist in DNS. Check the spelling.',
    })
  })

  test('a query that failed, which is not a missing record', async () => {
    const dns = zoneDns(ZONE, { 'TXT acme.test': 'servfail' })
    expect(await checkSpf('acme.test', { dns })).toMatchObject({
      kind: 'dns-unavailable',
      query: { name: 'acme.test', type: 'TXT' },
      reason: 'servfail',
      detail:
        'We couldn’t look up TXT acme.test because no resolver could get an answer from the domain’s name servers. Try again in a moment.',
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
    expect(await checkMx('acme.test', { dns: hanging, signal })).toMatchObject({
      kind: 'dns-unavailable',
      reason: 'aborted',
    })
  })
})

test('evaluateSpf returns the result for one message', async () => {
  expect(await evaluateSpf('acme.test', { dns, ip: '192.0.2.1' })).toMatchObject({
    kind: 'report',
    report: { result: 'pass', matched: { term: 'mx', record: 'acme.test' } },
  })
  expect(await evaluateSpf('acme.test', { dns, ip: '192.0.2.99' })).toMatchObject({
    report: { result: 'fail', sender: 'postmaster@acme.test' },
  })
})

describe('without a `dns` option', () => {
  const resolvers = ['http://127.0.0.1:9/dns-query']

  test('a report queries its resolvers over HTTPS and closes the connections', async () => {
    expect(await checkMx('acme.test', { resolvers, timeoutMs: 600_000 })).toMatchObject({
      kind: 'dns-unavailable',
      reason: 'unreachable',
    })
  })

  test('several reports can share connections', async () => {
    const shared = createDoh({ resolvers })
    expect(await checkMx('acme.test', { dns: shared })).toMatchObject({ reason: 'unreachable' })
    expect(await checkSpf('acme.test', { dns: shared })).toMatchObject({ reason: 'unreachable' })
    shared.close()
  })
})

describe('a name for private networks', () => {
  const internal = createZoneDns('zone', ZONE.replaceAll('acme.test', 'acme.internal'))
  const detail =
    'acme.internal is a name for private networks, so public DNS has no records for it; enter a public domain name, such as example.com.'

  test.each(Object.entries(DOMAIN_FUNCTIONS))('is refused by %s', async (_, check) => {
    const refused = { kind: 'invalid-input', detail }
    expect(await check('www.acme.internal', { dns: internal })).toEqual({
      ...refused,
      detail: `www.${detail}`,
    })
    expect(await check('acme.internal', { dns: internal })).toEqual(refused)
  })

  test.each(Object.entries(DOMAIN_FUNCTIONS))(
    'is reported on by %s if allowed',
    async (_, check) => {
      const allowed = { dns: internal, allowPrivateNames: true }
      expect(await check('acme.internal', allowed)).toMatchObject({
        kind: 'report',
        report: { domain: 'acme.internal' },
      })
    },
  )

  test('is refused as the address for reports, unless it is allowed', async () => {
    const rua = 'dmarc@acme.internal'
    expect(await planDomain('acme.test', { dns, rua })).toEqual({ kind: 'invalid-input', detail })
    expect(await planDomain('acme.test', { dns, rua, allowPrivateNames: true })).toMatchObject({
      kind: 'report',
    })
  })

  test('is looked up for an address only if it is allowed', async () => {
    const reasonsWith = async (allowPrivateNames: boolean) => {
      const checked = await checkAddress('ann@acme.internal', { dns: internal, allowPrivateNames })
      return checked.kind === 'report' && checked.report.reasons
    }
    expect(await reasonsWith(false)).toEqual(['special_use_domain'])
    expect(await reasonsWith(true)).toEqual([])
  })

  test('in the records of a public domain is looked up only if it is allowed', async () => {
    const dns = createZoneDns(
      'zone',
      `acme.test. MX 10 mx.acme.internal.
acme.test. MX 20 alias.acme.test.
alias.acme.test. CNAME mx2.acme.internal.
mx.acme.internal. A 192.0.2.1
mx2.acme.internal. A 192.0.2.2
`,
    )
    const addresses = async (allowPrivateNames: boolean) => {
      const checked = await checkMx('acme.test', { dns, allowPrivateNames })
      return checked.kind === 'report' && checked.report.records.map((record) => record.addresses)
    }
    expect(await addresses(false)).toEqual([[], []])
    expect(await addresses(true)).toEqual([['192.0.2.1'], ['192.0.2.2']])
  })
})
