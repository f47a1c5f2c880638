/** Services for campaigns and newsletters. */
import type { Sender } from './sender.js'
import {
  cnameRecords,
  cnameRecordsTo,
  recordsBelow,
  txtKeyRecord,
  unknownTargetCnames,
} from './service-setup.js'

export const CAMPAIGN_SENDERS: readonly Sender[] = [
  {
    id: 'mailchimp',
    name: 'Mailchimp',
    spf: ['servers.mcsv.net'],
    returnPathAtRoot: 'never',
    selectors: ['k1', 'k2', 'k3'],
    dkimTargets: ['mcsv.net'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ k2: 'dkim2.mcsv.net', k3: 'dkim3.mcsv.net' }),
        screen: {
          path: 'Account & billing > Domains > Start Authentication',
          confirmed: '2026-11',
        },
        getValues:
          'Verify an email address at the domain first, then choose Start Authentication and the manual way.',
        shownAs: 'Authenticated',
      },
    },
  },
  {
    id: 'hubspot',
    name: 'HubSpot',
    spf: ['hubspotemail.net'],
    returnPathAtRoot: 'never',
    selectors: ['hs1', 'hs2'],
    dkimTargets: ['dkim.hubspotemail.net'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({
          'hs1-{portal}': '{target-1}.dkim.hubspotemail.net',
          'hs2-{portal}': '{target-2}.dkim.hubspotemail.net',
        }),
        screen: {
          path: 'Settings > Content > Domains & URLs > Connect a domain > Email Sending',
          confirmed: '2026-07',
        },
        getValues:
          'Copy both CNAME records; your portal ID is the number in their names and in an SPF term such as include:1234567.spf04.hubspotemail.net.',
        turnOn: 'Choose Verify.',
        tokenInInclude: { token: 'portal', pattern: /^(\d{1,12})\.spf\d+\.hubspotemail\.net$/ },
      },
    },
  },
  {
    id: 'sfmc',
    name: 'Salesforce Marketing Cloud',
    spf: ['cust-spf.exacttarget.com'],
    returnPathAtRoot: 'never',
    selectors: ['10dkim1', '11dkim1', '12dkim1', '13dkim1', '50dkim1', '51dkim1', '200608', 'fdm'],
    dkimTargets: [],
    evidence: { mxHosts: ['exacttarget.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: recordsBelow('{subdomain}', txtKeyRecord('{selector}', '{record}')),
        screen: null,
        getValues:
          'Ask Salesforce for the records of your Sender Authentication Package or private domain.',
      },
      returnPath: [
        { label: 'bounce.{subdomain}', type: 'MX', value: '10 bounces.{stack}.exacttarget.com' },
        {
          label: 'bounce.{subdomain}',
          type: 'TXT',
          value: 'v=spf1 include:cust-spf.exacttarget.com -all',
        },
      ],
    },
  },
  {
    id: 'pardot',
    name: 'Account Engagement (Pardot)',
    spf: ['aspmx.pardot.com'],
    returnPathAtRoot: 'never',
    selectors: ['200608'],
    dkimTargets: [],
    evidence: { texts: ['pardot'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('200608', '{record}'),
        screen: {
          path: 'Account Engagement Settings > Domain Management > Add New Domain',
          confirmed: '2026-11',
        },
      },
    },
  },
  {
    id: 'klaviyo',
    name: 'Klaviyo',
    spf: ['send.klaviyo.com'],
    returnPathAtRoot: 'never',
    selectors: ['kl', 'kl2', 'mtd1', 'mtd2', 'km1', 'km2', 'ks1', 'ks2', 'kt1', 'kt2'],
    dkimTargets: ['klaviyodns.com'],
    evidence: { cnameTargets: ['klaviyodns.com'], texts: ['klaviyo-site-verification='] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: recordsBelow(
          'send',
          cnameRecordsTo({
            '{selector-1}': '{target-1}.klaviyodns.com',
            '{selector-2}': '{target-2}.klaviyodns.com',
          }),
        ),
        screen: { path: 'Settings > Domains', confirmed: '2026-09' },
        getValues:
          'Copy every record name exactly as shown, and choose static routing if your DNS host cannot create NS records for a subdomain.',
        turnOn: 'Choose Verify, then Apply domain.',
      },
      returnPath: [{ label: 'send', type: 'CNAME', value: '{target}.klaviyodns.com' }],
      otherLabels: ['news', 'kl'],
    },
  },
  {
    id: 'brevo',
    name: 'Brevo (Sendinblue)',
    spf: ['spf.brevo.com', 'spf.sendinblue.com'],
    returnPathAtRoot: 'never',
    selectors: ['brevo1', 'brevo2', 'mail'],
    dkimTargets: ['dkim.brevo.com'],
    evidence: { texts: ['brevo-code:', 'sendinblue-code:'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({
          brevo1: 'b1.{dd}.dkim.brevo.com',
          brevo2: 'b2.{dd}.dkim.brevo.com',
        }),
        screen: { path: 'Settings > Senders, Domains, IPs > Domains', confirmed: '2026-11' },
        getValues: 'Choose Authenticate next to the domain, then authenticate it yourself.',
        turnOn: 'Choose Authenticate this email domain.',
        shownAs: 'Authenticated',
        formerTextSelectors: ['mail'],
      },
    },
  },
  {
    id: 'mailerlite',
    name: 'MailerLite',
    spf: ['_spf.mlsend.com'],
    returnPathAtRoot: 'never',
    selectors: ['litesrv', 'ml'],
    dkimTargets: ['_domainkey.mlsend.com'],
    evidence: { texts: ['mailerlite-domain-verification='] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.mlsend.com'] }],
      dkim: {
        records: cnameRecordsTo({ litesrv: 'litesrv._domainkey.mlsend.com' }),
        screen: { path: 'Account settings > Domains', confirmed: '2026-11' },
        getValues: 'Choose Authenticate next to the domain, then the manual way.',
        turnOn: 'Choose Check DNS records.',
        shownAs: 'Authenticated',
      },
      returnPath: [
        { label: '{prefix}', type: 'MX', value: '10 {mx-host}', isOptional: true },
        { label: '{prefix}', type: 'TXT', value: '{spf-record}', isOptional: true },
      ],
    },
  },
  {
    id: 'constantcontact',
    name: 'Constant Contact',
    spf: ['spf.constantcontact.com'],
    returnPathAtRoot: 'never',
    selectors: ['ctct1', 'ctct2'],
    dkimTargets: ['ccsend.com'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({
          ctct1: '100._domainkey.dkim1.ccsend.com',
          ctct2: '200._domainkey.dkim2.ccsend.com',
        }),
        screen: {
          path: 'Account settings > Advanced settings > Add self-authentication',
          confirmed: '2026-11',
        },
        getValues:
          'Choose Self-authenticate using DKIM CNAME records, enter the domain and choose Generate DKIM key.',
        turnOn: 'Open Check status or Manage under Advanced settings and choose Activate.',
        shownAs: 'Valid Record Found beside both CNAME records',
      },
    },
  },
  {
    id: 'campaignmonitor',
    name: 'Campaign Monitor',
    spf: ['_spf.createsend.com'],
    returnPathAtRoot: 'never',
    selectors: ['cm'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('cm', 'k=rsa; p={public-key}'),
        screen: { path: 'Account settings > Sending domains > Add domain', confirmed: '2026-11' },
        getValues: 'Open View details of the domain and copy the record.',
        turnOn: 'Choose Authenticate Now.',
      },
    },
  },
  {
    id: 'activecampaign',
    name: 'ActiveCampaign',
    spf: ['emsd1.com'],
    returnPathAtRoot: 'never',
    selectors: ['acdkim1', 'acdkim2', 'dk'],
    dkimTargets: ['acems1.com'],
    evidence: { cnameTargets: ['activehosted.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(['acdkim1', 'acdkim2'], (selector) => `dkim.${selector}.acems1.com`),
        screen: { path: 'Settings > Advanced > Sending Domain', confirmed: '2026-11' },
        getValues: 'Choose Set up Manually and copy the records.',
        turnOn: 'Choose Verify.',
        formerTextSelectors: ['dk'],
      },
      returnPath: [
        { label: 'em', type: 'CNAME', value: '{account}.activehosted.com', isOptional: true },
      ],
    },
  },
  {
    id: 'kit',
    name: 'Kit (ConvertKit)',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['cka', 'cka2'],
    dkimTargets: ['convertkit.com'],
    evidence: { cnameTargets: ['convertkit.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({
          cka: 'dkim.{target-1}.convertkit.com',
          cka2: 'dkim2.{target-2}.convertkit.com',
        }),
        screen: { path: 'Settings > Email', confirmed: '2026-11' },
        getValues: 'Open Verified Sending Domains and copy the CNAME records of the domain.',
        turnOn: 'Choose Validate.',
        shownAs: 'Verified',
      },
      returnPath: [{ label: 'ckespa', type: 'CNAME', value: 'spf.{target-3}.convertkit.com' }],
    },
  },
  {
    id: 'aweber',
    name: 'AWeber',
    spf: ['send.aweber.com'],
    returnPathAtRoot: 'never',
    selectors: ['aweber_key_a', 'aweber_key_b', 'aweber_key_c'],
    dkimTargets: ['send.aweber.com'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['aweber_key_a', 'aweber_key_b', 'aweber_key_c'],
          (selector) => `${selector}.send.aweber.com`,
        ),
        screen: null,
      },
    },
  },
  {
    id: 'getresponse',
    name: 'GetResponse',
    spf: ['_spf.getresponse.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: { records: txtKeyRecord('{selector}', '{record}'), screen: null },
    },
  },
  {
    id: 'customerio',
    name: 'Customer.io',
    spf: ['customeriomail.com'],
    returnPathAtRoot: 'never',
    selectors: ['krs', 'mta'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: recordsBelow('cio{id}', txtKeyRecord('{selector}', 'k=rsa; p={public-key}')),
        screen: {
          path: 'Settings > Workspace Settings > Email > Sending Domains',
          confirmed: '2026-07',
        },
        getValues: 'Choose Show Records of the domain.',
        turnOn: 'Choose Verify Domain.',
      },
      returnPath: [
        { label: 'cio{id}', type: 'MX', value: '10 {mx-host-1}' },
        { label: 'cio{id}', type: 'MX', value: '10 {mx-host-2}' },
        { label: 'cio{id}', type: 'TXT', value: 'v=spf1 include:{spf-host} ~all' },
      ],
    },
  },
  {
    id: 'marketo',
    name: 'Adobe Marketo Engage',
    spf: ['mktomail.com'],
    returnPathAtRoot: 'optional',
    selectors: ['m1'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:mktomail.com'] }],
      dkim: {
        records: txtKeyRecord('{selector}', '{record}'),
        screen: { path: 'Admin > Email > SPF/DKIM > Add Domain', confirmed: '2026-11' },
        getValues: 'Enter the From domain, choose a selector and select a key size of 2048.',
        turnOn: 'Select the domain and choose Check DNS.',
      },
    },
  },
  {
    id: 'eloqua',
    name: 'Oracle Eloqua',
    spf: ['spf.en25.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}', '{record}'),
        screen: null,
        getValues:
          'Request DKIM signing of the domain from Oracle, as part of the Branding and Deliverability package.',
      },
    },
  },
  {
    id: 'responsys',
    name: 'Oracle Responsys',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['responsys'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: [],
        screen: null,
        getValues:
          'Delegate a subdomain to the Oracle Responsys name servers that your account team gives you.',
      },
    },
  },
  {
    id: 'squarespace',
    name: 'Squarespace Email Campaigns',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['squarespace'],
    dkimTargets: ['squarespace-mail.com'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ squarespace: 'squarespace-domainkey.squarespace-mail.com' }),
        screen: {
          path: 'Marketing > Email Campaigns > Settings > Sender Details > Authenticate',
          confirmed: '2024-12',
        },
      },
    },
  },
  {
    id: 'zohocampaigns',
    name: 'Zoho Campaigns',
    spf: ['zcsend.net'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}', 'k=rsa; p={public-key}'),
        screen: { path: 'Settings > Domain Authentication', confirmed: '2026-08' },
      },
    },
  },
  {
    id: 'sendernet',
    name: 'Sender.net',
    spf: ['sendersrv.com'],
    returnPathAtRoot: 'optional',
    selectors: ['sender'],
    dkimTargets: ['dkim.sendersrv.com'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:sendersrv.com'] }],
      dkim: {
        records: cnameRecordsTo({ sender: 'dkim.sendersrv.com' }),
        screen: { path: 'Settings > Sender Domains > Authenticate', confirmed: '2026-11' },
      },
    },
  },
  {
    id: 'emailoctopus',
    name: 'EmailOctopus',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['eo'],
    dkimTargets: ['eoidentity.com'],
    evidence: { cnameTargets: ['eoidentity.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ eo: 'eo._domainkey.{account}.eoidentity.com' }),
        screen: null,
      },
      returnPath: [{ label: 'eom', type: 'CNAME', value: 'eom.{account}.eoidentity.com' }],
    },
  },
  {
    id: 'mailercloud',
    name: 'Mailercloud',
    spf: ['mlrcloud.com'],
    returnPathAtRoot: 'optional',
    selectors: ['mlrcloud'],
    dkimTargets: ['dkim.mlrcloud.com'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:mlrcloud.com'] }],
      dkim: { records: cnameRecordsTo({ '{selector}': 'dkim.mlrcloud.com' }), screen: null },
    },
  },
  {
    id: 'keap',
    name: 'Keap (Infusionsoft)',
    spf: ['infusionmail.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['infusionmail.com'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: unknownTargetCnames('{selector-1}', '{selector-2}', '{selector-3}'),
        screen: { path: 'Settings > Domains > Connect Email Domain', confirmed: '2026-11' },
        getValues: 'Enter the domain, select your domain host and copy the CNAME records.',
      },
    },
  },
  {
    id: 'emma',
    name: 'Emma',
    spf: ['e2ma.net'],
    returnPathAtRoot: 'never',
    selectors: ['e2ma-k1', 'e2ma-k2', 'e2ma-k3'],
    dkimTargets: ['dkim.e2ma.net'],
    evidence: { texts: ['e2ma-verification='] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['e2ma-k1', 'e2ma-k2', 'e2ma-k3'],
          (selector) => `${selector}.dkim.e2ma.net`,
        ),
        screen: { path: 'Account > Deliverability', confirmed: '2026-11' },
        getValues:
          'Open Account from the gear icon and copy the TXT record together with the three CNAME records.',
      },
    },
  },
  {
    id: 'sailthru',
    name: 'Sailthru',
    spf: ['aspmx.sailthru.com'],
    returnPathAtRoot: 'optional',
    selectors: ['sailthru'],
    dkimTargets: ['sailthrudkim.com'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:aspmx.sailthru.com'] }],
      dkim: { records: cnameRecordsTo({ sailthru: '{account}.sailthrudkim.com' }), screen: null },
    },
  },
  {
    id: 'everlytic',
    name: 'Everlytic',
    spf: ['everlytic.net'],
    returnPathAtRoot: 'optional',
    selectors: ['everlytickey1', 'everlytickey2', 'eversrv'],
    dkimTargets: ['eversrv.com'],
    setup: {
      mx: [],
      spf: [{ terms: ['include:everlytic.net'] }],
      dkim: {
        records: [
          ...txtKeyRecord('everlytickey1', '{record-1}'),
          ...txtKeyRecord('everlytickey2', '{record-2}'),
        ],
        screen: null,
      },
    },
  },
  {
    id: 'sendpulse',
    name: 'SendPulse',
    spf: ['spf.sendpulse.com', 'mxsspf.sendpulse.com'],
    returnPathAtRoot: 'optional',
    selectors: ['sign'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:mxsspf.sendpulse.com'] }],
      dkim: {
        records: txtKeyRecord('sign'),
        screen: { path: 'Email > Service settings > Domain settings', confirmed: '2026-11' },
      },
    },
  },
  {
    id: 'moosend',
    name: 'Moosend',
    spf: ['spfa.mailendo.com'],
    returnPathAtRoot: 'optional',
    selectors: ['ms'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:spfa.mailendo.com'] }],
      dkim: {
        records: txtKeyRecord('ms', 'k=rsa; p={public-key}'),
        screen: { path: 'Settings > Senders > your sender', confirmed: '2021-05' },
        turnOn: 'Choose Verify DNS records.',
        shownAs: 'TXT records verification succeeded',
      },
    },
  },
  {
    id: 'leadconnector',
    name: 'LeadConnector (GoHighLevel)',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['mailo', 'pic', 'smtp'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: recordsBelow('{subdomain}', txtKeyRecord('{selector}', 'k=rsa; p={public-key}')),
        screen: {
          path: 'Settings > Email Services > Dedicated Domain And IP > Add Domain',
          confirmed: '2026-09',
        },
        getValues: 'Enter a subdomain that has no MX or SPF record yet.',
        shownAs: 'Active',
      },
      returnPath: [
        {
          label: '{subdomain}',
          type: 'TXT',
          value: 'v=spf1 include:spf.leadconnectorhq.com include:mailgun.org ~all',
        },
        { label: '{subdomain}', type: 'MX', value: '10 mxa.mailgun.org' },
        { label: '{subdomain}', type: 'MX', value: '10 mxb.mailgun.org' },
      ],
    },
  },
  {
    // Sends through Amazon SES, which owns its keys.
    id: 'loops',
    name: 'Loops',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: recordsBelow(
          '{subdomain}',
          cnameRecords(
            ['{token-1}', '{token-2}', '{token-3}'],
            (selector) => `${selector}.dkim.amazonses.com`,
          ),
        ),
        screen: { path: 'Settings > Domain', confirmed: '2026-11' },
        turnOn: 'Choose Verify.',
        shownAs: 'Records present',
      },
      returnPath: [
        {
          label: 'envelope.{subdomain}',
          type: 'MX',
          value: '10 feedback-smtp.{region}.amazonses.com',
        },
        { label: 'envelope.{subdomain}', type: 'TXT', value: 'v=spf1 include:amazonses.com ~all' },
      ],
    },
  },
  {
    id: 'omnisend',
    name: 'Omnisend',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: [],
        screen: { path: 'Store settings > Sender domains', confirmed: '2026-09' },
      },
    },
  },
  {
    id: 'wix',
    name: 'Wix Email Marketing',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['s1', 's2', 'sel1', 'sel2'],
    dkimTargets: ['ascendbywix.com'],
    evidence: { cnameTargets: ['ascendbywix.com', 'wixemails.com'] },
    defaultDmarc: { type: 'CNAME', values: ['_dmarc.wixemails.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: [
          ...cnameRecords(
            ['s1', 's2'],
            (selector) => `${selector}._domainkey.{d}.s{number}.ascendbywix.com`,
          ),
          ...unknownTargetCnames('sel1', 'sel2'),
        ],
        screen: {
          path: 'Email Marketing > Sender Details > Edit Details > Authenticate this domain',
          confirmed: '2026-11',
        },
        getValues: 'Confirm the sender address first, because the records appear only after that.',
        shownAs: 'Domain status: Authenticated',
      },
      returnPath: [{ label: 'sg', type: 'CNAME', value: '{target-3}' }],
    },
  },
]
