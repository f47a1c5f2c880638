/** What protects the mail that a domain sends. */
import type { Mechanism } from './mechanism.js'

export const spf: Mechanism = {
  acronym: 'SPF',
  fullName: 'Sender Policy Framework',
  everydayName: 'Who may send',
  summary: 'A list of the servers that may send mail as your domain.',
  what: [
    'It is a list of the servers that may send mail as your domain.',
    'You publish the list as a TXT record in DNS. A receiver compares it with the server that delivers a message.',
  ],
  why: [
    'Without this list, a receiver can’t tell your servers from those of a stranger.',
    'SPF isn’t enough on its own. It checks the bounce address, which people don’t see. It also breaks when someone forwards a message. That’s why you need DKIM and DMARC too.',
  ],
  example: {
    name: 'example.com',
    type: 'TXT',
    separator: ' ',
    parts: [
      ['v=spf1', 'This is an SPF record. It must start exactly like this.'],
      [
        'include:spf.example.net',
        'The servers that this company lists may send. It costs one lookup, plus those in the company’s own record.',
      ],
      ['ip4:192.0.2.10', 'The server with this IP address may send. It costs no lookup.'],
      [
        '~all',
        'All other senders get a soft fail: their mail is suspicious. With `-all` they get a fail.',
      ],
    ],
  },
  otherParts: [
    ['ip6:2001:db8::10', 'The server with this IPv6 address may send.'],
    ['a', 'The server of your website may send. It costs one lookup.'],
    ['mx', 'The servers that receive your mail may also send. It costs one lookup.'],
    ['redirect=example.net', 'The record of another name applies instead of this one.'],
    ['exists:', 'A special test, which few domains need. It costs one lookup.'],
    ['ptr', 'Don’t use it. It is slow, and many receivers skip it.'],
    ['?all', 'No statement about other senders. It doesn’t protect you.'],
    ['+all', 'Everyone may send. Never publish this.'],
  ],
  steps: [
    'List every service that sends mail as your domain: mailboxes, newsletters, invoices, web forms.',
    'Look up the SPF term of each service in the list below.',
    'Write one record: `v=spf1`, the terms, then `~all`. It may need at most 10 lookups.',
    'Publish it as the only SPF record at the domain itself.',
    'Check your domain. The SPF section names each of your services.',
  ],
  form: { label: '', notes: ['TXT', 'spf'] },
}

export const dkim: Mechanism = {
  acronym: 'DKIM',
  fullName: 'DomainKeys Identified Mail',
  everydayName: 'Signed mail',
  summary: 'A signature that shows that a message is yours and unchanged.',
  what: [
    'Your mail service signs each message with a secret key. The public half of the key is in DNS.',
    'With the public key, a receiver checks that the message comes from your domain, and that no one changed it.',
    'A selector is the name of a key. A domain can have many keys, and each service has its own.',
  ],
  why: [
    'A signature stays valid when someone forwards a message. A list of servers doesn’t help there.',
    'Gmail, Yahoo and Outlook expect signed mail from everyone who sends a lot of it.',
  ],
  example: {
    name: 'mail2026._domainkey.example.com',
    type: 'TXT',
    separator: '; ',
    parts: [
      ['v=DKIM1', 'This is a DKIM key.'],
      ['k=rsa', 'The kind of key, here RSA.'],
      ['p=MIIBIjANBgkqhkiG9w0B…', 'The public key. It is long, so copy all of it.'],
    ],
  },
  otherParts: [
    [
      'mail2026',
      'In the name of the record: the selector. Your mail service chooses or asks for it.',
    ],
    ['p=', 'With nothing after it: the key is revoked.'],
    ['t=y', 'Test mode. Receivers ignore the key.'],
    ['t=s', 'The key is for this exact domain, not for subdomains.'],
    ['h=sha256', 'The kind of signature that is allowed.'],
    ['s=email', 'The key is for email.'],
  ],
  steps: [
    'Open the DKIM settings of each service that sends your mail. The list below says where they are.',
    'Create a key. Choose 2048 bits if the service asks.',
    'Publish the record that the service shows. Many services use a CNAME, so they can change the key for you.',
    'Turn on signing at the service.',
    'Send yourself a message and view its source. It must show `dkim=pass` with your domain.',
  ],
  form: {
    label: 'mail2026._domainkey',
    notes: ['TXT', 'CNAME', 'dkim', 'long-txt', 'below'],
    isLong: true,
    hasTarget: true,
  },
}

export const dmarc: Mechanism = {
  acronym: 'DMARC',
  fullName: 'Domain-based Message Authentication, Reporting and Conformance',
  everydayName: 'What happens to forged mail',
  summary: 'Your instructions for mail that isn’t really from you, and reports about it.',
  what: [
    'It is a TXT record in DNS. It says what receivers should do with mail that only claims to be from you.',
    'A message passes if SPF or DKIM passes with the domain that people see in the From address.',
    'Receivers also send you reports. They list which servers sent mail as your domain, and what passed.',
  ],
  why: [
    'This is the only mechanism that protects the address people see. Without it, receivers deliver much of the forged mail.',
    'The reports show services that you forgot. Read them before you make the policy stricter.',
  ],
  example: {
    name: '_dmarc.example.com',
    type: 'TXT',
    separator: '; ',
    parts: [
      ['v=DMARC1', 'This is a DMARC record. It must start exactly like this.'],
      [
        'p=none',
        'The policy. `none` delivers forged mail, `quarantine` puts it into spam, `reject` refuses it. Start with `none`.',
      ],
      ['rua=mailto:dmarc@example.com', 'Where the daily reports go. Use a mailbox that you read.'],
    ],
  },
  otherParts: [
    ['sp=', 'The policy for subdomains. Without it, `p=` applies.'],
    ['np=', 'The policy for subdomains that don’t exist.'],
    [
      'adkim=s',
      'DKIM counts only with exactly your domain, not with a subdomain. Few domains need it.',
    ],
    ['aspf=s', 'The same for SPF.'],
    ['t=y', 'Test mode: receivers apply the next weaker policy.'],
    ['ruf=', 'Where reports about single messages go. Few receivers send them.'],
    ['fo=', 'Which failures such reports are about.'],
    ['psd=y', 'Only for registries.'],
    ['pct=', 'Old. It limited the policy to a share of the mail.'],
    ['rf=', 'Old. Receivers ignore it.'],
    ['ri=', 'Old. Receivers ignore it.'],
  ],
  steps: [
    'Create a mailbox for the reports, such as `dmarc@example.com` at your own domain.',
    'Publish `v=DMARC1; p=none; rua=mailto:dmarc@example.com` at `_dmarc`, with your own address.',
    'Read the reports for at least a month. Set up SPF or DKIM for each of your services that fails.',
    'When all your mail passes, change to `p=quarantine`. Wait another month.',
    'When every service passes with DKIM, change to `p=reject`. If mail goes missing, go back one step.',
    'Check your domain. The DMARC section shows the policy.',
  ],
  form: { label: '_dmarc', notes: ['TXT', 'dmarc', 'below'] },
}

export const bimi: Mechanism = {
  acronym: 'BIMI',
  fullName: 'Brand Indicators for Message Identification',
  everydayName: 'Your logo in the inbox',
  summary: 'Your logo beside your messages, in mail programs that support it.',
  what: [
    'It is a record in DNS that says where your logo is.',
    'Some mail programs then show the logo beside your messages.',
  ],
  why: [
    'People recognize your mail more easily. It is optional, and it doesn’t change who can forge your mail.',
    'Mail programs show a logo only if your DMARC policy stops forged mail. Gmail and Apple Mail also want a certificate for the logo, which costs money.',
  ],
  example: {
    name: 'default._bimi.example.com',
    type: 'TXT',
    separator: '; ',
    parts: [
      ['v=BIMI1', 'This is a BIMI record.'],
      ['l=https://example.com/logo.svg', 'Where the logo is.'],
      ['a=https://example.com/logo.pem', 'Where the certificate for the logo is.'],
    ],
  },
  otherParts: [['l=', 'With nothing after it: you don’t want a logo to be shown.']],
  steps: [
    'Bring your DMARC policy to `p=quarantine` or `p=reject` first. Follow the steps on the DMARC page.',
    'Save your logo as an SVG file of the kind Tiny PS, and put it on your website.',
    'Buy a certificate for the logo, if you want Gmail and Apple Mail to show it. Put it on your website.',
    'Publish the record at `default._bimi` below your domain.',
    'Check your domain. The transport section shows the record as valid.',
  ],
  form: { label: 'default._bimi', notes: ['TXT', 'below'] },
}
