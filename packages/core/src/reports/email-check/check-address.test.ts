import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import {
  addressReportFromZone,
  parseAddressOrThrow,
  runAddressCheck,
} from '../../../test/support/address-fixture.js'
import { ADDRESS_REASON_CODES, worstVerdict } from '../../catalog/address-lists.js'
import { checkAddress } from './check-address.js'

const GOOGLE = `
  acme.test. MX 1 smtp.google.com.
  smtp.google.com. A 192.0.2.1
`
const NOTHING = { records: [], nullMx: false, implicitMx: false, provider: null }

test('returns a complete report', async () => {
  expect(
    await addressReportFromZone('Sales+eu@Bücher.test', GOOGLE.replaceAll('acme', 'xn--bcher-kva')),
  ).toEqual({
    email: 'Sales+eu@Bücher.test',
    normalized: 'Sales+eu@xn--bcher-kva.test',
    domain: 'xn--bcher-kva.test',
    unicodeDomain: 'bücher.test',
    verdict: 'risky',
    reasons: ['role_account'],
    checks: {
      syntax: { valid: true, quoted: false, smtpUtf8: false, subaddress: 'eu' },
      mx: {
        acceptsMail: true,
        records: [{ preference: 1, exchange: 'smtp.google.com', addresses: ['192.0.2.1'] }],
        nullMx: false,
        implicitMx: false,
        provider: { id: 'google', name: 'Google Workspace', kind: 'mailbox' },
        mayAcceptAll: false,
      },
      disposable: { disposable: false, matched: null },
      parking: { parked: false, matched: null },
      placeholder: { placeholder: false, name: null, domain: null },
      role: { role: true, name: 'sales' },
    },
    freeProvider: false,
    privacyRelay: false,
    suggestion: null,
    mailboxProbed: false,
  })
})

test('returns ok without reasons for a deliverable address', async () => {
  const { checked, queries } = await runAddressCheck('ann@acme.test', GOOGLE)
  expect(checked).toMatchObject({ report: { verdict: 'ok', reasons: [] } })
  expect(queries).toEqual(['MX acme.test', 'A smtp.google.com', 'AAAA smtp.google.com'])
})

interface AddressCase {
  readonly email?: string
  readonly zone: string
  readonly reasons: string[]
}

async function expectVerdict(
  verdict: string,
  { email = 'ann@acme.test', zone, reasons }: AddressCase,
) {
  const report = await addressReportFromZone(email, zone)
  expect([report.verdict, report.reasons]).toEqual([verdict, reasons])
  return report
}

describe('undeliverable', () => {
  test.each<[string, AddressCase]>([
    ['the domain does not exist', { zone: '', reasons: ['domain_not_found'] }],
    ['a null MX', { zone: 'acme.test. MX 0 .', reasons: ['null_mx'] }],
    ['a null MX with another preference', { zone: 'acme.test. MX 10 .', reasons: ['null_mx'] }],
    ['no MX and no address', { zone: 'acme.test. TXT "x"', reasons: ['no_mail_server'] }],
    ['a dangling CNAME', { zone: 'acme.test. CNAME gone.test.', reasons: ['no_mail_server'] }],
    [
      'mail servers without an address',
      {
        zone: 'acme.test. MX 1 a.acme.test.\nacme.test. MX 2 b.acme.test.',
        reasons: ['unresolvable_mail_servers'],
      },
    ],
    [
      'only an IP address as mail server',
      { zone: 'acme.test. MX 1 192.0.2.1.', reasons: ['unresolvable_mail_servers'] },
    ],
    [
      'a null MX beside a server without an address',
      {
        zone: 'acme.test. MX 0 .\nacme.test. MX 1 a.acme.test.',
        reasons: ['unresolvable_mail_servers'],
      },
    ],
    [
      'a mail server with loopback addresses',
      {
        zone: 'acme.test. MX 1 a.acme.test.\na.acme.test. A 127.0.0.1\na.acme.test. AAAA ::1',
        reasons: ['private_address'],
      },
    ],
    [
      'no MX, and a private address',
      { zone: 'acme.test. A 10.0.0.1', reasons: ['private_address', 'implicit_mx'] },
    ],
  ])('%s', async (_, addressCase) => {
    const { checks } = await expectVerdict('undeliverable', addressCase)
    expect(checks.mx.acceptsMail).toBe(false)
  })

  test.each([
    ...['x.alt', 'x.invalid', 'x.localhost', 'x.onion', '1.0.0.10.in-addr.arpa'],
    ...['x.home.arpa', 'home.arpa', 'x.local', 'x.internal', 'x.corp', 'x.home', 'x.mail', 'x.lan'],
    ...['x.intranet', 'x.private'],
  ])('rejects the special-use name %s without a DNS query', async (domain) => {
    const { checked, queries } = await runAddressCheck(`ann@${domain}`, `${domain}. A 192.0.2.1`)
    expect(checked).toMatchObject({
      report: {
        domain,
        verdict: 'undeliverable',
        reasons: ['special_use_domain'],
        checks: { mx: { acceptsMail: false, ...NOTHING } },
      },
    })
    expect(queries).toEqual([])
  })

  test.each(['acme.test', 'acme.example', '8.8.8.8.in-addr.arpa', 'internal.test'])(
    'looks up %s like any other name',
    async (domain) => {
      await expectVerdict('undeliverable', {
        email: `ann@${domain}`,
        zone: '',
        reasons: ['domain_not_found'],
      })
    },
  )
})

test('looks up a name for private use if those are allowed', async () => {
  const dns = zoneDns('acme.internal. MX 5 mx.acme.internal.\nmx.acme.internal. A 192.0.2.1')
  const verdict = async (email: string) =>
    checkAddress(dns, parseAddressOrThrow(email), { allowPrivateNames: true })
  expect(await verdict('ann@acme.internal')).toMatchObject({ report: { reasons: [] } })
  expect(await verdict('ann@acme.invalid')).toMatchObject({
    report: { reasons: ['special_use_domain'] },
  })
})

describe('one working mail server is enough', () => {
  const GOOD = 'acme.test. MX 5 good.acme.test.\ngood.acme.test. AAAA 2001:db8::1\n'

  test.each([
    ['beside one without an address', 'acme.test. MX 1 gone.acme.test.'],
    ['beside a private one', 'acme.test. MX 1 home.acme.test.\nhome.acme.test. A 10.0.0.1'],
    ['beside a null MX', 'acme.test. MX 0 .'],
    ['that also has a private address', 'good.acme.test. A 10.0.0.1'],
  ])('%s', async (_, zone) => {
    const { checks } = await expectVerdict('ok', { zone: GOOD + zone, reasons: [] })
    expect(checks.mx.acceptsMail).toBe(true)
  })

  test('accepts a server that was not looked up', async () => {
    const many = Array.from({ length: 21 }, (_, i) => `acme.test. MX ${i} gone${i}.acme.test.`)
    await expectVerdict('ok', { zone: many.join('\n'), reasons: [] })
  })
})

describe('risky', () => {
  test.each<[string, AddressCase]>([
    ['no MX, but an address', { zone: 'acme.test. A 192.0.2.1', reasons: ['implicit_mx'] }],
    ['a role', { email: 'Info@acme.test', zone: GOOGLE, reasons: ['role_account'] }],
    ['a quoted role', { email: '"info"@acme.test', zone: GOOGLE, reasons: ['role_account'] }],
    ['quotation marks', { email: '"a b"@acme.test', zone: GOOGLE, reasons: ['quoted_local_part'] }],
    ['not ASCII', { email: 'björn@acme.test', zone: GOOGLE, reasons: ['smtp_utf8'] }],
    [
      'several reasons, most severe first',
      {
        email: '"björn lee"@gmial.com',
        zone: 'gmial.com. A 192.0.2.1',
        reasons: ['possible_typo', 'disposable', 'implicit_mx', 'quoted_local_part', 'smtp_utf8'],
      },
    ],
  ])('%s', async (_, addressCase) => {
    const { checks } = await expectVerdict('risky', addressCase)
    expect(checks.mx.acceptsMail).toBe(true)
  })

  test('suggests the intended address for a typo', async () => {
    const zone = 'outlok.com. MX 1 mx.outlok.com.\nmx.outlok.com. A 192.0.2.1'
    const report = await expectVerdict('risky', {
      email: '"Ann Lee"@OUTLOK.com',
      zone,
      reasons: ['possible_typo', 'quoted_local_part'],
    })
    expect(report.suggestion).toBe('"Ann Lee"@outlook.com')
  })

  test('suggests an address even if the domain does not exist', async () => {
    const report = await expectVerdict('undeliverable', {
      email: 'ann@gmail.con',
      zone: '',
      reasons: ['domain_not_found', 'possible_typo'],
    })
    expect(report.suggestion).toBe('ann@gmail.com')
  })
})

describe('disposable address', () => {
  const at = (domain: string, exchange = `mx.${domain}`) =>
    `${domain}. MX 1 ${exchange}.\n${exchange}. A 192.0.2.1`

  test.each([
    ['the domain', 'mailinator.com', at('mailinator.com'), 'mailinator.com'],
    ['a parent domain', 'a.b.mailinator.com', at('a.b.mailinator.com'), 'mailinator.com'],
    ['its mail server', 'acme.test', at('acme.test', 'mail.mailinator.com'), 'mailinator.com'],
    [
      'a mail server without an address',
      'acme.test',
      `${at('acme.test')}\nacme.test. MX 9 x.yopmail.com.`,
      'yopmail.com',
    ],
  ])('%s', async (_, domain, zone, matched) => {
    const report = await expectVerdict('risky', {
      email: `ann@${domain}`,
      zone,
      reasons: ['disposable'],
    })
    expect(report.checks.disposable).toEqual({ disposable: true, matched })
  })

  test.each([
    ['a relay', 'opayq.com', at('opayq.com', 'mx.mailinator.com')],
    ['behind a relay', 'acme.test', at('acme.test', 'mx.33mail.com')],
    ['a name with the same ending', 'notmailinator.test', at('notmailinator.test')],
    ['a name with the same beginning', 'mailinator.com.acme.test', at('mailinator.com.acme.test')],
  ])('%s is not disposable', async (_, domain, zone) => {
    const { checks } = await expectVerdict('ok', { email: `ann@${domain}`, zone, reasons: [] })
    expect(checks.disposable).toEqual({ disposable: false, matched: null })
  })
})

test('gives no reason for free providers and privacy relays', async () => {
  const zone = GOOGLE.replaceAll('acme.test', 'gmail.com')
  expect(await addressReportFromZone('jane.doe@gmail.com', zone)).toMatchObject({
    verdict: 'ok',
    freeProvider: true,
    privacyRelay: false,
  })
  expect(await addressReportFromZone('ann@duck.com', zone.replace('gmail', 'duck'))).toMatchObject({
    verdict: 'ok',
    freeProvider: false,
    privacyRelay: true,
  })
})

describe('address literal', () => {
  const documentation = (address: string): [string, string, string, string[]] => [
    `ann@[${address}]`,
    `[${address}]`,
    'undeliverable',
    ['documentation_address', 'domain_literal'],
  ]

  test.each([
    ['ann@[198.41.0.4]', '[198.41.0.4]', 'risky', ['domain_literal']],
    ['ann@[IPv6:2001:503:BA3E::2:30]', '[IPv6:2001:503:ba3e::2:30]', 'risky', ['domain_literal']],
    ...['192.0.2.1', '198.51.100.7', '203.0.113.5'].map(documentation),
    ...['IPv6:2001:db8::1', 'IPv6:3fff:fff::1', 'IPv6:::ffff:192.0.2.1'].map(documentation),
    ['ann@[IPv6:3fff:1000::1]', '[IPv6:3fff:1000::1]', 'risky', ['domain_literal']],
    ['ann@[10.1.2.3]', '[10.1.2.3]', 'undeliverable', ['private_address', 'domain_literal']],
    ['ann@[169.254.1.1]', '[169.254.1.1]', 'undeliverable', ['private_address', 'domain_literal']],
    ['ann@[0.0.0.0]', '[0.0.0.0]', 'undeliverable', ['private_address', 'domain_literal']],
    [
      'ann@[IPv6:fe80::1]',
      '[IPv6:fe80::1]',
      'undeliverable',
      ['private_address', 'domain_literal'],
    ],
    ['ann@[127.0.0.1]', '[127.0.0.1]', 'undeliverable', ['private_address', 'domain_literal']],
    ['ann@[IPv6:::1]', '[IPv6:::1]', 'undeliverable', ['private_address', 'domain_literal']],
    [
      'info@[IPv6:::ffff:10.0.0.1]',
      '[IPv6:::ffff:10.0.0.1]',
      'undeliverable',
      ['private_address', 'domain_literal', 'role_account'],
    ],
  ])('%s', async (email, domain, verdict, reasons) => {
    const { checked, queries } = await runAddressCheck(email, '')
    const acceptsMail = verdict !== 'undeliverable'
    expect(checked).toMatchObject({
      kind: 'report',
      report: { domain, verdict, reasons, checks: { mx: { acceptsMail, ...NOTHING } } },
    })
    expect(queries).toEqual([])
  })
})

describe('failed lookup', () => {
  test.each([
    ['MX acme.test', GOOGLE],
    ['A smtp.google.com', GOOGLE],
    ['A acme.test', 'acme.test. TXT "x"'],
    ['AAAA mx.test', 'acme.test. MX 10 mx.test.\nmx.test. A 10.0.0.1'],
  ])('returns unavailable when %s fails', async (query, zone) => {
    const { checked } = await runAddressCheck('ann@acme.test', zone, { [query]: 'servfail' })
    expect(checked).toMatchObject({ kind: 'unavailable', failure: { reason: 'servfail' } })
  })

  test.each([
    ['AAAA smtp.google.com', GOOGLE, 'ok'],
    ['A lame.test', `${GOOGLE}\nacme.test. MX 90 lame.test.`, 'ok'],
    ['A acme.test', 'acme.test. AAAA 2001:db8::1', 'risky'],
  ])('of %s does not matter beside a known address', async (query, zone, verdict) => {
    const { checked } = await runAddressCheck('ann@acme.test', zone, { [query]: 'servfail' })
    expect(checked).toMatchObject({ kind: 'report', report: { verdict } })
  })

  test('returns unavailable even for a disposable domain', async () => {
    const failing = { 'MX mailinator.com': 'timeout' } as const
    const { checked } = await runAddressCheck('ann@mailinator.com', '', failing)
    expect(checked.kind).toBe('unavailable')
  })
})

test('takes the worst verdict of all reasons', () => {
  expect(worstVerdict([])).toBe('ok')
  expect(worstVerdict(['role_account'])).toBe('risky')
  expect(worstVerdict(['role_account', 'null_mx', 'disposable'])).toBe('undeliverable')
  expect(worstVerdict(ADDRESS_REASON_CODES)).toBe('undeliverable')
})
