/** What the mail servers and name servers of a domain say about its addresses. */
import { describe, expect, test } from 'vitest'
import { addressReportFromZone, runAddressCheck } from '../../../test/support/address-fixture.js'

const mailAt = (domain: string, exchange: string) =>
  `${domain}. MX 1 ${exchange}.\n${exchange}. A 192.0.2.1\n`
const OWN_SERVER = mailAt('acme.test', 'mx.acme.test')

describe('a parked domain is risky', () => {
  test.each([
    ['park-mx.above.com'],
    ['mail.h-email.net'],
    ['parkmail.dynadot.com'],
    ['mx.sedoparking.com'],
    ['mail.parkingcrew.net'],
  ])('by its mail server %s, without another query', async (exchange) => {
    const { checked, queries } = await runAddressCheck(
      'ann@acme.test',
      mailAt('acme.test', exchange),
    )
    expect(checked).toMatchObject({
      report: {
        verdict: 'risky',
        reasons: ['parked_domain'],
        checks: { mx: { acceptsMail: true }, parking: { parked: true, matched: exchange } },
      },
    })
    expect(queries).toEqual(['MX acme.test', `A ${exchange}`, `AAAA ${exchange}`])
  })

  test.each([
    ...['sedoparking.com', 'parkingcrew.net', 'bodis.com', 'above.com', 'afternic.com', 'dan.com'],
    ...['parklogic.com', 'undeveloped.com', 'cashparking.com', 'hugedomains.com', 'ztomy.com'],
  ])('by its name servers at %s', async (service) => {
    const zone = `acme.test. NS ns1.${service}.\nacme.test. NS ns2.${service}.`
    const report = await addressReportFromZone('ann@acme.test', OWN_SERVER + zone)
    expect([report.verdict, report.reasons]).toEqual(['risky', ['parked_domain']])
    expect(report.checks.parking).toEqual({ parked: true, matched: `ns1.${service}` })
  })

  test('by the name servers of the registrable domain', async () => {
    const zone = `${mailAt('a.b.acme.test', 'mx.acme.test')}acme.test. NS ns1.bodis.com.`
    const { checked, queries } = await runAddressCheck('ann@a.b.acme.test', zone)
    expect(checked).toMatchObject({ report: { reasons: ['parked_domain'] } })
    expect(queries.filter((query) => query.startsWith('NS'))).toEqual(['NS acme.test'])
  })
})

describe('not parked', () => {
  test.each([
    ['Hostinger', 'acme.test. NS ns1.dns-parking.com.'],
    ['GoDaddy', 'acme.test. NS ns01.domaincontrol.com.'],
    ['Spaceship', 'acme.test. NS launch1.spaceship.net.'],
    ['NameBright', 'acme.test. NS ns1.namebrightdns.com.'],
    ['an own name server', 'acme.test. NS ns1.acme.test.'],
    [
      'another name server beside',
      'acme.test. NS ns1.sedoparking.com.\nacme.test. NS ns1.acme.test.',
    ],
    ['no answer', ''],
  ])('%s', async (_, zone) => {
    const { verdict, reasons, checks } = await addressReportFromZone(
      'ann@acme.test',
      OWN_SERVER + zone,
    )
    expect([verdict, reasons, checks.parking]).toEqual(['ok', [], { parked: false, matched: null }])
  })

  test('as far as known, when the name servers could not be looked up', async () => {
    const zone = `${OWN_SERVER}acme.test. NS ns1.sedoparking.com.`
    const { checked } = await runAddressCheck('ann@acme.test', zone, {
      'NS acme.test': 'servfail',
    })
    expect(checked).toMatchObject({
      report: { verdict: 'ok', reasons: [], checks: { parking: { parked: null, matched: null } } },
    })
  })
})

describe('name servers are not queried', () => {
  test.each([
    ['jane.doe@gmail.com', mailAt('gmail.com', 'gmail-smtp-in.l.google.com'), false],
    ['ann@acme.test', mailAt('acme.test', 'smtp.google.com'), false],
    ['ann@acme.test', mailAt('acme.test', 'eu-smtp-inbound-1.mimecast.com'), false],
    ['ann@acme.test', 'acme.test. A 192.0.2.1', null],
    ['ann@acme.test', 'acme.test. MX 0 .', null],
    ['ann@acme.test', 'acme.test. MX 1 gone.acme.test.', null],
    ['ann@[198.41.0.4]', '', null],
  ])('%s with %j', async (email, zone, parked) => {
    const { checked, queries } = await runAddressCheck(email, zone)
    expect(queries.filter((query) => query.startsWith('NS'))).toEqual([])
    expect(checked).toMatchObject({ report: { checks: { parking: { parked, matched: null } } } })
  })
})

describe('localhost as mail server', () => {
  test.each([
    ['localhost', ''],
    ['localhost', 'localhost. A 127.0.0.1'],
    ['localhost', 'localhost. A 192.0.2.1'],
    ['mx.localhost', ''],
  ])('%s is undeliverable: %j', async (exchange, zone) => {
    const report = await addressReportFromZone(
      'ann@acme.test',
      `acme.test. MX 0 ${exchange}.\n${zone}`,
    )
    expect([report.verdict, report.reasons]).toEqual(['undeliverable', ['private_address']])
    expect(report.checks.mx.acceptsMail).toBe(false)
  })

  test('is undeliverable even if its address could not be looked up', async () => {
    const { checked } = await runAddressCheck('ann@acme.test', 'acme.test. MX 0 localhost.', {
      'A localhost': 'servfail',
    })
    expect(checked).toMatchObject({ report: { reasons: ['private_address'] } })
  })

  test('does not matter beside a working server', async () => {
    const zone = `${OWN_SERVER}acme.test. MX 0 localhost.`
    expect((await addressReportFromZone('ann@acme.test', zone)).verdict).toBe('ok')
  })
})

describe('provider of a free mailbox', () => {
  test.each([
    ['gmail.com', 'gmail-smtp-in.l.google.com', 'gmail', 'Gmail'],
    ['googlemail.com', 'alt3.gmail-smtp-in.l.google.com', 'gmail', 'Gmail'],
    ['outlook.com', 'outlook-com.olc.protection.outlook.com', 'outlook', 'Outlook.com'],
    ['hotmail.com', 'hotmail-com.olc.protection.outlook.com', 'outlook', 'Outlook.com'],
    ['yahoo.com', 'mta5.am0.yahoodns.net', 'yahoo', 'Yahoo Mail'],
    ['yahoo.de', 'mx-eu.mail.am0.yahoodns.net', 'yahoo', 'Yahoo Mail'],
    ['aol.com', 'mx-aol.mail.gm0.yahoodns.net', 'aol', 'AOL Mail'],
    ['icloud.com', 'mx01.mail.icloud.com', 'icloud-mail', 'iCloud Mail'],
    ['me.com', 'mx02.mail.icloud.com', 'icloud-mail', 'iCloud Mail'],
    ['gmx.de', 'mx00.gmx.net', 'gmx', 'GMX'],
    ['gmx.net', 'mx01.gmx.net', 'gmx', 'GMX'],
    ['web.de', 'mx-ha02.web.de', 'webde', 'WEB.DE'],
    ['mail.com', 'mx00.mail.com', 'mailcom', 'mail.com'],
    ['mail.ru', 'mxs.mail.ru', 'mail-ru', 'Mail.ru'],
    ['yandex.ru', 'mx.yandex.ru', 'yandex-mail', 'Yandex Mail'],
    ['qq.com', 'mx1.qq.com', 'qq', 'QQ Mail'],
    ['163.com', '163mx01.mxmail.netease.com', 'netease', 'NetEase Mail'],
    ['proton.me', 'mail.protonmail.ch', 'proton', 'Proton Mail'],
    ['fastmail.com', 'in1-smtp.messagingengine.com', 'fastmail', 'Fastmail'],
  ])('%s', async (domain, exchange, id, name) => {
    const { verdict, checks } = await addressReportFromZone(
      `jane.doe@${domain}`,
      mailAt(domain, exchange),
    )
    expect([verdict, checks.mx.provider]).toEqual(['ok', { id, name, kind: 'mailbox' }])
  })

  test.each([
    ['mx01.mail.icloud.com', 'icloud'],
    ['mx.yandex.ru', 'yandex'],
    ['aspmx.l.google.com', 'google'],
    ['acme-test.mail.protection.outlook.com', 'microsoft365'],
  ])('%s serves a domain of a customer with the business product', async (exchange, id) => {
    const { checks } = await addressReportFromZone('ann@acme.test', mailAt('acme.test', exchange))
    expect(checks.mx.provider?.id).toBe(id)
  })
})

describe('a server that may accept every address', () => {
  test.each([
    ['eu-smtp-inbound-1.mimecast.com', 'gateway', true],
    ['mx0a-00112233.pphosted.com', 'gateway', true],
    ['d12345.ess.barracudanetworks.com', 'gateway', true],
    ['smtp.google.com', 'mailbox', false],
    ['mx1.improvmx.com', 'forwarder', null],
    ['mx.acme.test', undefined, null],
  ])('%s', async (exchange, kind, mayAcceptAll) => {
    const { verdict, reasons, checks } = await addressReportFromZone(
      'jane.doe@acme.test',
      mailAt('acme.test', exchange),
    )
    expect([verdict, reasons]).toEqual(['ok', []])
    expect([checks.mx.provider?.kind, checks.mx.mayAcceptAll]).toEqual([kind, mayAcceptAll])
  })

  test('is a fact beside the reasons', async () => {
    const zone = mailAt('acme.test', 'eu-smtp-inbound-1.mimecast.com')
    const { reasons, checks } = await addressReportFromZone('contact@acme.test', zone)
    expect([reasons, checks.mx.mayAcceptAll]).toEqual([['role_account'], true])
  })

  test('is unknown when no mail can be delivered', async () => {
    const zone = 'acme.test. MX 1 gone.mimecast.com.'
    const { verdict, checks } = await addressReportFromZone('ann@acme.test', zone)
    expect([verdict, checks.mx.mayAcceptAll]).toEqual(['undeliverable', null])
  })
})
