/** The plan of a domain with only MX records, for every mailbox provider. */
import { expect, test } from 'vitest'
import { planFromZone } from '../../../../test/support/plan-fixture.js'
import { findProviderByMx, MAILBOX_PROVIDERS } from '../../../catalog/mail-services.js'
import type { PlanOptions } from '../plan-context.js'

interface Row {
  readonly id: string
  readonly mx: string
  /** The terms of the SPF record; empty if the provider needs none, null if only it knows them. */
  readonly spf: string | null
  /** `selector TYPE value`; null where only the provider can tell whether it signs, and how. */
  readonly dkim: readonly string[] | null
  /** It has no mailboxes. */
}

/** The key of a service, which only the service can tell. */
const keyOf = (id: string) => `TXT v=DKIM1; k=rsa; p={${id}-public-key}`
/** The selector as well. */
const untold = (id: string) => [`{${id}-selector} ${keyOf(id)}`]
/** Mailboxes that the gateway hides. */
const HIDDEN = '{mailbox-provider-selector} TXT {mailbox-provider-dkim-record}'

// Taken from the documentation of the providers, not from the catalog.
const TABLE: readonly Row[] = [
  {
    id: 'google',
    mx: 'smtp.google.com',
    spf: 'include:_spf.google.com',
    dkim: [`google ${keyOf('google')}`],
  },
  {
    id: 'google',
    mx: 'aspmx.l.google.com',
    spf: 'include:_spf.google.com',
    dkim: [`google ${keyOf('google')}`],
  },
  {
    id: 'google',
    mx: 'alt1.aspmx.l.google.com',
    spf: 'include:_spf.google.com',
    dkim: [`google ${keyOf('google')}`],
  },
  {
    id: 'google',
    mx: 'aspmx2.googlemail.com',
    spf: 'include:_spf.google.com',
    dkim: [`google ${keyOf('google')}`],
  },
  {
    id: 'microsoft365-gov',
    mx: 'acme.mail.protection.office365.us',
    spf: 'include:spf.protection.office365.us',
    dkim: [
      'selector1 CNAME {microsoft365-gov-target-1}',
      'selector2 CNAME {microsoft365-gov-target-2}',
    ],
  },
  {
    id: 'transip',
    mx: 'mx.transip.email',
    spf: 'include:_spf.transip.email',
    dkim: [
      'transip-a CNAME _dkim-a.transip.email',
      'transip-b CNAME _dkim-b.transip.email',
      'transip-c CNAME _dkim-c.transip.email',
    ],
  },
  {
    id: 'microsoft365',
    mx: 'acme-test.mail.protection.outlook.com',
    spf: 'include:spf.protection.outlook.com',
    dkim: ['selector1 CNAME {microsoft365-target-1}', 'selector2 CNAME {microsoft365-target-2}'],
  },
  {
    id: 'microsoft365',
    mx: 'acme-test.n-v1.mx.microsoft',
    spf: 'include:spf.protection.outlook.com',
    dkim: ['selector1 CNAME {microsoft365-target-1}', 'selector2 CNAME {microsoft365-target-2}'],
  },
  { id: 'zoho', mx: 'mx.zoho.com', spf: 'include:zohomail.com', dkim: untold('zoho') },
  { id: 'zoho', mx: 'mx.zoho.eu', spf: 'include:zohomail.eu', dkim: untold('zoho') },
  { id: 'zoho', mx: 'mx.zoho.in', spf: 'include:zohomail.in', dkim: untold('zoho') },
  {
    id: 'fastmail',
    mx: 'in1-smtp.messagingengine.com',
    spf: 'include:spf.messagingengine.com',
    dkim: [
      'fm1 CNAME fm1.acme.test.dkim.fmhosted.com',
      'fm2 CNAME fm2.acme.test.dkim.fmhosted.com',
      'fm3 CNAME fm3.acme.test.dkim.fmhosted.com',
    ],
  },
  {
    id: 'proton',
    mx: 'mail.protonmail.ch',
    spf: 'include:_spf.protonmail.ch',
    dkim: [
      'protonmail CNAME protonmail.domainkey.{proton-token}.domains.proton.ch',
      'protonmail2 CNAME protonmail2.domainkey.{proton-token}.domains.proton.ch',
      'protonmail3 CNAME protonmail3.domainkey.{proton-token}.domains.proton.ch',
    ],
  },
  {
    id: 'icloud',
    mx: 'mx01.mail.icloud.com',
    spf: 'include:icloud.com',
    dkim: ['sig1 CNAME sig1.dkim.acme.test.at.icloudmailadmin.com'],
  },
  {
    id: 'yandex',
    mx: 'mx.yandex.net',
    spf: 'include:_spf.yandex.net',
    dkim: ['mail TXT v=DKIM1; k=rsa; t=s; p={yandex-public-key}'],
  },
  {
    id: 'mailru',
    mx: 'emx.mail.ru',
    spf: 'include:_spf.mail.ru',
    dkim: [`mailru ${keyOf('mailru')}`],
  },
  {
    id: 'migadu',
    mx: 'aspmx1.migadu.com',
    spf: 'include:spf.migadu.com',
    dkim: [
      'key1 CNAME key1.acme.test._domainkey.migadu.com',
      'key2 CNAME key2.acme.test._domainkey.migadu.com',
      'key3 CNAME key3.acme.test._domainkey.migadu.com',
    ],
  },
  {
    id: 'mailboxorg',
    mx: 'mxext1.mailbox.org',
    spf: 'include:mailbox.org',
    dkim: [
      'mbo0001 CNAME mbo0001._domainkey.mailbox.org',
      'mbo0002 CNAME mbo0002._domainkey.mailbox.org',
      'mbo0003 CNAME mbo0003._domainkey.mailbox.org',
      'mbo0004 CNAME mbo0004._domainkey.mailbox.org',
    ],
  },
  {
    id: 'namecheap',
    mx: 'mx1.privateemail.com',
    spf: 'include:spf.privateemail.com',
    dkim: untold('namecheap'),
  },
  {
    id: 'namecheap-fwd',
    mx: 'eforward1.registrar-servers.com',
    spf: 'include:spf.efwd.registrar-servers.com',
    dkim: [],
  },
  {
    id: 'rackspace',
    mx: 'mx1.emailsrvr.com',
    spf: 'include:emailsrvr.com',
    dkim: untold('rackspace'),
  },
  { id: 'titan', mx: 'mx1.titan.email', spf: 'include:spf.titan.email', dkim: untold('titan') },
  { id: 'flock', mx: 'mx.flockmail.com', spf: 'include:spf.flockmail.com', dkim: null },
  {
    id: 'godaddy',
    mx: 'smtp.secureserver.net',
    spf: 'include:secureserver.net',
    dkim: [
      'secureserver1 CNAME s1.dkim.acme_test.{godaddy-code}.onsecureserver.net',
      'secureserver2 CNAME s2.dkim.acme_test.{godaddy-code}.onsecureserver.net',
    ],
  },
  {
    id: 'ovh',
    mx: 'mx1.mail.ovh.net',
    spf: 'include:mx.ovh.com',
    dkim: [
      '{ovh-selector-1} CNAME {ovh-selector-1}._domainkey.{ovh-number-1}.{ovh-zone}.dkim.mail.ovh.net',
      '{ovh-selector-2} CNAME {ovh-selector-2}._domainkey.{ovh-number-2}.{ovh-zone}.dkim.mail.ovh.net',
    ],
  },
  ...[
    ['mx00.ionos.de', 'include:_spf-eu.ionos.com'],
    ['mx00.ionos.co.uk', 'include:_spf-eu.ionos.com'],
    ['mx00.kundenserver.de', 'include:_spf-eu.ionos.com'],
    ['mx00.ionos.com', 'include:_spf-us.ionos.com'],
    ['mx00.perfora.net', 'include:_spf-us.ionos.com'],
  ].map(([mx = '', spf = '']) => ({
    id: 'ionos',
    mx,
    spf,
    dkim: [
      's1-ionos CNAME s1.dkim.ionos.com',
      's2-ionos CNAME s2.dkim.ionos.com',
      's42582890 CNAME s42582890.dkim.ionos.com',
    ],
  })),
  {
    id: 'gandi',
    mx: 'spool.mail.gandi.net',
    spf: 'include:_mailcust.gandi.net',
    dkim: [
      'gm1 CNAME gm1.gandimail.net',
      'gm2 CNAME gm2.gandimail.net',
      'gm3 CNAME gm3.gandimail.net',
    ],
  },
  {
    id: 'hostinger',
    mx: 'mx1.hostinger.com',
    spf: 'include:_spf.mail.hostinger.com',
    dkim: [
      'hostingermail-a CNAME hostingermail-a.dkim.mail.hostinger.com',
      'hostingermail-b CNAME hostingermail-b.dkim.mail.hostinger.com',
      'hostingermail-c CNAME hostingermail-c.dkim.mail.hostinger.com',
    ],
  },
  {
    id: 'workmail',
    mx: 'inbound-smtp.eu-west-1.amazonaws.com',
    spf: '',
    dkim: [
      '{workmail-token-1} CNAME {workmail-token-1}.dkim.amazonses.com',
      '{workmail-token-2} CNAME {workmail-token-2}.dkim.amazonses.com',
      '{workmail-token-3} CNAME {workmail-token-3}.dkim.amazonses.com',
    ],
  },
  {
    id: 'cloudflare',
    mx: 'route1.mx.cloudflare.net',
    spf: 'include:_spf.mx.cloudflare.net',
    dkim: [],
  },
  {
    id: 'improvmx',
    mx: 'mx1.improvmx.com',
    spf: 'include:spf.improvmx.com',
    dkim: [
      'dkimprovmx1 CNAME dkimprovmx1.improvmx.com',
      'dkimprovmx2 CNAME dkimprovmx2.improvmx.com',
    ],
  },
  {
    id: 'forwardemail',
    mx: 'mx1.forwardemail.net',
    spf: 'include:spf.forwardemail.net',
    dkim: untold('forwardemail'),
  },
  {
    id: 'tuta',
    mx: 'mail.tutanota.de',
    spf: 'include:spf.tutanota.de',
    dkim: ['s1 CNAME s1.domainkey.tutanota.de', 's2 CNAME s2.domainkey.tutanota.de'],
  },
  {
    id: 'purelymail',
    mx: 'mailserver.purelymail.com',
    spf: 'include:_spf.purelymail.com',
    dkim: [
      'purelymail1 CNAME key1.dkimroot.purelymail.com',
      'purelymail2 CNAME key2.dkimroot.purelymail.com',
      'purelymail3 CNAME key3.dkimroot.purelymail.com',
    ],
  },
  {
    id: 'mxroute',
    mx: 'eagle.mxrouting.net',
    spf: 'include:mxroute.com',
    dkim: [`x ${keyOf('mxroute')}`],
  },
  {
    id: 'mxroute',
    mx: 'eagle.mxlogin.com',
    spf: 'include:mxroute.com',
    dkim: [`x ${keyOf('mxroute')}`],
  },
  {
    id: 'infomaniak',
    mx: 'mta-gw.infomaniak.ch',
    spf: 'include:spf.infomaniak.ch',
    dkim: ['{infomaniak-selector} TXT v=DKIM1; t=s; p={infomaniak-public-key}'],
  },
  {
    id: 'dreamhost',
    mx: 'mx1.dreamhost.com',
    spf: 'include:netblocks.dreamhost.com include:relay.mailchannels.net',
    dkim: ['dreamhost TXT v=DKIM1; k=rsa; h=sha256; p={dreamhost-public-key}'],
  },
  {
    id: 'hey',
    mx: 'work-mx.app.hey.com',
    spf: 'include:_spf.hey.com',
    dkim: ['heymail CNAME heymail._domainkey.hey.com'],
  },
  {
    id: 'runbox',
    mx: 'mx.runbox.com',
    spf: 'include:spf.runbox.com',
    dkim: [
      'selector1 CNAME selector1-acme-test.domainkey.runbox.com',
      'selector2 CNAME selector2-acme-test.domainkey.runbox.com',
    ],
  },
  {
    id: 'strato',
    mx: 'smtpin.rzone.de',
    spf: 'include:_spf.strato.com',
    dkim: [
      'strato-dkim-0002 CNAME strato-dkim-0002._domainkey.rzone.de',
      'strato-dkim-0003 CNAME strato-dkim-0003._domainkey.rzone.de',
    ],
  },
  {
    id: 'yahoo-biz',
    mx: 'mta5.am0.yahoodns.net',
    spf: 'include:_spf.mail.yahoo.com',
    dkim: null,
  },
  {
    id: 'intermedia',
    mx: 'west.smtp.mx.exch080.serverdata.net',
    spf: 'include:spf.intermedia.net',
    dkim: null,
  },
  ...['us', 'usb', 'eu', 'de', 'au', 'ca'].map((region) => ({
    id: 'mimecast',
    mx: `${region}-smtp-inbound-1.mimecast.com`,
    spf: `include:${region}._netblocks.mimecast.com`,
    dkim: [...untold('mimecast'), HIDDEN],
  })),
  {
    id: 'proofpoint',
    mx: 'mx0a-001b2d01.pphosted.com',
    spf: null,
    dkim: [...untold('proofpoint'), HIDDEN],
  },
  {
    id: 'proofpoint-essentials',
    mx: 'mx1-us1.ppe-hosted.com',
    spf: 'a:dispatch-us.ppe-hosted.com',
    dkim: [...untold('proofpoint-essentials'), HIDDEN],
  },
  {
    id: 'proofpoint-essentials',
    mx: 'mx2-eu1.ppe-hosted.com',
    spf: 'a:dispatch-eu.ppe-hosted.com',
    dkim: [...untold('proofpoint-essentials'), HIDDEN],
  },
  {
    id: 'barracuda',
    mx: 'd1.a.ess.barracudanetworks.com',
    spf: 'include:spf.ess.barracudanetworks.com',
    dkim: [HIDDEN],
  },
  {
    id: 'barracuda',
    mx: 'd1.a.ess.uk.barracudanetworks.com',
    spf: 'include:spf.ess.uk.barracudanetworks.com',
    dkim: [HIDDEN],
  },
  { id: 'cisco', mx: 'mx1.hc123-45.iphmx.com', spf: null, dkim: [...untold('cisco'), HIDDEN] },
  {
    id: 'sophos',
    mx: 'mx-01-eu-west-1.prod.hydra.sophos.com',
    spf: 'include:_spf.prod.hydra.sophos.com',
    dkim: [...untold('sophos'), HIDDEN],
  },
  {
    id: 'symantec',
    mx: 'cluster1.eu.messagelabs.com',
    spf: 'include:spf.messagelabs.com',
    dkim: [...untold('symantec'), HIDDEN],
  },
  {
    id: 'trendmicro',
    mx: 'acme.in.tmes.trendmicro.com',
    spf: 'include:spf.tmes.trendmicro.com',
    dkim: [...untold('trendmicro'), HIDDEN],
  },
  {
    id: 'hornet',
    mx: 'mx01.hornetsecurity.com',
    spf: 'include:spf.hornetsecurity.com',
    dkim: ['hse1 CNAME {hornet-target-1}', 'hse2 CNAME {hornet-target-2}', HIDDEN],
  },
  {
    id: 'appriver',
    mx: 'server1.inbound.arsmtp.com',
    spf: 'include:acme-test.spf.smtp25.com',
    dkim: [HIDDEN],
  },
  {
    id: 'porkbun-fwd',
    mx: 'fwd1.porkbun.com',
    spf: 'include:_spf.porkbun.com',
    dkim: [],
  },
  {
    id: 'simplelogin',
    mx: 'mx1.simplelogin.co',
    spf: 'include:simplelogin.co',
    dkim: [
      'dkim CNAME dkim._domainkey.simplelogin.co',
      'dkim02 CNAME dkim02._domainkey.simplelogin.co',
      'dkim03 CNAME dkim03._domainkey.simplelogin.co',
    ],
  },
  {
    id: 'proton-alias',
    mx: 'mx1.alias.proton.me',
    spf: 'include:alias.proton.me',
    dkim: [
      'dkim CNAME dkim._domainkey.alias.proton.me',
      'dkim02 CNAME dkim02._domainkey.alias.proton.me',
      'dkim03 CNAME dkim03._domainkey.alias.proton.me',
    ],
  },
  {
    id: 'addy',
    mx: 'mail.anonaddy.me',
    spf: 'include:spf.anonaddy.me',
    dkim: ['dk1 CNAME dk1._domainkey.anonaddy.me', 'dk2 CNAME dk2._domainkey.anonaddy.me'],
  },
  {
    id: 'wordpresscom-fwd',
    mx: 'mx1.forward.wordpress.com',
    spf: null,
    dkim: [],
  },
]

test('covers every mailbox provider', () => {
  // Sold through GoDaddy, with the mail servers of Microsoft.
  const ids = new Set([...TABLE.map(({ id }) => id), 'godaddy-m365'])
  expect(MAILBOX_PROVIDERS.map(({ id }) => id).filter((id) => !ids.has(id))).toEqual([])
})

const planFor = ({ mx, spf }: Row, options: Partial<PlanOptions> = {}) => {
  const terms = spf ? spf.split(' ').map((term) => term.split(':')) : []
  const named = terms.map(([kind, host]) => {
    return `${host}. ${kind === 'a' ? 'A 192.0.2.9' : 'TXT "v=spf1 ip4:192.0.2.0/24 ~all"'}`
  })
  const zone = `
    acme.test. MX 10 ${mx}.
    ${mx}. A 192.0.2.1
    ${named.join('\n')}`
  return planFromZone(zone, { options })
}

test.each(TABLE)('$id via $mx', async (row) => {
  const { mailboxProvider, senders, records } = await planFor(row)
  // A gateway hides the mailboxes, and a forwarder has none.
  const kind = findProviderByMx(row.mx)?.kind
  const found = kind === 'gateway' ? senders[0] : mailboxProvider
  expect([found?.id, found?.evidence]).toEqual(
    kind === 'forwarder' ? [undefined, undefined] : [row.id, `MX ${row.mx}`],
  )
  expect(mailboxProvider === null).toBe(kind !== 'mailbox')
  const spf = records.find(({ purpose }) => purpose === 'spf')
  if (row.spf !== null) {
    const value = `v=spf1 ${row.spf || '{your-senders}'} ~all`
    expect(spf).toMatchObject({ action: 'create', value })
  }
  // Whether mail is also sent through a forwarder, only its owner knows.
  const planned = kind === 'forwarder' ? await planFor(row, { uses: [row.id] }) : { records }
  const keys = planned.records.filter(({ purpose }) => purpose === 'dkim')
  if (row.dkim) {
    expect(
      keys.map(
        ({ name, type, value }) => `${name.replace('._domainkey.acme.test', '')} ${type} ${value}`,
      ),
    ).toEqual(row.dkim)
  }
})

test.each(TABLE.filter(({ spf }) => !spf))(
  'the servers that take the mail of $id are not named as those that send it',
  async (row) => {
    const { records } = await planFor(row)
    expect(records.find(({ purpose }) => purpose === 'spf')?.value).not.toMatch(/\bmx\b/)
  },
)

test.each(TABLE)(
  'no customer of $id via $mx is sent to a mail server of their own for a key',
  async (row) => {
    const { records } = await planFor(row)
    const gaps = records.flatMap(({ placeholders }) => placeholders)
    expect(gaps.map(({ whereToFind }) => whereToFind).join(' ')).not.toMatch(/your mail server/)
  },
)
