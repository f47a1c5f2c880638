/** What protects the mail that a domain receives, and its DNS records. */
import type { Mechanism } from './mechanism.js'

export const mx: Mechanism = {
  acronym: 'MX',
  fullName: 'mail exchanger',
  everydayName: 'Where mail arrives',
  summary: 'The servers that receive mail for your domain.',
  what: [
    'An MX record in DNS names a server that receives mail for your domain.',
    'A domain can have several. Senders try the one with the lowest number first.',
  ],
  why: [
    'Without a working MX record, mail to you is late or lost.',
    'A domain without mail should say so with a null MX. Mail to it then fails at once, and no one waits for an answer.',
  ],
  example: {
    name: 'example.com',
    type: 'MX',
    separator: ' ',
    parts: [
      ['10', 'The priority. Senders try the lowest number first.'],
      [
        'mail.example.com',
        'The name of the mail server. It must have an address, and it must not be an alias.',
      ],
    ],
  },
  otherParts: [['0 .', 'The null MX, priority 0 and a single dot: this domain takes no mail.']],
  steps: [
    'Look up the MX records of your mailbox provider in the list below, or on its setup page.',
    'Publish them at the domain itself.',
    'Delete the MX records of a provider that you left. Save the mail that is still there first.',
    'Check your domain. The MX section shows the servers. A message to your domain arrives.',
  ],
  form: { label: '', notes: ['MX'], hasTarget: true },
}

export const mtaSts: Mechanism = {
  acronym: 'MTA-STS',
  fullName: 'Mail Transfer Agent Strict Transport Security',
  everydayName: 'Encrypted delivery',
  summary: 'Mail to you must travel encrypted, or not at all.',
  what: [
    'It asks senders to deliver your mail only over an encrypted connection.',
    'It has two parts: a TXT record in DNS, and a small text file on a web server. The file lists your mail servers.',
  ],
  why: [
    'Mail servers encrypt when they can. Without MTA-STS, someone on the way can switch that off and read your mail.',
    'It is optional, and it protects mail to you. It doesn’t stop anyone from forging your mail.',
  ],
  example: {
    name: '_mta-sts.example.com',
    type: 'TXT',
    separator: '; ',
    parts: [
      ['v=STSv1', 'This is an MTA-STS record.'],
      ['id=20260101', 'The version of the file. Change it each time you change the file.'],
    ],
  },
  file: {
    title: 'The file at https://mta-sts.example.com/.well-known/mta-sts.txt',
    text: 'version: STSv1\nmode: testing\nmx: mail.example.com\nmax_age: 604800',
  },
  steps: [
    'Ask your mailbox provider whether its mail servers support MTA-STS. Not all of them do.',
    'Create the name `mta-sts` below your domain, for a web server that has a certificate for it.',
    'Publish the file there. Write one `mx:` line for each of your mail servers, and keep `mode: testing`.',
    'Publish the record at `_mta-sts` below your domain.',
    'Set up TLS-RPT, and read its reports for two weeks.',
    'If they show no failures, change the mode to `enforce` and the `id=` to a new value. With a server missing in the file, this stops mail to you.',
    'Check your domain. The transport section shows the record as valid.',
  ],
  form: { label: '_mta-sts', notes: ['TXT', 'CNAME', 'below'], hasTarget: true },
}

export const tlsRpt: Mechanism = {
  acronym: 'TLS-RPT',
  fullName: 'Transport Layer Security Reporting',
  everydayName: 'Reports about encryption',
  summary: 'Daily reports when encrypted delivery to you fails.',
  what: [
    'Transport Layer Security (TLS) is the encryption between mail servers.',
    'A record in DNS says where senders report problems with encrypted delivery to you.',
  ],
  why: [
    'Without reports, you don’t notice that mail to you fails or travels without encryption.',
    'It is optional. You need it before you enforce MTA-STS.',
  ],
  example: {
    name: '_smtp._tls.example.com',
    type: 'TXT',
    separator: '; ',
    parts: [
      ['v=TLSRPTv1', 'This is a TLS-RPT record.'],
      ['rua=mailto:tls@example.com', 'Where the daily reports go. Use a mailbox that you read.'],
    ],
  },
  steps: [
    'Create a mailbox for the reports, such as `tls@example.com` at your own domain.',
    'Publish the TXT record at `_smtp._tls` below your domain.',
    'Check your domain. The transport section shows the record as valid.',
  ],
  form: { label: '_smtp._tls', notes: ['TXT', 'below'] },
}

export const dnssec: Mechanism = {
  acronym: 'DNSSEC',
  fullName: 'Domain Name System Security Extensions',
  everydayName: 'Signed domain records',
  summary: 'Signatures that protect your DNS records from being changed on the way.',
  what: [
    'The records of your domain are in DNS.',
    'Your DNS host signs these records. A resolver, which looks them up, can then notice a forged answer.',
  ],
  why: [
    'SPF, DKIM and DMARC are only as safe as the records they are in. Signed answers can’t be changed on the way.',
    'It is optional, and it doesn’t change your result here.',
    'Be careful: with a wrong DS record, no one can reach your domain, its website or its mail. The same happens if you change your DNS host while the DS record is in place.',
  ],
  example: {
    name: 'example.com',
    type: 'DS',
    separator: ' ',
    parts: [
      ['12345', 'The number of the key.'],
      ['13', 'The kind of key.'],
      ['2', 'The kind of fingerprint.'],
      ['E2D3C916F6DEEAC7…', 'The fingerprint of the key.'],
    ],
  },
  steps: [
    'Turn on DNSSEC at your DNS host.',
    'Copy the DS record that it then shows.',
    'Enter the DS record at your registrar, where you bought the domain. If it is also your DNS host, this often happens by itself.',
    'Check your domain a day later. The transport section shows that DNSSEC is validated.',
    'Before you change your DNS host later, remove the DS record at your registrar and wait a day.',
  ],
  form: null,
}
