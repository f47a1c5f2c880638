/** Providers that host mailboxes. */
import type { MailboxProvider } from './mailbox-provider.js'
import {
  cnameRecords,
  cnameRecordsTo,
  confirmAtService,
  copyFromService,
  txtKeyRecord,
  unknownTargetCnames,
} from './service-setup.js'

export const MAILBOX_HOSTS: readonly MailboxProvider[] = [
  {
    id: 'google',
    name: 'Google Workspace',
    kind: 'mailbox',
    mx: ['smtp.google.com', 'aspmx.l.google.com', '*.aspmx.l.google.com', 'googlemail.com'],
    spf: ['_spf.google.com'],
    selectors: ['google'],
    dkimTargets: [],
    setup: {
      mx: ['1 smtp.google.com'],
      spf: [{ term: 'include:_spf.google.com' }],
      dkim: {
        records: txtKeyRecord('google'),
        instructions:
          'In the Admin console under Apps > Google Workspace > Gmail > Authenticate email: generate a 2048-bit key, publish it, then select Start authentication.',
      },
    },
  },
  {
    id: 'microsoft365',
    name: 'Microsoft 365 / Exchange Online',
    kind: 'mailbox',
    mx: ['mail.protection.outlook.com', 'mx.microsoft'],
    spf: ['spf.protection.outlook.com'],
    selectors: ['selector1', 'selector2'],
    dkimTargets: ['onmicrosoft.com', 'dkim.mail.microsoft'],
    setup: {
      mx: ['0 {dd}.mail.protection.outlook.com'],
      spf: [{ term: 'include:spf.protection.outlook.com' }],
      dkim: {
        records: unknownTargetCnames('selector1', 'selector2'),
        instructions:
          'In the Defender portal under Email authentication settings > DKIM: copy both targets, publish them, then turn on signing for the domain. Get-DkimSigningConfig also shows the targets.',
      },
    },
  },
  {
    id: 'zoho',
    name: 'Zoho Mail',
    kind: 'mailbox',
    mx: [
      'zoho.com',
      'zoho.eu',
      'zoho.in',
      'zoho.com.au',
      'zoho.jp',
      'zohocloud.ca',
      'zohomail.com',
    ],
    spf: [
      'zohomail.com',
      'zohomail.eu',
      'zohomail.in',
      'zohomail.com.au',
      'zohomail.jp',
      'zohocloud.ca',
      'zoho.com',
    ],
    selectors: ['zmail', 'zoho'],
    dkimTargets: [],
    setup: {
      // Each region has its own mail servers, and only Zoho knows the customer's region.
      mx: [],
      spf: [
        { term: 'include:zohomail.eu', forMx: 'zoho.eu' },
        { term: 'include:zohomail.in', forMx: 'zoho.in' },
        { term: 'include:zohomail.com.au', forMx: 'zoho.com.au' },
        { term: 'include:zohomail.jp', forMx: 'zoho.jp' },
        { term: 'include:zohocloud.ca', forMx: 'zohocloud.ca' },
        { term: 'include:zohomail.com' },
      ],
      dkim: {
        records: txtKeyRecord('{selector}'),
        instructions:
          'In the Mail admin under Domains > Email configuration > DKIM: choose a selector, such as zmail, and copy its key.',
      },
    },
  },
  {
    id: 'fastmail',
    name: 'Fastmail',
    kind: 'mailbox',
    mx: ['messagingengine.com'],
    spf: ['spf.messagingengine.com'],
    selectors: ['fm1', 'fm2', 'fm3', 'mesmtp'],
    dkimTargets: ['dkim.fmhosted.com'],
    setup: {
      mx: ['10 in1-smtp.messagingengine.com', '20 in2-smtp.messagingengine.com'],
      spf: [{ term: 'include:spf.messagingengine.com' }],
      dkim: {
        records: cnameRecords(
          ['fm1', 'fm2', 'fm3'],
          (selector) => `${selector}.{d}.dkim.fmhosted.com`,
        ),
        instructions:
          'There is nothing to copy. Fastmail signs as soon as Settings > Domains shows that it has found the records.',
      },
    },
  },
  {
    id: 'proton',
    name: 'Proton Mail',
    kind: 'mailbox',
    mx: ['protonmail.ch'],
    spf: ['_spf.protonmail.ch'],
    selectors: ['protonmail', 'protonmail2', 'protonmail3'],
    dkimTargets: ['domains.proton.ch'],
    setup: {
      mx: ['10 mail.protonmail.ch', '20 mailsec.protonmail.ch'],
      spf: [{ term: 'include:_spf.protonmail.ch' }],
      dkim: {
        records: cnameRecords(
          ['protonmail', 'protonmail2', 'protonmail3'],
          (selector) => `${selector}.domainkey.{proton-token}.domains.proton.ch`,
        ),
        instructions: copyFromService('Proton Mail'),
      },
    },
  },
  {
    id: 'icloud',
    name: 'iCloud+ custom domain',
    kind: 'mailbox',
    mx: ['mail.icloud.com'],
    spf: ['icloud.com'],
    selectors: ['sig1'],
    dkimTargets: ['at.icloudmailadmin.com'],
    setup: {
      mx: ['10 mx01.mail.icloud.com', '10 mx02.mail.icloud.com'],
      spf: [{ term: 'include:icloud.com' }],
      dkim: {
        records: cnameRecords(
          ['sig1'],
          (selector) => `${selector}.dkim.{d}.at.icloudmailadmin.com`,
        ),
        instructions:
          'There is nothing to copy for this record. Apple also needs a TXT record apple-domain= at the domain; the custom email domain settings of iCloud show it.',
      },
    },
  },
  {
    id: 'yandex',
    name: 'Yandex 360',
    kind: 'mailbox',
    mx: ['mx.yandex.net', 'mx.yandex.ru'],
    spf: ['_spf.yandex.net'],
    selectors: ['mail'],
    dkimTargets: [],
    setup: {
      mx: ['10 mx.yandex.net'],
      spf: [{ term: 'include:_spf.yandex.net' }],
      dkim: {
        records: txtKeyRecord('mail', 'v=DKIM1; k=rsa; t=s; p={public-key}'),
        instructions: copyFromService('Yandex 360'),
      },
    },
  },
  {
    id: 'mailru',
    name: 'VK WorkSpace / Mail.ru for business',
    kind: 'mailbox',
    mx: ['emx.mail.ru'],
    spf: ['_spf.mail.ru'],
    selectors: ['mailru'],
    dkimTargets: [],
    setup: {
      mx: ['10 emx.mail.ru'],
      spf: [{ term: 'include:_spf.mail.ru' }],
      dkim: { records: txtKeyRecord('mailru'), instructions: copyFromService('VK WorkSpace') },
    },
  },
  {
    id: 'migadu',
    name: 'Migadu',
    kind: 'mailbox',
    mx: ['migadu.com'],
    spf: ['spf.migadu.com'],
    selectors: ['key1', 'key2', 'key3'],
    dkimTargets: ['_domainkey.migadu.com'],
    setup: {
      mx: ['10 aspmx1.migadu.com', '20 aspmx2.migadu.com'],
      spf: [{ term: 'include:spf.migadu.com' }],
      dkim: {
        records: cnameRecords(
          ['key1', 'key2', 'key3'],
          (selector) => `${selector}.{d}._domainkey.migadu.com`,
        ),
        instructions: confirmAtService('Migadu'),
      },
    },
  },
  {
    id: 'mailboxorg',
    name: 'mailbox.org',
    kind: 'mailbox',
    mx: ['mailbox.org'],
    spf: ['mailbox.org'],
    selectors: ['mbo0001', 'mbo0002', 'mbo0003', 'mbo0004'],
    dkimTargets: ['_domainkey.mailbox.org'],
    setup: {
      mx: ['10 mxext1.mailbox.org', '10 mxext2.mailbox.org', '20 mxext3.mailbox.org'],
      spf: [{ term: 'include:mailbox.org' }],
      dkim: {
        records: cnameRecords(
          ['mbo0001', 'mbo0002', 'mbo0003', 'mbo0004'],
          (selector) => `${selector}._domainkey.mailbox.org`,
        ),
        instructions:
          'There is nothing to copy: the targets are the same for every customer of mailbox.org.',
      },
    },
  },
  {
    id: 'namecheap',
    name: 'Namecheap Private Email',
    kind: 'mailbox',
    mx: ['privateemail.com'],
    spf: ['spf.privateemail.com'],
    selectors: ['default'],
    dkimTargets: [],
    setup: {
      mx: ['10 mx1.privateemail.com', '10 mx2.privateemail.com'],
      spf: [{ term: 'include:spf.privateemail.com' }],
      dkim: {
        records: txtKeyRecord('default'),
        instructions: 'Copy the key from the Private Email dashboard, under DKIM.',
      },
    },
  },
  {
    id: 'rackspace',
    name: 'Rackspace Email',
    kind: 'mailbox',
    mx: ['emailsrvr.com'],
    spf: ['emailsrvr.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: ['10 mx1.emailsrvr.com', '20 mx2.emailsrvr.com'],
      spf: [{ term: 'include:emailsrvr.com' }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        instructions: copyFromService('Rackspace Email'),
      },
    },
  },
  {
    id: 'titan',
    name: 'Titan Email',
    kind: 'mailbox',
    mx: ['titan.email'],
    spf: ['spf.titan.email'],
    selectors: ['titan1', 'titan2'],
    dkimTargets: [],
    setup: {
      mx: ['10 mx1.titan.email', '20 mx2.titan.email'],
      spf: [{ term: 'include:spf.titan.email' }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        instructions:
          'Copy the key from the DKIM settings in the domain settings of Titan. The selector shown there is titan1 or titan2.',
      },
    },
  },
  {
    id: 'flock',
    name: 'Flock Mail',
    kind: 'mailbox',
    mx: ['flockmail.com'],
    spf: ['spf.flockmail.com'],
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ term: 'include:spf.flockmail.com' }], dkim: null },
  },
  {
    id: 'godaddy',
    name: 'GoDaddy Professional Email / Workspace',
    kind: 'mailbox',
    mx: ['secureserver.net'],
    spf: ['secureserver.net'],
    selectors: ['secureserver1', 'secureserver2'],
    dkimTargets: ['onsecureserver.net'],
    setup: {
      mx: ['0 smtp.secureserver.net', '10 mailstore1.secureserver.net'],
      spf: [{ term: 'include:secureserver.net' }],
      dkim: {
        records: cnameRecordsTo({
          secureserver1: 's1.dkim.{godaddy-token}.onsecureserver.net',
          secureserver2: 's2.dkim.{godaddy-token}.onsecureserver.net',
        }),
        instructions: copyFromService('GoDaddy'),
      },
    },
  },
  {
    id: 'ovh',
    name: 'OVHcloud MX Plan / Zimbra / Email Pro / Exchange',
    kind: 'mailbox',
    mx: ['mail.ovh.net', 'ovh.net'],
    spf: ['mx.ovh.com'],
    selectors: ['ovhmo-selector-1', 'ovhmo-selector-2'],
    dkimTargets: ['dkim.mail.ovh.net'],
    setup: {
      mx: ['1 mx1.mail.ovh.net', '5 mx2.mail.ovh.net', '50 mx3.mail.ovh.net'],
      spf: [{ term: 'include:mx.ovh.com' }],
      dkim: {
        records: cnameRecords(
          ['ovhmo-selector-1', 'ovhmo-selector-2'],
          (selector) => `${selector}._domainkey.{ovh-token}.dkim.mail.ovh.net`,
        ),
        instructions: copyFromService('OVHcloud'),
      },
    },
  },
  {
    id: 'ionos',
    name: 'IONOS / 1&1',
    kind: 'mailbox',
    mx: [
      'ionos.com',
      'ionos.de',
      'ionos.co.uk',
      'ionos.es',
      'ionos.fr',
      'ionos.it',
      'kundenserver.de',
      'perfora.net',
      '1and1.com',
    ],
    spf: ['_spf-eu.ionos.com', '_spf-us.ionos.com'],
    selectors: ['s1-ionos', 's2-ionos', 's42582890'],
    dkimTargets: ['dkim.ionos.com'],
    setup: {
      mx: [],
      spf: [
        { term: 'include:_spf-us.ionos.com', forMx: 'ionos.com' },
        { term: 'include:_spf-us.ionos.com', forMx: 'perfora.net' },
        { term: 'include:_spf-us.ionos.com', forMx: '1and1.com' },
        { term: 'include:_spf-eu.ionos.com' },
      ],
      dkim: {
        records: cnameRecordsTo({
          's1-ionos': 's1.dkim.ionos.com',
          's2-ionos': 's2.dkim.ionos.com',
          s42582890: 's42582890.dkim.ionos.com',
        }),
        instructions: confirmAtService('IONOS'),
      },
    },
  },
  {
    id: 'gandi',
    name: 'Gandi Mail',
    kind: 'mailbox',
    mx: ['mail.gandi.net'],
    spf: ['_mailcust.gandi.net'],
    selectors: ['gm1', 'gm2', 'gm3'],
    dkimTargets: ['gandimail.net'],
    setup: {
      mx: ['10 spool.mail.gandi.net', '50 fb.mail.gandi.net'],
      spf: [{ term: 'include:_mailcust.gandi.net' }],
      dkim: {
        records: cnameRecords(['gm1', 'gm2', 'gm3'], (selector) => `${selector}.gandimail.net`),
        instructions: confirmAtService('Gandi'),
      },
    },
  },
  {
    id: 'hostinger',
    name: 'Hostinger Email',
    kind: 'mailbox',
    mx: ['mx1.hostinger.com', 'mx2.hostinger.com'],
    spf: ['_spf.mail.hostinger.com'],
    selectors: ['hostingermail-a', 'hostingermail-b', 'hostingermail-c'],
    dkimTargets: ['dkim.mail.hostinger.com'],
    setup: {
      mx: ['5 mx1.hostinger.com', '10 mx2.hostinger.com'],
      spf: [{ term: 'include:_spf.mail.hostinger.com' }],
      dkim: {
        records: cnameRecords(
          ['hostingermail-a', 'hostingermail-b', 'hostingermail-c'],
          (selector) => `${selector}.dkim.mail.hostinger.com`,
        ),
        instructions: confirmAtService('Hostinger'),
      },
    },
  },
  {
    // Sends through Amazon SES, which owns its include and its keys.
    id: 'workmail',
    name: 'Amazon WorkMail / SES inbound',
    kind: 'mailbox',
    mx: ['inbound-smtp.*.amazonaws.com'],
    spf: [],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:amazonses.com' }],
      dkim: {
        records: cnameRecords(
          ['{token-1}', '{token-2}', '{token-3}'],
          (selector) => `${selector}.dkim.amazonses.com`,
        ),
        instructions:
          'Copy the three names and targets from the records that Amazon WorkMail lists for the domain.',
      },
    },
  },
  {
    id: 'tuta',
    name: 'Tuta (Tutanota)',
    kind: 'mailbox',
    mx: ['mail.tutanota.de'],
    spf: ['spf.tutanota.de'],
    selectors: ['s1', 's2'],
    dkimTargets: ['domainkey.tutanota.de'],
    setup: {
      mx: ['0 mail.tutanota.de'],
      spf: [{ term: 'include:spf.tutanota.de' }],
      dkim: {
        records: cnameRecords(['s1', 's2'], (selector) => `${selector}.domainkey.tutanota.de`),
        instructions: confirmAtService('Tuta'),
      },
      mtaSts: [
        { label: '_mta-sts', target: 'mta-sts.tutanota.de' },
        { label: 'mta-sts', target: 'mta-sts.tutanota.de' },
      ],
    },
  },
  {
    id: 'purelymail',
    name: 'Purelymail',
    kind: 'mailbox',
    mx: ['mailserver.purelymail.com'],
    spf: ['_spf.purelymail.com'],
    selectors: ['purelymail1', 'purelymail2', 'purelymail3'],
    dkimTargets: ['dkimroot.purelymail.com'],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.purelymail.com' }],
      dkim: {
        records: cnameRecordsTo({
          purelymail1: 'key1.dkimroot.purelymail.com',
          purelymail2: 'key2.dkimroot.purelymail.com',
          purelymail3: 'key3.dkimroot.purelymail.com',
        }),
        instructions: confirmAtService('Purelymail'),
      },
    },
  },
  {
    id: 'mxroute',
    name: 'MXroute',
    kind: 'mailbox',
    mx: ['mxrouting.net', 'mxlogin.com'],
    spf: ['mxroute.com'],
    selectors: ['x'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:mxroute.com' }],
      dkim: { records: txtKeyRecord('x'), instructions: copyFromService('MXroute') },
    },
  },
  {
    id: 'infomaniak',
    name: 'Infomaniak',
    kind: 'mailbox',
    mx: ['mta-gw.infomaniak.ch'],
    spf: ['spf.infomaniak.ch'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:spf.infomaniak.ch' }],
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('Infomaniak') },
    },
  },
  {
    id: 'dreamhost',
    name: 'DreamHost',
    kind: 'mailbox',
    mx: ['dreamhost.com'],
    spf: ['netblocks.dreamhost.com'],
    selectors: ['dreamhost'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:netblocks.dreamhost.com' }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        instructions:
          'Copy the key from the DKIM settings in the domain settings of DreamHost. The selector shown there is dreamhost or the name of the domain.',
      },
    },
  },
  {
    id: 'hey',
    name: 'HEY for Domains',
    kind: 'mailbox',
    mx: ['work-mx.app.hey.com'],
    spf: ['_spf.hey.com'],
    selectors: ['heymail'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.hey.com' }],
      dkim: { records: unknownTargetCnames('heymail'), instructions: copyFromService('HEY') },
    },
  },
  {
    id: 'runbox',
    name: 'Runbox',
    kind: 'mailbox',
    mx: ['mx.runbox.com'],
    spf: ['spf.runbox.com'],
    selectors: ['selector1', 'selector2'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:spf.runbox.com' }],
      dkim: {
        records: unknownTargetCnames('selector1', 'selector2'),
        instructions: copyFromService('Runbox'),
      },
    },
  },
  {
    id: 'strato',
    name: 'STRATO',
    kind: 'mailbox',
    mx: ['smtpin.rzone.de'],
    spf: ['smtp.rzone.de', '_spf.strato.com'],
    selectors: ['strato-dkim-0002', 'strato-dkim-0003'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: unknownTargetCnames('strato-dkim-0002', 'strato-dkim-0003'),
        instructions: copyFromService('STRATO'),
      },
    },
  },
  {
    id: 'yahoo-biz',
    name: 'Yahoo / AOL',
    kind: 'mailbox',
    mx: ['yahoodns.net'],
    spf: ['_spf.mail.yahoo.com'],
    selectors: ['s2048', 's1024'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.mail.yahoo.com' }],
      dkim: { records: txtKeyRecord('s2048'), instructions: copyFromService('Yahoo') },
    },
  },
  {
    id: 'intermedia',
    name: 'Intermedia',
    kind: 'mailbox',
    mx: ['serverdata.net'],
    spf: ['spf.intermedia.net'],
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ term: 'include:spf.intermedia.net' }], dkim: null },
  },
]
