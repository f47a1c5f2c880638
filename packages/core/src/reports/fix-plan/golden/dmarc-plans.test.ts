/** DMARC plans from every starting point to `p=reject`. */
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  EMPTY_GOLDEN_PLAN,
  goldenPlan,
  KEPT_GOOGLE_RECORDS,
  ROLLOUT_ASSUMPTION,
  ROLLOUT_FROM_NO_RECORD,
  ROLLOUT_FROM_NONE,
  stillUses,
  TLS_REPORTS,
} from '../../../../test/support/golden-plan.js'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  IONOS,
  ON_GOOGLE,
  SENDGRID,
  ZENDESK,
} from '../../../../test/support/service-zones.js'

/** Google with everything right but DMARC. */
const SOUND = `${ON_GOOGLE}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  ${keyZoneLine('google')}`

const withDmarc = (tags: string) =>
  `${SOUND}${txtZoneLine('_dmarc.acme.test', `v=DMARC1; ${tags}`)}`

test('plans only optional TLS reports at p=reject without findings', async () => {
  expect(await goldenPlan(withDmarc('p=reject; rua=mailto:dmarc@acme.test'))).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '100 A to 100 A',
    records: [
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
  })
})

const AT_IONOS = `
  acme.test. NS ns1045.ui-dns.de.
  acme.test. NS ns1045.ui-dns.org.
  acme.test. MX 10 mx00.ionos.de.
  acme.test. MX 10 mx01.ionos.de.
  acme.test. TXT "v=spf1 include:_spf-eu.ionos.com ~all"
  _dmarc.acme.test. CNAME dmarc.ionos.de.
  s1-ionos._domainkey.acme.test. CNAME s1.dkim.ionos.com.
  s2-ionos._domainkey.acme.test. CNAME s2.dkim.ionos.com.
  ${txtZoneLine('s1.dkim.ionos.com', GOOD_KEY_RECORD)}
  ${txtZoneLine('s2.dkim.ionos.com', GOOD_KEY_RECORD)}
  ${IONOS}`

test('deletes the CNAME of a reseller at _dmarc before it creates the record', async () => {
  expect(await goldenPlan(AT_IONOS)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'ionos via MX mx00.ionos.de',
    dnsHost: 'ionos via NS ns1045.ui-dns.de',
    score: '62 D to 100 A',
    assumes: [
      'IONOS / 1&1 publishes a valid 2048-bit key at s42582890.dkim.ionos.com.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create CNAME s42582890._domainkey.acme.test s42582890.dkim.ionos.com',
      'delete CNAME _dmarc.acme.test dmarc.ionos.de',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      'keep MX acme.test 10 mx00.ionos.de',
      'keep MX acme.test 10 mx01.ionos.de',
      'keep TXT acme.test v=spf1 include:_spf-eu.ionos.com ~all',
      'keep CNAME s1-ionos._domainkey.acme.test s1.dkim.ionos.com',
      'keep CNAME s2-ionos._domainkey.acme.test s2.dkim.ionos.com',
    ],
    rollout: ROLLOUT_FROM_NO_RECORD,
  })
})

test('CNAME at IONOS: steps and zone file', async () => {
  const { steps, exports } = await planFromZone(AT_IONOS)
  const panel =
    'IONOS: Domains & SSL > gear icon or three dots (next to the domain) > DNS > Add record'
  expect(
    steps
      .filter(({ optional }) => !optional)
      .map(({ title, where, actions }) => ({ title, where, actions })),
  ).toEqual([
    {
      title: 'Add the missing key for IONOS / 1&1',
      where: `${panel} (as of 2026-11)`,
      actions: [
        'Add a CNAME record: name `s42582890._domainkey`, target `s42582890.dkim.ionos.com`, TTL 3600.',
      ],
    },
    {
      title: 'Create a mailbox for the reports',
      where: 'IONOS / 1&1',
      actions: [
        'Create `dmarc@acme.test` as a mailbox, an alias, or a forwarding address. Gmail, Outlook, and other receivers will each send it one report a day.',
      ],
    },
    {
      title: 'Ask receivers for DMARC reports',
      where: `${panel} (as of 2026-11)`,
      actions: [
        'IONOS created the CNAME at _dmarc. Delete it first, because a name with a CNAME can’t have other records.',
        'Delete the CNAME record named `_dmarc` with the value `dmarc.ionos.de`.',
        'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=none; rua=mailto:dmarc@acme.test`, TTL 3600.',
      ],
    },
    {
      title: 'Read the reports, then tighten the policy in stages',
      where: 'Your report mailbox',
      actions: [
        'Each receiver sends one compressed XML file a day. Save the files in a folder and run the free command npx mailgrade reports <folder>. You’ll see who sends as you, and whether the next stage is safe. A DMARC report service can also do this for you. Most give you an address to add to rua= in the DMARC record.',
        'In the reports, find each service that sends your mail, and check that it passes DMARC. Look at everything that fails. It’s either forged, forwarded, or from one of your senders that isn’t set up yet.',
        'Move on to stage 2 once you meet all the conditions of stage 1, but not before 2026-12-16.',
        'For each stage, change the value of the TXT record `_dmarc.acme.test` to the one for that stage. Do this at IONOS: Domains & SSL > gear icon or three dots (next to the domain) > DNS (as of 2026-11).',
      ],
    },
  ])
  expect(
    exports.zoneFile,
  ).toBe(`s42582890._domainkey.acme.test. 3600 IN CNAME s42582890.dkim.ionos.com.
; Delete: _dmarc.acme.test. 3600 IN CNAME dmarc.ionos.de.
_dmarc.acme.test. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"
`)
})

const NEWS = `
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 1 smtp.google.com.
  news.acme.test. MX 1 smtp.google.com.
  news.acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  ${txtZoneLine('google._domainkey.news.acme.test', GOOD_KEY_RECORD)}
  ${GOOGLE}`

test('plans only optional TLS reports for a subdomain that inherits p=reject', async () => {
  const zone = `${NEWS}${txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject; rua=mailto:dmarc@acme.test')}`
  expect(await goldenPlan(zone, 'news.acme.test')).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '100 A to 100 A',
    records: [
      // The mailbox of the DMARC reports exists; no step creates one at the subdomain.
      'create TXT _smtp._tls.news.acme.test v=TLSRPTv1; rua=mailto:dmarc@acme.test',
      'keep MX news.acme.test 1 smtp.google.com',
      'keep TXT news.acme.test v=spf1 include:_spf.google.com ~all',
      `keep TXT google._domainkey.news.acme.test ${GOOD_KEY_RECORD}`,
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
  })
})

const SHOP = `
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 1 smtp.google.com.
  _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"
  shop.acme.test. A 192.0.2.80
  shop.acme.test. TXT "v=spf1 include:sendgrid.net ~all"
  ${GOOGLE}${SENDGRID}`

test('plans a rollout for a subdomain that inherits p=none', async () => {
  expect(await goldenPlan(SHOP, 'shop.acme.test')).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: null,
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: ['sendgrid via include:sendgrid.net (unsure)'],
    score: '39 F to 86 B',
    assumes: [
      'The record at s1._domainkey.shop.acme.test has a valid 2048-bit key.',
      'The record at s2._domainkey.shop.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create CNAME s1._domainkey.shop.acme.test s1.domainkey.{sendgrid-account}.sendgrid.net',
      'create CNAME s2._domainkey.shop.acme.test s2.domainkey.{sendgrid-account}.sendgrid.net',
      'create CNAME em{sendgrid-number}.shop.acme.test {sendgrid-account}.sendgrid.net',
      'keep TXT shop.acme.test v=spf1 include:sendgrid.net ~all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ],
    placeholders: {
      'CNAME s1._domainkey.shop.acme.test': ['{sendgrid-account}'],
      'CNAME s2._domainkey.shop.acme.test': ['{sendgrid-account}'],
      'CNAME em{sendgrid-number}.shop.acme.test': ['{sendgrid-number}', '{sendgrid-account}'],
    },
    onlyIf: {
      'CNAME s1._domainkey.shop.acme.test': stillUses('Twilio SendGrid'),
      'CNAME s2._domainkey.shop.acme.test': stillUses('Twilio SendGrid'),
      'CNAME em{sendgrid-number}.shop.acme.test': stillUses('Twilio SendGrid'),
    },
    rollout: [
      '30 days: _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      '7 days: _dmarc.shop.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test; t=y; pct=0',
      '30 days: _dmarc.shop.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
      '7 days: _dmarc.shop.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test; t=y; pct=0',
      '0 days: _dmarc.shop.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
    warnings: ['mx.implicit'],
  })
})

test('publishes later stages at the subdomain and rolls back by deleting that record', async () => {
  const { rollout } = await planFromZone(SHOP, { domain: 'shop.acme.test' })
  const rollback =
    'Delete the record at _dmarc.shop.acme.test, so that the record at _dmarc.acme.test applies again, and find the sender in the reports.'
  expect(rollout.map(({ record, rollback: back }) => [record.name, back]).slice(1, 3)).toEqual([
    ['_dmarc.shop.acme.test', rollback],
    ['_dmarc.shop.acme.test', rollback],
  ])
})

test('p=reject with sp=none and pct: moves subdomains in stages', async () => {
  const zone = withDmarc('p=reject; sp=none; pct=50; rua=mailto:dmarc@acme.test')
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '85 B to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; sp=none; pct=50; rua=mailto:dmarc@acme.test',
    ],
    rollout: [
      '30 days: _dmarc.acme.test v=DMARC1; p=reject; sp=none; pct=50; rua=mailto:dmarc@acme.test',
      '30 days: _dmarc.acme.test v=DMARC1; p=reject; sp=quarantine; rua=mailto:dmarc@acme.test',
      '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
  })
})

test.each(['p=reject; sp=none', 'p=reject; sp=quarantine', 'p=reject; pct=50'])(
  'no stage says that nothing comes after it when something does: %s',
  async (policy) => {
    const { rollout } = await planFromZone(withDmarc(`${policy}; rua=mailto:dmarc@acme.test`))
    expect(rollout.length).toBeGreaterThan(1)
    for (const { proceedWhen, minimumDays } of rollout.slice(0, -1)) {
      expect(proceedWhen.join(' ')).not.toMatch(/This is the last stage/)
      expect(proceedWhen.length).toBeGreaterThan(1)
      expect(minimumDays).toBeGreaterThan(0)
    }
    expect(rollout.at(-1)?.proceedWhen).toEqual([
      'This is the last stage. Keep reading the reports, because new services that send for you show up there first.',
    ])
  },
)

test('p=quarantine with pct: first covers all mail', async () => {
  expect(await goldenPlan(withDmarc('p=quarantine; pct=20; rua=mailto:dmarc@acme.test'))).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '74 C to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; pct=20; rua=mailto:dmarc@acme.test',
    ],
    rollout: [
      '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; pct=20; rua=mailto:dmarc@acme.test',
      '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
      '7 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test; t=y; pct=0',
      '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
  })
})

test('p=reject with t=y: one stage left', async () => {
  expect(await goldenPlan(withDmarc('p=reject; t=y; rua=mailto:dmarc@acme.test'))).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '94 A to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; t=y; rua=mailto:dmarc@acme.test',
    ],
    rollout: [
      '30 days: _dmarc.acme.test v=DMARC1; p=reject; t=y; rua=mailto:dmarc@acme.test',
      '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
  })
})

test('two SPF and two DMARC records: keeps one of each and all addresses', async () => {
  const zone = `${ON_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com -all"
    acme.test. TXT "v=spf1 include:mail.zendesk.com ~all"
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@acme.test"
    _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:old@acme.test"
    ${keyZoneLine('google')}${ZENDESK}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: ['zendesk via include:mail.zendesk.com (likely)'],
    score: '35 F to 100 A',
    assumes: [
      'Zendesk publishes a valid 2048-bit key at zendesk1._domainkey.zendesk.com.',
      'Zendesk publishes a valid 2048-bit key at zendesk2._domainkey.zendesk.com.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'replace TXT acme.test v=spf1 include:_spf.google.com include:mail.zendesk.com ~all',
      'create CNAME zendesk1._domainkey.acme.test zendesk1._domainkey.zendesk.com',
      'create CNAME zendesk2._domainkey.acme.test zendesk2._domainkey.zendesk.com',
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test,mailto:old@acme.test',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
    ],
    replaces: {
      'TXT acme.test': [
        'v=spf1 include:_spf.google.com -all',
        'v=spf1 include:mail.zendesk.com ~all',
      ],
      'TXT _dmarc.acme.test': [
        'v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
        'v=DMARC1; p=none; rua=mailto:old@acme.test',
      ],
    },
    rollout: [
      '30 days: _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test,mailto:old@acme.test',
      '7 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test,mailto:old@acme.test; t=y; pct=0',
      '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test,mailto:old@acme.test',
      '7 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test,mailto:old@acme.test; t=y; pct=0',
      '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test,mailto:old@acme.test',
    ],
  })
})

const MISSED = `${ON_GOOGLE}
  acme.test. TXT "v=spf1; include:_spf.google.com ~all"
  _dmarc.acme.test. TXT "v=DMARC1; p=bogus; rua=mailto:dmarc@acme.test"
  ${keyZoneLine('google')}`

test('repairs records that receivers do not read', async () => {
  expect(await goldenPlan(MISSED)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '37 F to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      'replace TXT acme.test v=spf1 include:_spf.google.com ~all',
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
    ],
    replaces: {
      'TXT acme.test': ['v=spf1; include:_spf.google.com ~all'],
      'TXT _dmarc.acme.test': ['v=DMARC1; p=bogus; rua=mailto:dmarc@acme.test'],
    },
    rollout: ROLLOUT_FROM_NONE,
  })
})

test('explains the faults of the records that it replaces', async () => {
  const { records } = await planFromZone(MISSED)
  const why = (purpose: string) => records.find((record) => record.purpose === purpose)?.why
  expect(why('spf')).toMatch(/v=spf1;/)
  expect(why('dmarc')).toMatch(/bogus/)
})

test('replaces p=none without a report address', async () => {
  expect(await goldenPlan(withDmarc('p=bogus'))).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '57 F to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
    ],
    replaces: { 'TXT _dmarc.acme.test': ['v=DMARC1; p=bogus'] },
    rollout: ROLLOUT_FROM_NO_RECORD,
  })
})

test.each([
  ['p=none; p=reject', 'p=none'],
  ['p=reject; p=none', 'p=none'],
  ['p=quarantine; sp=none; sp=reject', 'p=quarantine; sp=none'],
  ['p=reject; sp=reject; sp=bogus', 'p=none'],
])('starts from the weakest value that a receiver may read: %s', async (tags, kept) => {
  const rua = 'rua=mailto:dmarc@acme.test'
  const { records } = await planFromZone(withDmarc(`${tags}; ${rua}`))
  expect(records.find(({ purpose }) => purpose === 'dmarc')).toMatchObject({
    action: 'replace',
    value: `v=DMARC1; ${kept}; ${rua}`,
    why: expect.stringContaining('appears twice, so a receiver that reads the first value applies'),
  })
})

test('unauthorized report destination: asks it to agree and adds an own mailbox', async () => {
  const zone = `${withDmarc('p=none; rua=mailto:acme@reports.example')}
    reports.example. MX 10 mx.reports.example.
    mx.reports.example. A 192.0.2.25`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '62 D to 100 A',
    assumes: ['reports.example agrees to receive the reports.', ROLLOUT_ASSUMPTION],
    records: [
      'create TXT acme.test._report._dmarc.reports.example v=DMARC1',
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:acme@reports.example,mailto:dmarc@acme.test',
      TLS_REPORTS,
      ...KEPT_GOOGLE_RECORDS,
    ],
    replaces: { 'TXT _dmarc.acme.test': ['v=DMARC1; p=none; rua=mailto:acme@reports.example'] },
    rollout: [
      '30 days: _dmarc.acme.test v=DMARC1; p=none; rua=mailto:acme@reports.example,mailto:dmarc@acme.test',
      '7 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:acme@reports.example,mailto:dmarc@acme.test; t=y; pct=0',
      '30 days: _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:acme@reports.example,mailto:dmarc@acme.test',
      '7 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:acme@reports.example,mailto:dmarc@acme.test; t=y; pct=0',
      '0 days: _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:acme@reports.example,mailto:dmarc@acme.test',
    ],
  })
})

test('lists a record of another operator as an assumption', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    acme.test. TXT "v=spf1 -all"
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:acme@reports.example"
    reports.example. MX 5 mx.reports.example.
    mx.reports.example. A 192.0.2.1`
  const { projected } = await planFromZone(zone)
  expect(projected.assumes.join(' ')).toBe('reports.example agrees to receive the reports.')
})

test('sends no reports to a web server without MX', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    acme.test. TXT "v=spf1 a -all"`
  const { records, warnings } = await planFromZone(zone)
  expect(warnings.map(({ id }) => id)).toEqual(['mx.implicit'])
  const dmarc = records.find(({ purpose }) => purpose === 'dmarc')
  expect(dmarc?.value).toBe('v=DMARC1; p=none; rua=mailto:{report-mailbox}')
})

test('keeps policy and reports of a record behind a CNAME, and edits it at the target', async () => {
  const zone = `${SOUND}
    _dmarc.acme.test. CNAME acme.test.dmarc.vendor.example.
    acme.test.dmarc.vendor.example. TXT "v=DMARC1; p=quarantine; rua=mailto:acme@vendor.example"
    vendor.example. MX 10 mx.vendor.example.
    mx.vendor.example. A 192.0.2.66
    *._report._dmarc.vendor.example. TXT "v=DMARC1"`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '94 A to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [...KEPT_GOOGLE_RECORDS, 'keep CNAME _dmarc.acme.test acme.test.dmarc.vendor.example'],
    rollout: [
      '30 days: acme.test.dmarc.vendor.example v=DMARC1; p=quarantine; rua=mailto:acme@vendor.example',
      '7 days: acme.test.dmarc.vendor.example v=DMARC1; p=reject; rua=mailto:acme@vendor.example; t=y; pct=0',
      '0 days: acme.test.dmarc.vendor.example v=DMARC1; p=reject; rua=mailto:acme@vendor.example',
    ],
  })
})

test('rolls back the policy also for receivers that ignore t=y', async () => {
  const { rollout } = await planFromZone(SOUND)
  const backTo = rollout.map(({ rollback }) => /"(v=DMARC1[^"]*)"/.exec(rollback)?.[1] ?? null)
  const [none, , quarantine] = rollout.map(({ record }) => record.value)
  // RFC 7489 knows no `t`: to such a receiver "p=reject; t=y" is "p=reject".
  expect(backTo).toEqual([null, none, none, quarantine, quarantine])
})

test('requires DKIM for every sender before p=reject', async () => {
  const { rollout } = await planFromZone(SOUND)
  const before = rollout.filter((_, index) =>
    /p=reject/.test(rollout[index + 1]?.record.value ?? ''),
  )
  expect(before).toHaveLength(2)
  expect(before[0]?.proceedWhen).toContain(
    'Each of them passes DMARC with DKIM, because SPF alone breaks when mail is forwarded (RFC 9989 §7.4).',
  )
})

test('begins with the reports if only later stages have changes', async () => {
  const { steps, summary } = await planFromZone(withDmarc('p=none; rua=mailto:dmarc@acme.test'))
  expect(summary).toContain('You don’t need to change anything today.')
  expect(steps.map(({ title, optional }) => [title, optional])).toEqual([
    ['Read the reports, then tighten the policy in stages', false],
    ['Get reports about incoming mail that couldn’t be encrypted (TLS-RPT)', true],
    ['Require encryption for incoming mail (MTA-STS)', true],
    ['Show your logo next to your mail (BIMI)', true],
  ])
  expect(steps[0]).toMatchObject({
    where: 'Cloudflare: your domain > Email > DMARC Management',
    actions: expect.arrayContaining([
      'Stage 1 is already published. Move on to stage 2 once stage 1 has been published for at least 30 days and you meet all its conditions.',
    ]),
    records: [],
  })
})
