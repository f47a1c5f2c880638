/** Help desks, shops and other applications that send mail, and services that host its records. */
import type { Sender } from './sender.js'
import {
  cnameRecords,
  cnameRecordsTo,
  recordsBelow,
  txtKeyRecord,
  unknownTargetCnames,
} from './service-setup.js'

export const APPLICATION_SENDERS: readonly Sender[] = [
  {
    id: 'zendesk',
    name: 'Zendesk',
    spf: ['mail.zendesk.com'],
    returnPathAtRoot: 'optional',
    selectors: ['zendesk1', 'zendesk2'],
    dkimTargets: ['_domainkey.zendesk.com'],
    evidence: {
      cnameTargets: [
        'mail1.zendesk.com',
        'mail2.zendesk.com',
        'mail3.zendesk.com',
        'mail4.zendesk.com',
      ],
    },
    setup: {
      mx: [],
      spf: [{ terms: ['include:mail.zendesk.com'] }],
      dkim: {
        records: cnameRecords(
          ['zendesk1', 'zendesk2'],
          (selector) => `${selector}._domainkey.zendesk.com`,
        ),
        screen: { path: 'Admin Center > Channels > Talk and email > Email', confirmed: '2026-11' },
        turnOn: 'Turn on DKIM signing for your own domain on this page, then choose Save.',
      },
    },
  },
  {
    id: 'salesforce',
    name: 'Salesforce',
    spf: ['_spf.salesforce.com'],
    returnPathAtRoot: 'optional',
    selectors: ['sf1', 'sf2', 'salesforce', 'salesforce1', 'salesforce2'],
    dkimTargets: ['custdkim.salesforce.com'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.salesforce.com'] }],
      dkim: {
        records: cnameRecordsTo({
          '{selector-1}': '{selector-1}.{code-1}.custdkim.salesforce.com',
          '{selector-2}': '{selector-2}.{code-2}.custdkim.salesforce.com',
        }),
        screen: { path: 'Setup > DKIM Keys > Create New Key', confirmed: '2026-11' },
        getValues:
          'Choose 2048 bits, two selectors such as sf1 and sf2, and your exact sending domain. Open the key again after about 15 minutes, and copy CNAME Record and Alternate CNAME Record.',
        turnOn:
          "Choose Activate on the key's details page, which works only after Salesforce has found both records.",
        shownAs: 'Active',
      },
    },
  },
  {
    id: 'freshdesk',
    name: 'Freshdesk / Freshworks',
    spf: ['email.freshdesk.com'],
    returnPathAtRoot: 'never',
    selectors: ['1s3', 'fs', 'fs2', 'fs3'],
    dkimTargets: ['domainkey.freshemail.io'],
    evidence: { cnameTargets: ['domainkey.freshemail.io', 'domainkey.myfreshworks.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({
          '{selector-1}': 'wl{account}s1.domainkey.freshemail.io',
          '{selector-2}': 'wl{account}s2.domainkey.freshemail.io',
          '{selector-3}': 'wl{account}s3.domainkey.freshemail.io',
        }),
        screen: {
          path: 'Admin > Channels > Email > Advanced Settings > Configure DKIM',
          confirmed: '2026-02',
        },
        turnOn: 'Choose Verify after all four records are published, because a partial set fails.',
      },
      returnPath: [{ label: 'fwdkim1', type: 'CNAME', value: 'spfmx1.domainkey.freshemail.io' }],
    },
  },
  {
    id: 'helpscout',
    name: 'Help Scout',
    spf: ['helpscoutemail.com'],
    returnPathAtRoot: 'optional',
    selectors: ['strong1', 'strong2'],
    dkimTargets: ['_domainkey.helpscout.net'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:helpscoutemail.com'] }],
      dkim: {
        records: cnameRecords(
          ['strong1', 'strong2'],
          (selector) => `${selector}._domainkey.helpscout.net`,
        ),
        screen: null,
      },
    },
  },
  {
    id: 'intercom',
    name: 'Intercom',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['intercom'],
    dkimTargets: ['dkim.intercom.io'],
    evidence: { cnameTargets: ['intercom-mail.com', 'intercom-mail.eu'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ intercom: '{account}.dkim.intercom.io' }),
        screen: {
          path: 'Settings > Channels > Email > Domains & addresses > your address > Authenticate your domain',
          confirmed: '2026-11',
        },
        turnOn: 'Choose Validate authentication.',
        shownAs: 'Authenticated',
      },
      returnPath: [
        { label: 'outbound.intercom', type: 'CNAME', value: 'rp.{workspace}.intercom-mail.com' },
      ],
    },
  },
  {
    id: 'front',
    name: 'Front',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: { records: unknownTargetCnames('{selector-1}', '{selector-2}'), screen: null },
    },
  },
  {
    id: 'gorgias',
    name: 'Gorgias',
    spf: [],
    returnPathAtRoot: 'optional',
    selectors: ['gor', 'gor2'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: { records: unknownTargetCnames('gor', 'gor2'), screen: null },
      returnPath: [{ label: 'em{number}', type: 'CNAME', value: '{target-3}' }],
    },
  },
  {
    id: 'shopify',
    name: 'Shopify',
    spf: ['shops.shopify.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['email.myshopify.com'],
    evidence: { cnameTargets: ['email.myshopify.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: [
          ...cnameRecordsTo({
            '{prefix-1}': 'dkim1.{code-1}.p{pool-1}.email.myshopify.com',
            '{prefix-1}2': 'dkim2.{code-1}.p{pool-1}.email.myshopify.com',
          }),
          ...recordsBelow(
            'mailer{prefix-2}',
            cnameRecordsTo({
              pdk1: 'dkim3.{code-2}.p{pool-2}.email.myshopify.com',
              pdk2: 'dkim4.{code-2}.p{pool-2}.email.myshopify.com',
            }),
          ),
        ],
        screen: {
          path: 'Settings > Notifications > Email domain authentication',
          confirmed: '2026-09',
        },
        shownAs: 'Authenticated',
      },
      returnPath: [
        {
          label: 'mailer{prefix-1}',
          type: 'CNAME',
          value: '{code-1}.p{pool-1}.email.myshopify.com',
        },
        {
          label: 'mailer{prefix-2}',
          type: 'CNAME',
          value: '{code-2}.p{pool-2}.email.myshopify.com',
        },
      ],
    },
  },
  {
    id: 'firebase',
    name: 'Firebase Auth mail',
    spf: ['_spf.firebasemail.com'],
    returnPathAtRoot: 'always',
    selectors: ['firebase1', 'firebase2'],
    dkimTargets: ['_domainkey.firebasemail.com'],
    evidence: { texts: ['firebase='] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.firebasemail.com'] }],
      dkim: {
        records: cnameRecordsTo({
          firebase1: 'mail-{dd}.dkim1._domainkey.firebasemail.com',
          firebase2: 'mail-{dd}.dkim2._domainkey.firebasemail.com',
        }),
        screen: {
          path: 'Firebase console > Authentication > Templates > edit icon > customize domain',
          confirmed: '2026-11',
        },
        turnOn: 'Choose Apply Custom Domain.',
        shownAs: 'Verification complete',
      },
    },
  },
  {
    id: 'clerk',
    name: 'Clerk',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['clk', 'clk2'],
    dkimTargets: ['clerk.services'],
    evidence: { cnameTargets: ['clerk.services'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({
          clk: 'dkim1.{account}.clerk.services',
          clk2: 'dkim2.{account}.clerk.services',
        }),
        screen: {
          path: 'Clerk Dashboard > your production instance > Configure > Domains',
          confirmed: '2026-11',
        },
        shownAs: 'Verified',
      },
      returnPath: [{ label: 'clkmail', type: 'CNAME', value: 'mail.{account}.clerk.services' }],
    },
  },
  {
    id: 'atlassian',
    name: 'Atlassian Cloud',
    spf: ['_spf.atlassian.net'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['dkim.atlassian.net'],
    evidence: {
      cnameTargets: ['mail-us.atlassian.net'],
      texts: ['atlassian-sending-domain-verification='],
    },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['atlassian-{code-1}', 'atlassian-{code-2}'],
          (selector) => `${selector}.dkim.atlassian.net`,
        ),
        screen: {
          path: 'admin.atlassian.com > your organization > Settings > Emails > Email domains > See DNS records',
          confirmed: '2026-11',
        },
        turnOn: 'Run the DNS records check, then set the sender address in each project or space.',
      },
      returnPath: [
        { label: 'atlassian-bounces', type: 'CNAME', value: 'bounces.mail-us.atlassian.net' },
      ],
    },
  },
  {
    id: 'servicenow',
    name: 'ServiceNow',
    spf: ['_spf.service-now.com', 'spf.service-now.com'],
    returnPathAtRoot: 'optional',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [
        {
          terms: ['a:b.spf.service-now.com', 'a:c.spf.service-now.com', 'a:d.spf.service-now.com'],
        },
      ],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: { path: 'Now Support > Service Catalog', confirmed: '2025-05' },
        getValues:
          'Request the public key for a DKIM custom domain (article KB1002273) for the instance that sends.',
        turnOn: 'Reprovision email for the instance, because custom DKIM starts only after that.',
      },
    },
  },
  {
    id: 'netsuite',
    name: 'Oracle NetSuite',
    spf: ['mailsenders.netsuite.com'],
    returnPathAtRoot: 'optional',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:mailsenders.netsuite.com'] }],
      dkim: {
        records: unknownTargetCnames('{selector-1}', '{selector-2}'),
        screen: {
          path: 'Setup > Company > Email > Email Preferences > Email Domains (DKIM)',
          confirmed: '2026-11',
        },
        getValues:
          'Enter the domain in a row of its own and save, so NetSuite shows the two records.',
        shownAs: 'Ready',
      },
    },
  },
  {
    id: 'knowbe4',
    name: 'KnowBe4',
    spf: ['_spf.psm.knowbe4.com'],
    returnPathAtRoot: 'optional',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.psm.knowbe4.com'] }],
      spfSteps: {
        screen: { path: 'Account Settings > Phishing > Phishing Settings', confirmed: '2026-11' },
        turnOn: 'Select Overwrite Fixed Return-path Address with Sender Address, then save.',
      },
      dkim: null,
    },
  },
  {
    id: 'exclaimer',
    name: 'Exclaimer',
    spf: ['exclaimer.net'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ terms: ['include:spf.{region}.exclaimer.net'] }], dkim: null },
  },
  {
    id: 'codetwo',
    name: 'CodeTwo',
    spf: ['emailsignatures365.com'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:{spf-host}'] }],
      spfSteps: {
        screen: {
          path: 'CodeTwo Admin Panel > Tenants > Manage tenant > SPF record',
          confirmed: '2026-11',
        },
      },
      dkim: null,
    },
  },
  {
    id: 'valimail',
    name: 'Valimail',
    spf: ['vali.email'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [
        {
          terms: [
            'include:{d}._nspf.vali.email',
            'include:%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email',
          ],
        },
      ],
      dkim: null,
    },
  },
  {
    id: 'ondmarc',
    name: 'Red Sift OnDMARC',
    spf: ['_spf.smart.ondmarc.com'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ terms: ['include:_u.{d}._spf.smart.ondmarc.com'] }], dkim: null },
  },
  {
    id: 'stripe',
    name: 'Stripe',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['dkim.custom-email-domain.stripe.com'],
    evidence: { cnameTargets: ['custom-email-domain.stripe.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          [
            '{selector-1}',
            '{selector-2}',
            '{selector-3}',
            '{selector-4}',
            '{selector-5}',
            '{selector-6}',
          ],
          (selector) => `${selector}.dkim.custom-email-domain.stripe.com`,
        ),
        screen: { path: 'Settings > Customer emails', confirmed: '2026-11' },
        getValues:
          'Add your domain there; Stripe then lists nine records: one TXT for ownership, six DKIM CNAMEs, the bounce CNAME and DMARC.',
        turnOn: 'After every row is verified, set the domain as your sending domain.',
        shownAs: 'Verified',
      },
      returnPath: [{ label: 'bounce', type: 'CNAME', value: 'custom-email-domain.stripe.com' }],
    },
  },
]
