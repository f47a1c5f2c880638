/** Providers that host mailboxes. */
import type { MailboxProvider } from './mailbox-provider.js'
import {
  cnameRecords,
  cnameRecordsTo,
  type DkimSetup,
  txtKeyRecord,
  unknownTargetCnames,
} from './service-setup.js'

const DEFENDER_DKIM =
  'Microsoft Defender (security.microsoft.com) > Email & collaboration > Policies & rules > Threat policies > Email authentication settings > DKIM'

const MICROSOFT_DKIM: DkimSetup = {
  records: unknownTargetCnames('selector1', 'selector2'),
  screen: {
    path: DEFENDER_DKIM,
    confirmed: '2026-11',
  },
  getValues:
    'Select the domain name and choose Create DKIM keys, or set the signing switch once. Copy both CNAME targets from the dialog that opens.',
  turnOn: 'Turn on "Sign messages for this domain with DKIM signatures".',
  shownAs: 'Status: Signing DKIM signatures for this domain',
}

export const MAILBOX_HOSTS: readonly MailboxProvider[] = [
  {
    id: 'google',
    name: 'Google Workspace',
    kind: 'mailbox',
    mx: ['smtp.google.com', 'aspmx.l.google.com', '*.aspmx.l.google.com', 'googlemail.com'],
    spf: ['_spf.google.com'],
    selectors: ['google', 'google2'],
    dkimTargets: [],
    setup: {
      mx: ['1 smtp.google.com'],
      spf: [{ terms: ['include:_spf.google.com'] }],
      dkim: {
        records: txtKeyRecord('google'),
        screen: {
          path: 'Apps > Google Workspace > Gmail > Authenticate email',
          confirmed: '2026-11',
        },
        getValues:
          'Select your domain, choose Generate new record and keep 2048 bits. Then copy the name and the value of the TXT record.',
        turnOn: 'Choose Start authentication.',
        shownAs: 'Status: Authenticating email with DKIM',
        selectorIsChosen: true,
      },
    },
  },
  {
    id: 'microsoft365',
    name: 'Microsoft 365 / Exchange Online',
    kind: 'mailbox',
    mx: ['mail.protection.outlook.com', 'mx.microsoft'],
    spf: [
      'spf.protection.outlook.com',
      'spf.protection.office365.us',
      'spf.protection.partner.outlook.cn',
    ],
    selectors: ['selector1', 'selector2'],
    dkimTargets: ['dkim.mail.microsoft', 'onmicrosoft.com'],
    evidence: { cnameTargets: ['autodiscover.outlook.com'], texts: ['MS=ms'] },
    setup: {
      mx: ['0 {dd}.mail.protection.outlook.com'],
      spf: [{ terms: ['include:spf.protection.outlook.com'] }],
      dkim: MICROSOFT_DKIM,
    },
  },
  {
    // Its mail servers and keys are Microsoft's, and its include is GoDaddy's.
    id: 'godaddy-m365',
    name: 'Microsoft 365 (GoDaddy)',
    kind: 'mailbox',
    mx: [],
    spf: [],
    selectors: ['selector1', 'selector2'],
    dkimTargets: [],
    evidence: { texts: ['NETORG'] },
    setup: {
      mx: ['0 {dd}.mail.protection.outlook.com'],
      spf: [{ terms: ['include:secureserver.net'] }],
      dkim: {
        ...MICROSOFT_DKIM,
        keysOf: 'microsoft365',
        screen: { path: DEFENDER_DKIM, confirmed: '2026-08' },
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
      'zoho.eu',
      'zoho.in',
    ],
    selectors: ['zmail', 'zoho'],
    dkimTargets: [],
    evidence: { texts: ['zoho-verification='] },
    setup: {
      // Each region has its own mail servers, and only Zoho knows the customer's region.
      mx: [],
      spf: [
        { terms: ['include:zohomail.eu'], forMx: 'zoho.eu' },
        { terms: ['include:zohomail.in'], forMx: 'zoho.in' },
        { terms: ['include:zohomail.com.au'], forMx: 'zoho.com.au' },
        { terms: ['include:zohomail.jp'], forMx: 'zoho.jp' },
        { terms: ['include:zohocloud.ca'], forMx: 'zohocloud.ca' },
        { terms: ['include:zohomail.com'] },
      ],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: {
          path: 'Zoho Mail Admin Console > Domains > your domain > Email Configuration > DKIM',
          confirmed: '2026-11',
        },
        getValues: 'Choose Add, type a selector such as zmail, and copy the TXT name and value.',
        turnOn: 'Choose Verify beside the selector.',
        shownAs: 'the selector as verified',
        selectorIsChosen: true,
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
      spf: [{ terms: ['include:spf.messagingengine.com'] }],
      dkim: {
        records: cnameRecords(
          ['fm1', 'fm2', 'fm3'],
          (selector) => `${selector}.{d}.dkim.fmhosted.com`,
        ),
        screen: {
          path: 'Settings > Domains > Edit beside the domain > Get instructions',
          confirmed: '2026-11',
        },
        shownAs: 'the domain without the mark Inactive under Settings > Domains',
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
    evidence: { texts: ['protonmail-verification='] },
    setup: {
      mx: ['10 mail.protonmail.ch', '20 mailsec.protonmail.ch'],
      spf: [{ terms: ['include:_spf.protonmail.ch'] }],
      dkim: {
        records: cnameRecords(
          ['protonmail', 'protonmail2', 'protonmail3'],
          (selector) => `${selector}.domainkey.{token}.domains.proton.ch`,
        ),
        screen: {
          path: 'Settings > All settings > Organization > Domain names > Review > DKIM',
          confirmed: '2026-11',
        },
        shownAs: 'a green DKIM tab',
      },
    },
  },
  {
    id: 'icloud',
    name: 'iCloud+ custom email domain',
    kind: 'mailbox',
    mx: ['mail.icloud.com'],
    spf: ['icloud.com'],
    selectors: ['sig1'],
    dkimTargets: ['at.icloudmailadmin.com'],
    evidence: { texts: ['apple-domain='] },
    setup: {
      mx: ['10 mx01.mail.icloud.com', '10 mx02.mail.icloud.com'],
      spf: [{ terms: ['include:icloud.com'] }],
      dkim: {
        records: cnameRecordsTo({ sig1: 'sig1.dkim.{d}.at.icloudmailadmin.com' }),
        screen: {
          path: 'iCloud.com > Account Settings > Custom Email Domain > Manage',
          confirmed: '2026-06',
        },
        turnOn: 'Choose Finish Set Up after the records are published.',
      },
    },
  },
  {
    id: 'yandex',
    name: 'Yandex 360 for Business',
    kind: 'mailbox',
    mx: ['mx.yandex.net', 'mx.yandex.ru'],
    spf: ['_spf.yandex.net'],
    selectors: ['mail'],
    dkimTargets: [],
    evidence: { texts: ['yandex-verification:'] },
    setup: {
      mx: ['10 mx.yandex.net'],
      spf: [{ terms: ['include:_spf.yandex.net'] }],
      dkim: {
        records: txtKeyRecord('mail', 'v=DKIM1; k=rsa; t=s; p={public-key}'),
        screen: null,
        hasOnlyShortKeys: true,
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
    evidence: { texts: ['mailru-verification:'] },
    setup: {
      mx: ['10 emx.mail.ru'],
      spf: [{ terms: ['include:_spf.mail.ru'] }],
      dkim: { records: txtKeyRecord('mailru'), screen: null, hasOnlyShortKeys: true },
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
    evidence: { texts: ['hosted-email-verify='] },
    setup: {
      mx: ['10 aspmx1.migadu.com', '20 aspmx2.migadu.com'],
      spf: [{ terms: ['include:spf.migadu.com'] }],
      dkim: {
        records: cnameRecords(
          ['key1', 'key2', 'key3'],
          (selector) => `${selector}.{d}._domainkey.migadu.com`,
        ),
        screen: {
          path: 'Domains > your domain > DNS Configuration > Setup Instructions',
          confirmed: '2026-11',
        },
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
      spf: [{ terms: ['include:mailbox.org'] }],
      dkim: {
        records: cnameRecords(
          ['mbo0001', 'mbo0002', 'mbo0003', 'mbo0004'],
          (selector) => `${selector}._domainkey.mailbox.org`,
        ),
        screen: null,
      },
    },
  },
  {
    id: 'namecheap',
    name: 'Namecheap Private Email',
    kind: 'mailbox',
    mx: ['privateemail.com'],
    spf: ['spf.privateemail.com'],
    selectors: ['privateemail', 'default'],
    dkimTargets: [],
    setup: {
      mx: ['10 mx1.privateemail.com', '10 mx2.privateemail.com'],
      spf: [{ terms: ['include:spf.privateemail.com'] }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: { path: 'Private Email > Manage', confirmed: '2026-11' },
        getValues:
          'Create the first mailbox, choose Generate in the DKIM section, and copy the host and the value.',
      },
    },
  },
  {
    id: 'rackspace',
    name: 'Rackspace Email (Cloud Office)',
    kind: 'mailbox',
    mx: ['emailsrvr.com'],
    spf: ['emailsrvr.com'],
    selectors: [],
    dkimTargets: [],
    evidence: { cnameTargets: ['autodiscover.emailsrvr.com'] },
    setup: {
      mx: ['10 mx1.emailsrvr.com', '20 mx2.emailsrvr.com'],
      spf: [{ terms: ['include:emailsrvr.com'] }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: {
          path: 'Cloud Office Control Panel > Domains > Sender Authentication (DKIM)',
          confirmed: '2021-02',
        },
        getValues:
          'Select the domain, choose Enable DKIM for the domain, and copy the TXT name and value.',
        turnOn: 'Choose Verify TXT Record.',
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
      spf: [{ terms: ['include:spf.titan.email'] }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: null,
        getValues:
          'Open the Titan control panel from your reseller and copy the DKIM name and value of the domain.',
        hasOnlyShortKeys: true,
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
    setup: { mx: [], spf: [{ terms: ['include:spf.flockmail.com'] }], dkim: null },
  },
  {
    id: 'godaddy',
    name: 'GoDaddy Professional Email / Workspace',
    kind: 'mailbox',
    mx: ['secureserver.net'],
    spf: ['secureserver.net'],
    selectors: ['secureserver1', 'secureserver2'],
    dkimTargets: ['onsecureserver.net'],
    evidence: { cnameTargets: ['email.secureserver.net'] },
    defaultDmarc: {
      type: 'TXT',
      values: [
        'v=DMARC1; p=quarantine; adkim=r; aspf=r; rua=mailto:dmarc_rua@onsecureserver.net;',
        'v=DMARC1; p=reject; adkim=r; aspf=r; rua=mailto:dmarc_rua@onsecureserver.net;',
      ],
    },
    setup: {
      mx: ['0 smtp.secureserver.net', '10 mailstore1.secureserver.net'],
      spf: [{ terms: ['include:secureserver.net'] }],
      dkim: {
        records: cnameRecordsTo({
          secureserver1: 's1.dkim.{d_}.{code}.onsecureserver.net',
          secureserver2: 's2.dkim.{d_}.{code}.onsecureserver.net',
        }),
        screen: null,
      },
    },
  },
  {
    id: 'ovh',
    name: 'OVHcloud mail (MX Plan, Zimbra, Email Pro, Exchange)',
    kind: 'mailbox',
    mx: ['mail.ovh.net', 'ovh.net'],
    spf: ['mx.ovh.com'],
    selectors: ['ovhmo-selector-1', 'ovhmo-selector-2'],
    dkimTargets: ['dkim.mail.ovh.net'],
    setup: {
      mx: [
        '1 mx0.mail.ovh.net',
        '5 mx1.mail.ovh.net',
        '50 mx2.mail.ovh.net',
        '100 mx3.mail.ovh.net',
        '200 mx4.mail.ovh.net',
      ],
      spf: [{ terms: ['include:mx.ovh.com'] }],
      dkim: {
        records: cnameRecordsTo({
          '{selector-1}': '{selector-1}._domainkey.{number-1}.{zone}.dkim.mail.ovh.net',
          '{selector-2}': '{selector-2}._domainkey.{number-2}.{zone}.dkim.mail.ovh.net',
        }),
        screen: {
          path: 'OVHcloud Control Panel > Web Cloud > your mail service',
          confirmed: '2025-11',
        },
        getValues:
          'Copy both names and targets: for Zimbra under Domain > three dots beside the domain > Diagnostics > DKIM, for Exchange and Email Pro from the DKIM box under Associated domains.',
        turnOn: 'Turn on DKIM in the same place.',
        shownAs: 'no DKIM alert for Zimbra, or a green DKIM box for Exchange and Email Pro',
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
    defaultDmarc: {
      type: 'CNAME',
      values: [
        'dmarc.ionos.com',
        'dmarc.ionos.de',
        'dmarc.ionos.fr',
        'dmarc.ionos.es',
        'dmarc.ionos.co.uk',
      ],
    },
    setup: {
      mx: [],
      spf: [
        { terms: ['include:_spf-us.ionos.com'], forMx: 'ionos.com' },
        { terms: ['include:_spf-us.ionos.com'], forMx: 'perfora.net' },
        { terms: ['include:_spf-us.ionos.com'], forMx: '1and1.com' },
        { terms: ['include:_spf-eu.ionos.com'] },
      ],
      dkim: {
        records: cnameRecordsTo({
          's1-ionos': 's1.dkim.ionos.com',
          's2-ionos': 's2.dkim.ionos.com',
          s42582890: 's42582890.dkim.ionos.com',
        }),
        screen: {
          path: 'Domains & SSL > gear icon or three dots beside the domain > DNS',
          confirmed: '2026-11',
        },
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
      spf: [{ terms: ['include:_mailcust.gandi.net'] }],
      dkim: {
        records: cnameRecords(['gm1', 'gm2', 'gm3'], (selector) => `${selector}.gandimail.net`),
        screen: { path: 'Domain > your domain > Email', confirmed: '2026-11' },
        turnOn: 'Turn on DKIM on this tab if the domain does not sign yet.',
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
    evidence: {
      cnameTargets: ['autodiscover.mail.hostinger.com', 'autoconfig.mail.hostinger.com'],
    },
    setup: {
      mx: ['5 mx1.hostinger.com', '10 mx2.hostinger.com'],
      spf: [{ terms: ['include:_spf.mail.hostinger.com'] }],
      dkim: {
        records: cnameRecords(
          ['hostingermail-a', 'hostingermail-b', 'hostingermail-c'],
          (selector) => `${selector}.dkim.mail.hostinger.com`,
        ),
        screen: { path: 'hPanel > Emails', confirmed: '2026-11' },
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
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    evidence: { cnameTargets: ['awsapps.com'] },
    endsOn: '2027-03-31',
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['{token-1}', '{token-2}', '{token-3}'],
          (selector) => `${selector}.dkim.amazonses.com`,
        ),
        screen: {
          path: 'Amazon WorkMail console > Organizations > your organization > Domains > your domain',
          confirmed: null,
        },
      },
      returnPath: [
        {
          label: '{mail-from}',
          type: 'MX',
          value: '10 feedback-smtp.{region}.amazonses.com',
          isOptional: true,
        },
        {
          label: '{mail-from}',
          type: 'TXT',
          value: 'v=spf1 include:amazonses.com ~all',
          isOptional: true,
        },
      ],
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
    evidence: { cnameTargets: ['mta-sts.tutanota.de'], texts: ['t-verify='] },
    setup: {
      mx: ['0 mail.tutanota.de'],
      spf: [{ terms: ['include:spf.tutanota.de'] }],
      dkim: {
        records: cnameRecords(['s1', 's2'], (selector) => `${selector}.domainkey.tutanota.de`),
        screen: { path: 'Settings > Global settings > Custom email domains', confirmed: '2026-11' },
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
    evidence: {
      cnameTargets: ['dmarcroot.purelymail.com', 'autoconfig.purelymail.com'],
      texts: ['purelymail_ownership_proof='],
    },
    defaultDmarc: { type: 'CNAME', values: ['dmarcroot.purelymail.com'] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.purelymail.com'] }],
      dkim: {
        records: cnameRecordsTo({
          purelymail1: 'key1.dkimroot.purelymail.com',
          purelymail2: 'key2.dkimroot.purelymail.com',
          purelymail3: 'key3.dkimroot.purelymail.com',
        }),
        screen: null,
      },
    },
  },
  {
    id: 'mxroute',
    name: 'MXroute',
    kind: 'mailbox',
    mx: ['mxrouting.net', 'mxlogin.com'],
    spf: ['mxroute.com', 'mxlogin.com'],
    selectors: ['x'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:mxroute.com'] }],
      dkim: { records: txtKeyRecord('x'), screen: null },
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
    evidence: { cnameTargets: ['infomaniak.com'] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:spf.infomaniak.ch'] }],
      dkim: {
        records: txtKeyRecord('{selector}', 'v=DKIM1; t=s; p={public-key}'),
        screen: {
          path: 'Infomaniak Manager > Mail Service > your service > Global Security',
          confirmed: '2026-11',
        },
        getValues: 'Choose Edit or Create beside DKIM and copy the selector and the key.',
        shownAs: 'DKIM in green',
      },
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
    evidence: { cnameTargets: ['autoconfig.dreamhost.com'] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:netblocks.dreamhost.com', 'include:relay.mailchannels.net'] }],
      dkim: {
        records: txtKeyRecord('dreamhost', 'v=DKIM1; k=rsa; h=sha256; p={public-key}'),
        screen: { path: 'Manage Websites > DNS Settings', confirmed: '2026-11' },
        getValues: 'Copy the TXT record dreamhost._domainkey.',
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
    dkimTargets: ['_domainkey.hey.com'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.hey.com'] }],
      dkim: { records: cnameRecordsTo({ heymail: 'heymail._domainkey.hey.com' }), screen: null },
    },
  },
  {
    id: 'runbox',
    name: 'Runbox',
    kind: 'mailbox',
    mx: ['mx.runbox.com'],
    spf: ['spf.runbox.com'],
    selectors: ['selector1', 'selector2'],
    dkimTargets: ['domainkey.runbox.com'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:spf.runbox.com'] }],
      dkim: {
        records: cnameRecords(
          ['selector1', 'selector2'],
          (selector) => `${selector}-{dd}.domainkey.runbox.com`,
        ),
        screen: { path: 'Account > Email Hosting > DKIM beside the domain', confirmed: '2026-11' },
        getValues: 'Choose Create keys for the domain before you publish the two CNAME records.',
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
    dkimTargets: ['_domainkey.rzone.de'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.strato.com'] }],
      dkim: {
        records: cnameRecords(
          ['strato-dkim-0002', 'strato-dkim-0003'],
          (selector) => `${selector}._domainkey.rzone.de`,
        ),
        screen: {
          path: 'Domains > Domainverwaltung > verwalten > Einstellungen > DNS > TXT-Records inklusive SPF und DKIM verwalten',
          confirmed: '2024-06',
        },
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
    setup: { mx: [], spf: [{ terms: ['include:_spf.mail.yahoo.com'] }], dkim: null },
  },
  {
    id: 'intermedia',
    name: 'Intermedia',
    kind: 'mailbox',
    mx: ['serverdata.net'],
    spf: ['spf.intermedia.net'],
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ terms: ['include:spf.intermedia.net'] }], dkim: null },
  },
]
