import { createReportDns } from '@mailgrade/doh'
import { type TestZoneDns, zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkDomain } from './check-domain.js'
import { domainReportSchema } from './domain-report.js'

const DOMAIN = 'acme.test' as DomainName
const chance = () => {
  let count = 0
  return { randomLabel: () => `random${count++}` }
}

async function check(dns: TestZoneDns) {
  const lookup = createReportDns(dns, { deadlineMs: 5_000 })
  const checked = await checkDomain(lookup, DOMAIN, chance())
  lookup.close()
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  domainReportSchema.parse(checked.report)
  const { mx, spf, dmarc, dkim } = checked.report
  const ids = [mx, spf, dmarc, dkim].flatMap(({ issues }) => issues.map(({ id }) => id))
  return { report: checked.report, ids }
}

/** A domain in good order; a story changes one line of it. */
const ORDERLY = {
  mx: 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1',
  spf: 'acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"',
  dkim: 'default._domainkey.acme.test. TXT "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="',
  dmarc: '_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@in.acme.test"',
  reports: 'in.acme.test. MX 10 mx.in.acme.test.\nmx.in.acme.test. A 192.0.2.9',
}
const zone = (changes: Partial<typeof ORDERLY>) =>
  zoneDns(Object.values({ ...ORDERLY, ...changes }).join('\n'))

const REJECT = 'v=DMARC1; p=reject; rua=mailto:d@in.acme.test'

describe('the four checks side by side', () => {
  test('each part is what the check alone reports, and the worst of them is the status', async () => {
    const { report } = await check(zone({ mx: 'acme.test. MX 10 gone.acme.test.' }))
    expect(report.mx).toMatchObject({ status: 'fail', issues: [{ id: 'mx.dangling' }] })
    expect(report.spf).toMatchObject({ status: 'pass', record: 'v=spf1 ip4:192.0.2.1 -all' })
    expect(report.dmarc).toMatchObject({ status: 'pass', policy: 'reject', record: REJECT })
    expect(report.dkim).toMatchObject({
      status: 'warn',
      presence: 'present',
      keys: [{ selector: 'default', keyType: 'ed25519' }],
      issues: [{ id: 'dkim.ed25519-only' }],
    })
    expect(report.status).toBe('fail')
    expect(report.profile).toBe('sending')
    expect(report.summary).toBe(
      'acme.test: forged mail is rejected. To mend first: Mail server without an address: gone.acme.test (and 1 more).',
    )
  })

  test('no question is asked twice', async () => {
    const dns = zone({})
    await check(dns)
    expect(dns.queries.length).toBe(new Set(dns.queries).size)
  })

  test('an internationalised domain is shown as people write it, too', async () => {
    const dns = zoneDns('xn--mller-kva.test. MX 0 .')
    const checked = await checkDomain(dns, 'xn--mller-kva.test' as DomainName, chance())
    expect(checked).toMatchObject({ report: { unicodeDomain: 'müller.test' } })
  })
})

describe('what shows only when they are seen together', () => {
  test('a soft fail that no DMARC policy acts on', async () => {
    const softfail = { spf: 'acme.test. TXT "v=spf1 ip4:192.0.2.1 ~all"' }
    const withPolicy = (tags: string) => ({
      ...softfail,
      dmarc: `_dmarc.acme.test. TXT "v=DMARC1; ${tags}; rua=mailto:d@in.acme.test"`,
    })
    const id = 'spf.softfail-without-dmarc'
    expect((await check(zone({ ...softfail, dmarc: '' }))).ids).toContain(id)
    expect((await check(zone(withPolicy('p=none')))).ids).toContain(id)
    expect((await check(zone(withPolicy('p=quarantine; t=y')))).ids).toContain(id)
    expect((await check(zone(withPolicy('p=quarantine')))).ids).not.toContain(id)
    expect((await check(zone(withPolicy('p=reject; t=y')))).ids).not.toContain(id)
    expect((await check(zone({ dmarc: '' }))).ids).not.toContain(id)
  })

  test('its finding stands in the SPF part, and the part warns', async () => {
    const { report } = await check(
      zone({ spf: 'acme.test. TXT "v=spf1 ip4:192.0.2.1 ~all"', dmarc: '' }),
    )
    expect(report.spf).toMatchObject({
      status: 'warn',
      issues: [
        {
          id: 'spf.softfail-without-dmarc',
          severity: 'low',
          evidence: [{ name: 'acme.test', type: 'TXT', value: 'v=spf1 ip4:192.0.2.1 ~all' }],
        },
      ],
    })
  })

  test('a null MX beside an SPF record that lets somebody send', async () => {
    const { report } = await check(zone({ mx: 'acme.test. MX 0 .' }))
    expect(report.profile).toBe('sending')
    expect(report.mx).toMatchObject({
      status: 'warn',
      issues: [
        {
          id: 'mx.null-but-sending',
          evidence: [
            { name: 'acme.test', type: 'MX', value: '0 .' },
            { name: 'acme.test', type: 'TXT', value: 'v=spf1 ip4:192.0.2.1 -all' },
          ],
        },
      ],
    })
  })

  test('rejecting what nobody signs', async () => {
    const { report } = await check(zone({ dkim: '' }))
    expect(report.dkim).toMatchObject({ presence: 'absent', issues: [{ id: 'dkim.missing' }] })
    expect(report.dmarc.issues).toMatchObject([
      {
        id: 'dmarc.reject-without-dkim',
        evidence: [{ name: '_dmarc.acme.test', type: 'TXT', value: REJECT }],
      },
    ])
  })

  test('but not while it is only unknown whether anybody signs', async () => {
    const { report } = await check(zone({ dkim: 'own._domainkey.acme.test. TXT "something"' }))
    expect(report.dkim.presence).toBe('unknown')
    expect(report.dmarc.issues).toEqual([])
  })
})

describe('a domain that sends nothing', () => {
  test('and says so in every way has nothing to mend', async () => {
    const { report, ids } = await check(
      zone({ mx: 'acme.test. MX 0 .', spf: 'acme.test. TXT "v=spf1 -all"', dkim: '' }),
    )
    expect(report).toMatchObject({
      status: 'pass',
      profile: 'non-sending',
      summary:
        'acme.test: forged mail is rejected. It sends no mail itself. Nothing needs mending.',
    })
    expect(ids).toEqual(['dkim.not-needed'])
  })

  test('is not asked for keys or mail servers, even where only the SPF tree shows it', async () => {
    const { report, ids } = await check(
      zone({
        mx: '',
        spf: 'acme.test. TXT "v=spf1 a include:none.acme.test -all"\nnone.acme.test. TXT "v=spf1 -all"',
        dkim: '',
      }),
    )
    expect(report.profile).toBe('non-sending')
    expect(ids).toEqual([])
  })
})

test.each([
  'v=spf1 ipv4:192.0.2.1 -all',
  'v=spf1 include:gone.acme.test -all',
  'v=spf1 include:acme.test -all',
])('a domain with the broken record "%s" has not said that it sends nothing', async (record) => {
  const { report } = await check(zone({ spf: `acme.test. TXT "${record}"`, dkim: '' }))
  expect(report.profile).toBe('sending')
  expect(report.dkim.issues).toMatchObject([{ id: 'dkim.missing' }])
})

describe('the summary', () => {
  test.each([
    ['p=reject', 'forged mail is rejected.'],
    ['p=quarantine', 'forged mail goes to the spam folder.'],
    ['p=none', 'forged mail is delivered, because no DMARC policy stops it.'],
  ])('of %s says what becomes of forged mail', async (policy, fate) => {
    const dmarc = `_dmarc.acme.test. TXT "v=DMARC1; ${policy}; rua=mailto:d@in.acme.test"`
    const { report } = await check(zone({ dmarc }))
    expect(report.summary).toContain(fate)
  })

  test('of a record that lets everybody pass does not speak of rejecting', async () => {
    const { report } = await check(zone({ spf: 'acme.test. TXT "v=spf1 +all"' }))
    expect(report.summary).toBe(
      'acme.test: anybody can send mail that looks genuine, because SPF lets everybody pass. To mend first: Anyone can send as acme.test: +all (and 1 more).',
    )
  })
})

describe('when something cannot be looked up', () => {
  const run = (failing: string) =>
    checkDomain(
      zoneDns(Object.values(ORDERLY).join('\n'), { [failing]: 'servfail' }),
      DOMAIN,
      chance(),
    )

  test.each([
    'MX acme.test',
    'TXT acme.test',
    'A mx.acme.test',
    'TXT _dmarc.acme.test',
    'TXT _mta-sts.acme.test',
  ])('%s, there is no report', async (question) => {
    const [type, name] = question.split(' ')
    expect(await run(question)).toMatchObject({ kind: 'unavailable', query: { name, type } })
  })

  test('but for a guessed selector, which is listed', async () => {
    expect(await run('TXT google._domainkey.acme.test')).toMatchObject({
      kind: 'report',
      report: { dkim: { presence: 'present', selectorsFailed: ['google'] } },
    })
  })

  test('a domain that does not exist is unknown', async () => {
    expect(await checkDomain(zoneDns('other.test. MX 0 .'), DOMAIN, chance())).toEqual({
      kind: 'unknown-domain',
    })
  })
})
