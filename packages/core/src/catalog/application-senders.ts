/** Help desks, shops and other applications that send mail, and services that host its records. */
import type { Sender } from './sender.js'
import {
  cnameRecords,
  cnameRecordsTo,
  confirmAtService,
  copyFromService,
  txtKeyRecord,
  unknownTargetCnames,
} from './service-setup.js'

export const APPLICATION_SENDERS: readonly Sender[] = [
  {
    id: 'zendesk',
    name: 'Zendesk',
    spf: ['mail.zendesk.com'],
    returnPathAtRoot: 'always',
    selectors: ['zendesk1', 'zendesk2'],
    dkimTargets: ['_domainkey.zendesk.com'],
    setup: {
      mx: [],
      spf: [{ term: 'include:mail.zendesk.com' }],
      dkim: {
        records: cnameRecords(
          ['zendesk1', 'zendesk2'],
          (selector) => `${selector}._domainkey.zendesk.com`,
        ),
        instructions: confirmAtService('Zendesk'),
      },
    },
  },
  {
    id: 'salesforce',
    name: 'Salesforce',
    spf: ['_spf.salesforce.com'],
    returnPathAtRoot: 'always',
    selectors: ['sf1', 'sf2'],
    dkimTargets: ['custdkim.salesforce.com'],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.salesforce.com' }],
      dkim: {
        records: cnameRecords(
          ['{selector-1}', '{selector-2}'],
          (selector) => `${selector}.{salesforce-token}.custdkim.salesforce.com`,
        ),
        instructions:
          'In Salesforce Setup under DKIM Keys: choose two selectors, such as sf1 and sf2, publish the targets it shows, then activate the key.',
      },
    },
  },
  {
    id: 'freshdesk',
    name: 'Freshdesk / Freshworks',
    spf: ['email.freshdesk.com'],
    returnPathAtRoot: 'always',
    selectors: ['fwdkim1', 's1', 's2', 's3'],
    dkimTargets: ['domainkey.freshemail.io'],
    setup: {
      mx: [],
      spf: [{ term: 'include:email.freshdesk.com' }],
      dkim: {
        records: unknownTargetCnames('{selector}'),
        instructions:
          'Copy every CNAME that Freshdesk lists for the domain in its DKIM settings. There are several, each with its own selector.',
      },
    },
  },
  {
    id: 'helpscout',
    name: 'Help Scout',
    spf: ['helpscoutemail.com'],
    returnPathAtRoot: 'always',
    selectors: ['strong1', 'strong2'],
    dkimTargets: ['_domainkey.helpscout.net'],
    setup: {
      mx: [],
      spf: [{ term: 'include:helpscoutemail.com' }],
      dkim: {
        records: cnameRecords(
          ['strong1', 'strong2'],
          (selector) => `${selector}._domainkey.helpscout.net`,
        ),
        instructions: confirmAtService('Help Scout'),
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
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ intercom: '{account-id}.dkim.intercom.io' }),
        instructions: copyFromService('Intercom'),
      },
    },
  },
  {
    id: 'front',
    name: 'Front',
    spf: ['_spf.frontapp.com'],
    returnPathAtRoot: 'optional',
    selectors: ['m1', 'm2', 's1', 's2'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: unknownTargetCnames('{selector-1}', '{selector-2}'),
        instructions: copyFromService('Front'),
      },
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
      spf: [{ term: 'include:mailgun.org' }],
      dkim: {
        records: unknownTargetCnames('gor', 'gor2'),
        instructions: copyFromService('Gorgias'),
      },
    },
  },
  {
    id: 'shopify',
    name: 'Shopify',
    spf: ['shops.shopify.com'],
    returnPathAtRoot: 'optional',
    selectors: [],
    dkimTargets: ['email.myshopify.com'],
    setup: {
      mx: [],
      spf: [{ term: 'include:shops.shopify.com' }],
      dkim: {
        records: cnameRecordsTo({
          '{selector-1}': 'dkim1.{shop-id}.email.myshopify.com',
          '{selector-2}': 'dkim2.{shop-id}.email.myshopify.com',
          '{selector-3}': 'dkim3.{shop-id}.email.myshopify.com',
        }),
        instructions: copyFromService('Shopify'),
      },
    },
  },
  {
    id: 'firebase',
    name: 'Firebase Auth mail',
    spf: ['_spf.firebasemail.com'],
    returnPathAtRoot: 'always',
    selectors: ['firebase1', 'firebase2'],
    dkimTargets: ['_domainkey.firebasemail.com'],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.firebasemail.com' }],
      dkim: {
        records: cnameRecordsTo({
          firebase1: 'mail-{dd}.dkim1._domainkey.firebasemail.com',
          firebase2: 'mail-{dd}.dkim2._domainkey.firebasemail.com',
        }),
        instructions: confirmAtService('Firebase'),
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
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({
          clk: 'dkim1.{clerk-token}.clerk.services',
          clk2: 'dkim2.{clerk-token}.clerk.services',
        }),
        instructions: copyFromService('Clerk'),
      },
    },
  },
  {
    id: 'atlassian',
    name: 'Atlassian Cloud',
    spf: ['_spf.atlassian.net'],
    returnPathAtRoot: 'optional',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.atlassian.net' }],
      dkim: {
        records: unknownTargetCnames('{selector-1}', '{selector-2}'),
        instructions: copyFromService('Atlassian'),
      },
    },
  },
  {
    id: 'servicenow',
    name: 'ServiceNow',
    spf: ['_spf.service-now.com'],
    returnPathAtRoot: 'optional',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.service-now.com' }],
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('ServiceNow') },
    },
  },
  {
    id: 'netsuite',
    name: 'Oracle NetSuite',
    spf: ['mailsenders.netsuite.com'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:mailsenders.netsuite.com' }],
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('NetSuite') },
    },
  },
  {
    id: 'knowbe4',
    name: 'KnowBe4',
    spf: ['_spf.psm.knowbe4.com'],
    returnPathAtRoot: 'optional',
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ term: 'include:_spf.psm.knowbe4.com' }], dkim: null },
  },
  {
    id: 'exclaimer',
    name: 'Exclaimer',
    spf: ['exclaimer.net'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [], dkim: null },
  },
  {
    id: 'codetwo',
    name: 'CodeTwo',
    spf: ['emailsignatures365.com'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [], dkim: null },
  },
  {
    id: 'valimail',
    name: 'Valimail',
    spf: ['vali.email'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ term: 'include:{d}._nspf.vali.email' }], dkim: null },
  },
  {
    id: 'ondmarc',
    name: 'Red Sift OnDMARC',
    spf: ['_spf.smart.ondmarc.com'],
    returnPathAtRoot: 'always',
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ term: 'include:_u.{d}._spf.smart.ondmarc.com' }], dkim: null },
  },
]
