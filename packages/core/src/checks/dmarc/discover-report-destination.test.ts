import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkDmarc } from './check-dmarc.js'

async function check(zone: string, failing: Record<string, FailureReason> = {}) {
  const dns = zoneDns(zone, failing)
  const checked = await checkDmarc(dns, 'acme.test' as DomainName)
  return { checked, queries: [...new Set(dns.queries)] }
}

async function report(zone: string, failing: Record<string, FailureReason> = {}) {
  const { checked, queries } = await check(zone, failing)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  const { issues } = checked.report
  return { ...checked.report, issues, ids: issues.map((issue) => issue.id), queries }
}

function acme(rua: string, more = ''): string {
  return `acme.test. MX 10 mx.acme.test.\n_dmarc.acme.test. TXT "v=DMARC1; p=reject; ${rua}"\n${more}`
}

const VENDOR = 'vendor.test. MX 10 mx.vendor.test.\n'

describe('external report destination', () => {
  test('is authorized when it has agreed', async () => {
    const found = await report(
      acme(
        'rua=mailto:acme@Vendor.test',
        `${VENDOR} acme.test._report._dmarc.vendor.test. TXT "v=DMARC1; rua=mailto:x@vendor.test"`,
      ),
    )
    expect(found).toMatchObject({
      status: 'pass',
      rua: [{ valid: true, external: true, authorized: true, acceptsMail: true }],
    })
  })

  test('is authorized when one of several records agrees', async () => {
    const found = await report(
      acme(
        'rua=mailto:acme@vendor.test',
        `${VENDOR} *._report._dmarc.vendor.test. TXT "hello"
        *._report._dmarc.vendor.test. TXT "v=DMARC1"
        *._report._dmarc.vendor.test. TXT "v=DMARC1;"`,
      ),
    )
    expect(found.rua).toMatchObject([{ authorized: true }])
  })

  test.each(['', 'acme.test._report._dmarc.vendor.test. TXT "v=DMARC10"'])(
    'are not sent without its word: "%s"',
    async (word) => {
      const found = await report(acme('rua=mailto:acme@vendor.test', VENDOR + word))
      expect(found).toMatchObject({
        status: 'warn',
        rua: [{ valid: true, external: true, authorized: false, acceptsMail: true }],
        ids: ['dmarc.no-reports', 'dmarc.report-not-authorized'],
      })
      expect(found.issues[1]).toMatchObject({
        title: 'vendor.test hasn’t agreed to receive your reports',
        fix: expect.stringContaining(
          'publish a TXT record at acme.test._report._dmarc.vendor.test: "v=DMARC1"',
        ),
        reference: 'RFC 9990 §4',
      })
    },
  )

  test('is not authorized when the authorization name is too long', async () => {
    const long = `${'v'.repeat(60)}.${'w'.repeat(60)}.${'x'.repeat(60)}.${'y'.repeat(50)}.test`
    // Long records are published as several strings.
    const { rua, queries } = await report(
      acme(`rua=mailto:d@" "${long}" ", mailto:d@acme.test`, `${long}. A 192.0.2.1`),
    )
    expect(rua).toMatchObject([
      { uri: `mailto:d@${long}`, external: true, authorized: false, acceptsMail: true },
      { external: false, authorized: true },
    ])
    expect(queries.filter((question) => question.includes('_report'))).toEqual([])
  })
})

describe('internal report destination', () => {
  test('at a subdomain needs a tree walk but no authorization', async () => {
    const found = await report(
      acme('rua=mailto:d@in.reports.acme.test', 'in.reports.acme.test. A 192.0.2.1'),
    )
    expect(found).toMatchObject({
      status: 'pass',
      rua: [{ external: false, authorized: true, acceptsMail: true }],
    })
    expect(found.queries).toEqual([
      'TXT _dmarc.acme.test',
      'TXT _dmarc.test',
      'MX acme.test',
      'TXT acme.test',
      'MX in.reports.acme.test',
      'TXT _dmarc.in.reports.acme.test',
      'TXT _dmarc.reports.acme.test',
      'A in.reports.acme.test',
      'AAAA in.reports.acme.test',
    ])
  })

  test('at a subdomain that is its own organization needs authorization', async () => {
    const found = await report(
      acme(
        'rua=mailto:d@lab.acme.test',
        'lab.acme.test. A 192.0.2.1\n_dmarc.lab.acme.test. TXT "v=DMARC1; p=none; psd=n"',
      ),
    )
    expect(found.rua).toMatchObject([{ external: true, authorized: false }])
    expect(found.queries).toContain('TXT acme.test._report._dmarc.lab.acme.test')
  })
})

describe('reports that cannot arrive', () => {
  test('when none are requested', async () => {
    const found = await report(acme('ruf=mailto:d@acme.test'))
    expect(found).toMatchObject({ status: 'warn', ids: ['dmarc.no-reports'] })
    expect(found.issues[0]).toMatchObject({
      fix: expect.stringContaining('rua=mailto:dmarc@acme.test'),
    })
  })

  test.each([
    ['does not exist', ''],
    ['has neither mail server nor address', 'in.acme.test. TXT "x"'],
    ['has a null MX', 'in.acme.test. MX 0 .\nin.acme.test. A 192.0.2.1'],
    ['has an alias that leads nowhere', 'in.acme.test. CNAME gone.test.'],
  ])('when the destination %s', async (_, target) => {
    const found = await report(acme('rua=mailto:d@in.acme.test', target))
    expect(found).toMatchObject({
      status: 'warn',
      rua: [{ valid: true, external: false, authorized: true, acceptsMail: false }],
      ids: ['dmarc.no-reports', 'dmarc.report-target-without-mx'],
    })
  })

  test('when the domain accepts no mail, reported once', async () => {
    const found = await report(
      'acme.test. MX 0 .\n_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"',
    )
    expect(found.ids).toEqual(['dmarc.report-target-without-mx'])
  })

  test('when the URI is no mail address, while the record stays valid', async () => {
    const found = await report(acme('rua=https://acme.test/dmarc'))
    expect(found).toMatchObject({
      policy: 'reject',
      rua: [
        {
          uri: 'https://acme.test/dmarc',
          valid: false,
          reason: expect.stringContaining('isn’t a mailto: URI'),
          external: null,
          authorized: null,
          acceptsMail: null,
        },
      ],
      ids: ['dmarc.bad-tags', 'dmarc.no-reports'],
    })
  })

  test('are not reported while another address works', async () => {
    const found = await report(acme('rua=mailto:d@gone.test, mailto:d@acme.test'))
    expect(found.ids).toEqual(['dmarc.report-not-authorized', 'dmarc.report-target-without-mx'])
  })
})

describe('many destinations', () => {
  test('at one domain are queried once', async () => {
    const many = Array.from({ length: 5 }, (_, index) => `mailto:d${index}@vendor.test`).join()
    const { ids, queries } = await report(acme(`rua=${many}; ruf=${many}`, VENDOR))
    expect(ids).toEqual(['dmarc.no-reports', 'dmarc.report-not-authorized'])
    expect(queries.filter((query) => query.includes('vendor'))).toHaveLength(2)
  })

  test('beyond ten are not queried or judged', async () => {
    const uris = Array.from({ length: 15 }, (_, index) => `mailto:d@v${index}.test`).join()
    const { rua, ruf, ids, queries } = await report(
      acme(
        `rua=${uris.slice(0, 200)}" "${uris.slice(200)}; ruf=mailto:d@acme.test`,
        `
        *._report._dmarc.v0.test. TXT "v=DMARC1"
        v0.test. A 192.0.2.1
      `,
      ),
    )
    expect(queries.filter((question) => question.includes('._report.'))).toHaveLength(10)
    expect(rua.map(({ authorized }) => authorized)).toEqual([
      true,
      ...Array.from({ length: 9 }, () => false),
      ...Array.from({ length: 5 }, () => null),
    ])
    expect(ruf).toMatchObject([{ valid: true, external: null }])
    expect(ids.at(-1)).toBe('dmarc.too-many-destinations')
    expect(ids.filter((id) => id === 'dmarc.report-not-authorized')).toHaveLength(9)
  })

  test('beyond twenty addresses are not read', async () => {
    const uris = (count: number) => Array<string>(count).fill('mailto:d@acme.test').join('," "')
    const few = await report(acme(`rua=${uris(20)}`))
    expect(few.ids).toEqual([])
    const many = await report(acme(`rua=${uris(25)}; ruf=${uris(21)}`))
    expect([many.rua.length, many.ruf.length]).toEqual([20, 20])
    expect(many.issues).toMatchObject([
      {
        id: 'dmarc.too-many-destinations',
        detail: expect.stringMatching(
          /only the first 20 addresses each in "rua=" and "ruf=".* The other 6 addresses are missing/,
        ),
      },
    ])
  })

  test('in the thousands give only a few findings', async () => {
    const uri = (index: number) => `mailto:d@m%C3%BCller${index}.test`
    const strings = Array.from({ length: 2_800 }, (_, index) => `"${uri(index)},"`).join(' ')
    const zone = `acme.test. MX 10 mx.acme.test.\n_dmarc.acme.test. TXT "v=DMARC1; p=none; rua=" ${strings}`
    const found = await report(zone)
    expect(found.rua).toHaveLength(20)
    // One that was not read may well work.
    expect(found.ids).not.toContain('dmarc.no-reports')
    // What was published is there three times: as the record, among the records, and as its tags.
    expect(JSON.stringify(found).length).toBeLessThan(4 * zone.length)
  })
})

describe('failed destination query', () => {
  const zone = (rua: string) =>
    acme(`rua=mailto:d@${rua}`, 'vendor.test. TXT "x"\nin.acme.test. A 192.0.2.1')
  const AGREED = '\n*._report._dmarc.vendor.test. TXT "v=DMARC1"'

  test.each(['MX vendor.test', 'A vendor.test', 'AAAA vendor.test'])(
    'for %s leaves unknown whether it accepts mail',
    async (question) => {
      const found = await report(zone('vendor.test') + AGREED, { [question]: 'servfail' })
      const [type, name] = question.split(' ')
      expect(found).toMatchObject({
        status: 'pass',
        rua: [{ external: true, authorized: true, acceptsMail: null }],
        issues: [
          {
            id: 'dmarc.report-destination-unavailable',
            severity: 'info',
            title: 'We couldn’t check whether reports arrive at vendor.test',
            detail: expect.stringContaining(
              `DNS didn’t answer for ${name} ${type}, so we don’t know`,
            ),
          },
        ],
      })
    },
  )

  test('for its authorization leaves unknown whether it agreed', async () => {
    const query = 'TXT acme.test._report._dmarc.vendor.test'
    const found = await report(zone('vendor.test').replace('TXT "x"', 'A 192.0.2.1'), {
      [query]: 'timeout',
    })
    expect(found).toMatchObject({
      status: 'pass',
      rua: [{ external: true, authorized: null, acceptsMail: true }],
      ids: ['dmarc.report-destination-unavailable'],
    })
  })

  test('in the walk above it leaves unknown whether it is external', async () => {
    const found = await report(zone('in.acme.test'), { 'TXT _dmarc.in.acme.test': 'servfail' })
    expect(found).toMatchObject({
      status: 'pass',
      rua: [{ external: null, authorized: null, acceptsMail: true }],
      ids: ['dmarc.report-destination-unavailable'],
    })
  })

  test('does not hide that another destination is unusable', async () => {
    const found = await report(zone('vendor.test, mailto:d@gone.test'), {
      'MX vendor.test': 'servfail',
      'TXT acme.test._report._dmarc.vendor.test': 'servfail',
    })
    expect(found.ids).toEqual([
      'dmarc.report-not-authorized',
      'dmarc.report-target-without-mx',
      'dmarc.report-destination-unavailable',
    ])
    expect(found.issues[2]?.detail).toContain(
      'vendor.test MX and acme.test._report._dmarc.vendor.test TXT',
    )
  })

  test.each([
    ['A 192.0.2.1', 'AAAA in.acme.test'],
    ['AAAA 2001:db8::1', 'A in.acme.test'],
  ])('unless one address is found: %s', async (address, failing) => {
    const zone = acme('rua=mailto:d@in.acme.test', `in.acme.test. ${address}`)
    const { rua } = await report(zone, { [failing]: 'servfail' })
    expect(rua).toMatchObject([{ acceptsMail: true }])
  })

  test('external is unknown when the organization is unknown', async () => {
    const { rua, ids } = await report(
      acme(
        'rua=mailto:d@acme.test, mailto:d@in.acme.test, mailto:d@vendor.example',
        'in.acme.test. A 192.0.2.1\nvendor.example. A 192.0.2.1',
      ),
      { 'TXT _dmarc.test': 'servfail' },
    )
    expect(rua).toMatchObject([
      { external: false, authorized: true },
      { external: null, authorized: null },
      { external: true, authorized: false },
    ])
    expect(ids).toEqual(['dmarc.report-not-authorized', 'dmarc.report-destination-unavailable'])
  })
})
