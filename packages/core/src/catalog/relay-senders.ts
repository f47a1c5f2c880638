/** Services that send mail for programs: receipts, alerts, password links. */
import type { Sender } from './sender.js'
import { cnameRecords, cnameRecordsTo, txtKeyRecord, unknownTargetCnames } from './service-setup.js'

export const RELAY_SENDERS: readonly Sender[] = [
  {
    id: 'sendgrid',
    name: 'Twilio SendGrid',
    spf: ['sendgrid.net'],
    returnPathAtRoot: 'never',
    selectors: ['s1', 's2', 'smtpapi'],
    dkimTargets: ['sendgrid.net'],
    evidence: { cnameTargets: ['sendgrid.net'], mxHosts: ['mx.sendgrid.net'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['s1', 's2'],
          (selector) => `${selector}.domainkey.{account}.sendgrid.net`,
        ),
        screen: {
          path: 'Settings > Sender Authentication > Authenticate Your Domain',
          confirmed: '2026-10',
        },
        getValues:
          'Choose your DNS host, enter the domain and copy the CNAME records from Install DNS Records.',
        turnOn: 'Choose Verify.',
        shownAs: 'Verified',
      },
      returnPath: [{ label: 'em{number}', type: 'CNAME', value: '{account}.sendgrid.net' }],
    },
  },
  {
    id: 'mailgun',
    name: 'Mailgun',
    spf: ['mailgun.org'],
    returnPathAtRoot: 'optional',
    selectors: ['pdk1', 'pdk2', 'smtp', 'mailo', 'krs', 'pic', 'k1', 'mta', 'mx', 'email'],
    dkimTargets: ['mailgun.org', 'mailgun.com', 'mgsend.org'],
    evidence: { cnameTargets: ['mailgun.org'], mxHosts: ['mailgun.org'], texts: ['mgverify='] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:mailgun.org'] }],
      dkim: {
        records: unknownTargetCnames('pdk1', 'pdk2'),
        screen: {
          path: 'Send > Sending > Domains > your domain > DNS records',
          confirmed: '2026-10',
        },
        getValues:
          'Copy every record with its full name: Mailgun signs for the domain that you added there, often a subdomain such as mg.',
        turnOn: 'Choose Verify DNS settings.',
        shownAs: 'Active',
        formerTextSelectors: ['smtp', 'mailo', 'krs', 'pic', 'k1', 'mta', 'mx', 'email'],
      },
      returnPath: [
        { label: 'mg', type: 'TXT', value: 'v=spf1 include:mailgun.org ~all', isOptional: true },
        { label: 'mg', type: 'MX', value: '10 mxa.mailgun.org', isOptional: true },
        { label: 'mg', type: 'MX', value: '10 mxb.mailgun.org', isOptional: true },
      ],
    },
  },
  {
    id: 'postmark',
    name: 'Postmark',
    spf: ['spf.mtasv.net'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    evidence: { cnameTargets: ['pm.mtasv.net'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}', 'k=rsa; p={public-key}'),
        screen: { path: 'Sender Signatures > your domain > DNS Settings', confirmed: '2026-10' },
        turnOn: 'Choose Verify beside DKIM and beside Return-Path.',
        shownAs: 'Verified beside DKIM and Return-Path',
        hasOnlyShortKeys: true,
      },
      returnPath: [{ label: 'pm-bounces', type: 'CNAME', value: 'pm.mtasv.net', isOptional: true }],
    },
  },
  {
    id: 'ses',
    name: 'Amazon SES',
    spf: ['amazonses.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['dkim.amazonses.com'],
    evidence: { mxHosts: ['amazonses.com'], texts: ['amazonses:'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['{token-1}', '{token-2}', '{token-3}'],
          (selector) => `${selector}.dkim.amazonses.com`,
        ),
        screen: {
          path: 'Amazon SES console > Configuration > Identities > your domain > Authentication',
          confirmed: '2026-11',
        },
        getValues:
          'Choose the AWS Region you send from, then open Publish DNS records and copy the three CNAME records.',
        shownAs: 'DKIM configuration: Successful',
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
    id: 'mandrill',
    name: 'Mailchimp Transactional',
    spf: ['spf.mandrillapp.com'],
    returnPathAtRoot: 'never',
    selectors: ['mte1', 'mte2', 'mandrill'],
    dkimTargets: ['mandrillapp.com'],
    evidence: { cnameTargets: ['mandrillapp.com'], texts: ['mandrill_verify.'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ mte1: 'dkim1.mandrillapp.com', mte2: 'dkim2.mandrillapp.com' }),
        screen: {
          path: 'Mailchimp Transactional > Settings > Domains > View details',
          confirmed: '2026-11',
        },
        turnOn: 'Choose Test DNS Settings.',
        formerTextSelectors: ['mandrill'],
      },
      returnPath: [{ label: '{bounce}', type: 'CNAME', value: '{target}', isOptional: true }],
    },
  },
  {
    id: 'sparkpost',
    name: 'SparkPost / Bird',
    spf: ['sparkpostmail.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    evidence: { cnameTargets: ['sparkpostmail.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}', 'v=DKIM1; k=rsa; h=sha256; p={public-key}'),
        screen: {
          path: 'Configuration > Domains > Sending Domains > your domain',
          confirmed: '2026-11',
        },
        turnOn: 'Choose Verify Domain.',
      },
      returnPath: [
        { label: '{bounce}', type: 'CNAME', value: 'sparkpostmail.com', isOptional: true },
      ],
    },
  },
  {
    id: 'mailjet',
    name: 'Mailjet',
    spf: ['spf.mailjet.com'],
    returnPathAtRoot: 'never',
    selectors: ['mailjet'],
    dkimTargets: [],
    evidence: { cnameTargets: ['mailjet.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('mailjet', 'k=rsa; p={public-key}'),
        screen: {
          path: 'Account settings > Sender domains & addresses > Manage > Authenticate this domain (SPF/DKIM)',
          confirmed: '2026-11',
        },
        shownAs: 'a green check beside SPF and DKIM',
      },
      returnPath: [{ label: 'bnc3', type: 'CNAME', value: 'bnc3.mailjet.com', isOptional: true }],
    },
  },
  {
    id: 'mailersend',
    name: 'MailerSend',
    spf: ['_spf.mailersend.net'],
    returnPathAtRoot: 'never',
    selectors: ['ms1', 'ms2', 'mlsend2', 'mlsend'],
    dkimTargets: ['mailersend.net'],
    evidence: { cnameTargets: ['mailersend.net'], mxHosts: ['mailersend.net'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['ms1', 'ms2'],
          (selector) => `${selector}._domainkey.mailersend.net`,
        ),
        screen: { path: 'Domains > your domain', confirmed: '2026-10' },
        shownAs: 'Verified',
      },
      returnPath: [{ label: 'mta', type: 'CNAME', value: 'mailersend.net' }],
    },
  },
  {
    id: 'resend',
    name: 'Resend',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['resend'],
    dkimTargets: [],
    evidence: {
      cnameTargets: ['forge.rmta.net', 'resend-dns.com'],
      texts: ['resend-domain-verification='],
    },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('resend', 'p={public-key}'),
        screen: { path: 'Domains > your domain', confirmed: '2026-11' },
        getValues:
          'Copy the records exactly as shown: newer domains have CNAME records at send and rsend, older ones an MX and a TXT record at send.',
        turnOn: 'Choose Verify DNS Records.',
        shownAs: 'Verified',
        hasOnlyShortKeys: true,
      },
      returnPath: [
        { label: 'send', type: 'CNAME', value: 'send.forge.rmta.net' },
        { label: 'rsend', type: 'CNAME', value: '{host}.forge.rmta.net' },
      ],
    },
  },
  {
    id: 'elastic',
    name: 'Elastic Email',
    spf: ['_spf.elasticemail.com'],
    returnPathAtRoot: 'optional',
    selectors: ['api'],
    dkimTargets: [],
    evidence: { cnameTargets: ['elasticemail.com', 'elasticemail.net'] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.elasticemail.com'] }],
      dkim: {
        records: txtKeyRecord('api', 'k=rsa; t=s; p={public-key}'),
        screen: { path: 'Settings > Domains > Manage Domains', confirmed: '2026-11' },
        getValues: 'Choose Start Verification and the domain option, then enter the domain.',
        turnOn: 'Choose Verify record.',
      },
      returnPath: [
        { label: '{bounce}', type: 'CNAME', value: 'bounces.elasticemail.net', isOptional: true },
      ],
    },
  },
  {
    id: 'smtp2go',
    name: 'SMTP2GO',
    spf: ['spf.smtp2go.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['smtp2go.net'],
    evidence: { cnameTargets: ['smtp2go.net'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ 's{account}': 'dkim.smtp2go.net' }),
        screen: { path: 'Sending > Verified Senders', confirmed: '2026-10' },
        getValues: 'Add the domain as a verified sender, then copy the CNAME records.',
      },
      returnPath: [{ label: 'em{account}', type: 'CNAME', value: 'return.smtp2go.net' }],
    },
  },
  {
    id: 'smtpcom',
    name: 'SMTP.com',
    spf: ['_spf.smtp.com'],
    returnPathAtRoot: 'optional',
    selectors: ['smtpcomcustomers'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.smtp.com'] }],
      dkim: {
        records: txtKeyRecord('{selector}', 'k=rsa; p={public-key}'),
        screen: null,
        getValues: 'Ask SMTP.com support for the selector and the key.',
      },
    },
  },
  {
    id: 'socketlabs',
    name: 'SocketLabs',
    spf: ['email-od.com'],
    returnPathAtRoot: 'never',
    selectors: ['dkim'],
    dkimTargets: ['_domainkey.email-od.com'],
    evidence: { cnameTargets: ['tracking.socketlabs.com'] },
    setup: {
      mx: [],
      spf: [],
      dkim: { records: cnameRecordsTo({ dkim: 'dkim._domainkey.email-od.com' }), screen: null },
      returnPath: [
        { label: '{bounce}', type: 'CNAME', value: 'tracking.socketlabs.com', isOptional: true },
      ],
    },
  },
  {
    id: 'zeptomail',
    name: 'ZeptoMail',
    spf: ['zeptomail.net', 'transmail.net'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    evidence: { cnameTargets: ['zeptomail.com', 'zeptomail.eu', 'zeptomail.in'] },
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}', 'k=rsa; p={public-key}'),
        screen: { path: 'Domains > your domain', confirmed: '2026-11' },
        turnOn: 'Choose Verify.',
        shownAs: 'Verified beside DKIM and CNAME',
      },
      returnPath: [{ label: 'bounce-zem', type: 'CNAME', value: 'cluster89.zeptomail.{region}' }],
    },
  },
  {
    id: 'mailchannels',
    name: 'MailChannels',
    spf: ['relay.mailchannels.net'],
    returnPathAtRoot: 'always',
    selectors: ['mailchannels'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:relay.mailchannels.net'] }],
      dkim: {
        records: txtKeyRecord('mailchannels'),
        screen: null,
        getValues: 'Create an RSA key pair yourself and publish its public half.',
        turnOn:
          'Pass the private key, the selector and the domain to MailChannels with each message.',
        relaysSignatures: true,
      },
    },
  },
  {
    id: 'netcore',
    name: 'Netcore (Pepipost)',
    spf: ['_spf.pepipost.net'],
    returnPathAtRoot: 'optional',
    selectors: ['pepipost'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.pepipost.net'] }],
      dkim: { records: txtKeyRecord('pepipost', 'k=rsa; p={public-key}'), screen: null },
    },
  },
  {
    id: 'cloudflare-sending',
    name: 'Cloudflare Email Service (sending)',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['cf-bounce'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('cf-bounce', 'v=DKIM1; h=sha256; k=rsa; p={public-key}'),
        screen: {
          path: 'Cloudflare dashboard > Compute > Email Service > Email Sending > Settings',
          confirmed: '2026-11',
        },
        getValues:
          'Choose Onboard Domain if the domain is not listed; Cloudflare then adds and locks the records itself.',
        shownAs: 'Locked beside each record',
      },
    },
  },
]
