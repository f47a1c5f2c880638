/** Services that send mail for programs: receipts, alerts, password links. */
import type { Sender } from './sender.js'
import {
  cnameRecords,
  cnameRecordsTo,
  confirmAtService,
  copyFromService,
  txtKeyRecord,
  unknownTargetCnames,
} from './service-setup.js'

export const RELAY_SENDERS: readonly Sender[] = [
  {
    id: 'sendgrid',
    name: 'Twilio SendGrid',
    spf: ['sendgrid.net'],
    returnPathAtRoot: 'never',
    selectors: ['s1', 's2', 'smtpapi'],
    dkimTargets: ['sendgrid.net'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['s1', 's2'],
          (selector) => `${selector}.domainkey.{sendgrid-account}.sendgrid.net`,
        ),
        instructions:
          'In SendGrid under Settings > Sender Authentication: authenticate the domain and copy the targets.',
      },
    },
  },
  {
    id: 'mailgun',
    name: 'Mailgun',
    spf: ['mailgun.org'],
    returnPathAtRoot: 'never',
    selectors: ['pdk1', 'pdk2', 'smtp', 'mailo', 'krs', 'pic', 'k1', 'mta', 'mx', 'email'],
    dkimTargets: ['mailgun.org', 'mailgun.com', 'mgsend.org'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: unknownTargetCnames('pdk1', 'pdk2'),
        instructions: copyFromService('Mailgun'),
      },
    },
  },
  {
    id: 'postmark',
    name: 'Postmark',
    spf: ['spf.mtasv.net'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}', 'k=rsa; p={public-key}'),
        instructions:
          'In Postmark under Sender Signatures: open the DNS settings of the domain and copy the name and the key.',
      },
    },
  },
  {
    id: 'ses',
    name: 'Amazon SES',
    spf: ['amazonses.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['dkim.amazonses.com'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecords(
          ['{token-1}', '{token-2}', '{token-3}'],
          (selector) => `${selector}.dkim.amazonses.com`,
        ),
        instructions:
          'In Amazon SES under Identities: open the domain and copy the three DKIM records.',
      },
    },
  },
  {
    id: 'mandrill',
    name: 'Mailchimp Transactional',
    spf: ['spf.mandrillapp.com'],
    returnPathAtRoot: 'never',
    selectors: ['mte1', 'mte2', 'mandrill'],
    dkimTargets: ['mandrillapp.com'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ mte1: 'dkim1.mandrillapp.com', mte2: 'dkim2.mandrillapp.com' }),
        instructions: confirmAtService('Mailchimp Transactional'),
      },
    },
  },
  {
    id: 'sparkpost',
    name: 'SparkPost / Bird',
    spf: ['sparkpostmail.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}', 'v=DKIM1; k=rsa; h=sha256; p={public-key}'),
        instructions: copyFromService('SparkPost'),
      },
    },
  },
  {
    id: 'mailjet',
    name: 'Mailjet',
    spf: ['spf.mailjet.com'],
    returnPathAtRoot: 'optional',
    selectors: ['mailjet'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:spf.mailjet.com' }],
      dkim: {
        records: txtKeyRecord('mailjet', 'k=rsa; p={public-key}'),
        instructions: copyFromService('Mailjet'),
      },
    },
  },
  {
    id: 'mailersend',
    name: 'MailerSend',
    spf: ['_spf.mailersend.net'],
    returnPathAtRoot: 'optional',
    selectors: ['mlsend', 'mlsend2'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.mailersend.net' }],
      dkim: {
        records: unknownTargetCnames('mlsend', 'mlsend2'),
        instructions: copyFromService('MailerSend'),
      },
    },
  },
  {
    id: 'resend',
    name: 'Resend',
    spf: [],
    returnPathAtRoot: 'never',
    selectors: ['resend'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('resend', 'p={public-key}'),
        instructions: 'In Resend under Domains: open the domain and copy the key.',
      },
    },
  },
  {
    id: 'elastic',
    name: 'Elastic Email',
    spf: ['_spf.elasticemail.com'],
    returnPathAtRoot: 'always',
    selectors: ['api'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.elasticemail.com' }],
      dkim: {
        records: txtKeyRecord('api', 'k=rsa; t=s; p={public-key}'),
        instructions: copyFromService('Elastic Email'),
      },
    },
  },
  {
    id: 'smtp2go',
    name: 'SMTP2GO',
    spf: ['spf.smtp2go.com'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: ['dkim.smtp2go.net'],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: cnameRecordsTo({ 's{account-id}': 'dkim.smtp2go.net' }),
        instructions: copyFromService('SMTP2GO'),
      },
    },
  },
  {
    id: 'smtpcom',
    name: 'SMTP.com',
    spf: ['_spf.smtp.com'],
    returnPathAtRoot: 'always',
    selectors: ['smtpcustomer'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.smtp.com' }],
      dkim: { records: txtKeyRecord('smtpcustomer'), instructions: copyFromService('SMTP.com') },
    },
  },
  {
    id: 'socketlabs',
    name: 'SocketLabs',
    spf: ['email-od.com'],
    returnPathAtRoot: 'optional',
    selectors: ['dkim'],
    dkimTargets: ['_domainkey.email-od.com'],
    setup: {
      mx: [],
      spf: [{ term: 'include:email-od.com' }],
      dkim: {
        records: cnameRecords(['dkim'], (selector) => `${selector}._domainkey.email-od.com`),
        instructions: confirmAtService('SocketLabs'),
      },
    },
  },
  {
    id: 'zeptomail',
    name: 'ZeptoMail',
    spf: ['zeptomail.net', 'transmail.net'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('ZeptoMail') },
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
      spf: [{ term: 'include:relay.mailchannels.net' }],
      dkim: {
        records: txtKeyRecord('mailchannels'),
        instructions:
          'Create a key pair, publish the public key, and pass the private key to MailChannels with each message or in its DKIM settings.',
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
      spf: [{ term: 'include:_spf.pepipost.net' }],
      dkim: { records: txtKeyRecord('pepipost'), instructions: copyFromService('Netcore') },
    },
  },
]
