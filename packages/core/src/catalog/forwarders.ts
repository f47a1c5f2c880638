/** Services that forward mail to mailboxes elsewhere. */
import type { MailboxProvider } from './mailbox-provider.js'
import { cnameRecords, txtKeyRecord } from './service-setup.js'

/** Selectors that no other service uses, so the key belongs to the forwarder wherever its MX is. */
const FORWARDERS_BY_SELECTOR: Readonly<Record<string, string>> = {
  'cf2024-1': 'cloudflare',
  dkimprovmx1: 'improvmx',
  dkimprovmx2: 'improvmx',
}

/** The forwarder whose own selector this is; null for all other selectors. */
export function findForwarderBySelector(selector: string): MailboxProvider | null {
  const id = Object.hasOwn(FORWARDERS_BY_SELECTOR, selector) && FORWARDERS_BY_SELECTOR[selector]
  return FORWARDERS.find((forwarder) => forwarder.id === id) ?? null
}

export function isForwarder(id: string): boolean {
  return FORWARDERS.some((forwarder) => forwarder.id === id)
}

export const FORWARDERS: readonly MailboxProvider[] = [
  {
    id: 'namecheap-fwd',
    name: 'Namecheap forwarding',
    kind: 'forwarder',
    mx: [
      'eforward1.registrar-servers.com',
      'eforward2.registrar-servers.com',
      'eforward3.registrar-servers.com',
      'eforward4.registrar-servers.com',
      'eforward5.registrar-servers.com',
    ],
    spf: ['spf.efwd.registrar-servers.com'],
    selectors: [],
    dkimTargets: [],
    sending: {
      can: false,
      how: 'Use a mailbox at Namecheap Private Email or another mail service to send as your domain; forwarding only receives.',
    },
    setup: { mx: [], spf: [{ terms: ['include:spf.efwd.registrar-servers.com'] }], dkim: null },
  },
  {
    id: 'cloudflare',
    name: 'Cloudflare Email Routing',
    kind: 'forwarder',
    mx: ['mx.cloudflare.net'],
    spf: ['_spf.mx.cloudflare.net'],
    selectors: ['cf2024-1'],
    dkimTargets: [],
    sending: {
      can: false,
      how: 'Onboard the domain under Compute > Email Service > Email Sending and send through smtp.mx.cloudflare.net, or use another mail service; Email Routing alone only forwards.',
    },
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.mx.cloudflare.net'] }],
      dkim: {
        records: txtKeyRecord('cf2024-1', 'v=DKIM1; h=sha256; k=rsa; p={public-key}'),
        screen: {
          path: 'Compute > Email Service > Email Routing > Settings',
          confirmed: '2026-11',
        },
        getValues:
          'Choose Onboard Domain and then Add records and onboard; Cloudflare publishes the records itself.',
        shownAs: 'Locked beside each record',
      },
    },
  },
  {
    id: 'improvmx',
    name: 'ImprovMX',
    kind: 'forwarder',
    mx: ['improvmx.com'],
    spf: ['spf.improvmx.com'],
    selectors: ['dkimprovmx1', 'dkimprovmx2'],
    dkimTargets: ['improvmx.com'],
    sending: {
      can: true,
      how: 'Create SMTP credentials in a paid ImprovMX plan, publish the two DKIM records, and use that SMTP server in your mail program.',
    },
    setup: {
      mx: ['10 mx1.improvmx.com', '20 mx2.improvmx.com'],
      spf: [{ terms: ['include:spf.improvmx.com'] }],
      dkim: {
        records: cnameRecords(
          ['dkimprovmx1', 'dkimprovmx2'],
          (selector) => `${selector}.improvmx.com`,
        ),
        screen: { path: 'your domain > Domain Settings > DNS Settings', confirmed: '2026-11' },
      },
    },
  },
  {
    id: 'forwardemail',
    name: 'Forward Email',
    kind: 'forwarder',
    mx: ['forwardemail.net'],
    spf: ['spf.forwardemail.net'],
    returnPathAtRoot: 'never',
    selectors: [],
    dkimTargets: [],
    evidence: {
      cnameTargets: ['forwardemail.net'],
      texts: ['forward-email-site-verification=', 'forward-email='],
    },
    sending: {
      can: true,
      how: 'Set up outbound SMTP for the domain in a paid Forward Email plan, with its DKIM, return-path and DMARC records, and send through its SMTP server.',
    },
    setup: {
      mx: ['0 mx1.forwardemail.net', '0 mx2.forwardemail.net'],
      spf: [{ terms: ['include:spf.forwardemail.net'] }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: { path: 'My Account > Domains', confirmed: '2026-11' },
        getValues:
          "Open the domain's outbound SMTP settings and copy the DKIM and return-path records.",
      },
      returnPath: [{ label: 'fe-bounces', type: 'CNAME', value: 'forwardemail.net' }],
    },
  },
  {
    id: 'porkbun-fwd',
    name: 'Porkbun forwarding',
    kind: 'forwarder',
    mx: ['fwd1.porkbun.com', 'fwd2.porkbun.com'],
    spf: ['_spf.porkbun.com'],
    selectors: [],
    dkimTargets: [],
    sending: {
      can: false,
      how: 'Use a mailbox at Porkbun Email or another mail service to send as your domain; forwarding only receives.',
    },
    setup: {
      mx: ['10 fwd1.porkbun.com', '20 fwd2.porkbun.com'],
      spf: [{ terms: ['include:_spf.porkbun.com'] }],
      dkim: null,
    },
  },
  {
    id: 'simplelogin',
    name: 'SimpleLogin',
    kind: 'forwarder',
    mx: ['mx1.simplelogin.co', 'mx2.simplelogin.co'],
    spf: ['simplelogin.co'],
    selectors: ['dkim', 'dkim02', 'dkim03'],
    dkimTargets: ['_domainkey.simplelogin.co'],
    evidence: { texts: ['sl-verification='] },
    sending: {
      can: true,
      how: 'Reply to or write through a reverse alias in SimpleLogin; the mail then leaves as your alias.',
    },
    setup: {
      mx: ['10 mx1.simplelogin.co', '20 mx2.simplelogin.co'],
      spf: [{ terms: ['include:simplelogin.co'] }],
      dkim: {
        records: cnameRecords(
          ['dkim', 'dkim02', 'dkim03'],
          (selector) => `${selector}._domainkey.simplelogin.co`,
        ),
        screen: { path: 'Domains > your domain > DNS', confirmed: '2026-11' },
        turnOn: 'Choose Verify beside SPF and beside DKIM.',
        shownAs: 'a check mark beside SPF and DKIM',
      },
    },
  },
  {
    id: 'proton-alias',
    name: 'Proton Pass aliases',
    kind: 'forwarder',
    mx: ['mx1.alias.proton.me', 'mx2.alias.proton.me'],
    spf: ['alias.proton.me'],
    selectors: ['dkim', 'dkim02', 'dkim03'],
    dkimTargets: ['_domainkey.alias.proton.me'],
    sending: {
      can: true,
      how: 'Reply to or write through the contact address that Proton Pass makes for an alias; the mail then leaves as your alias.',
    },
    setup: {
      mx: [],
      spf: [{ terms: ['include:alias.proton.me'] }],
      dkim: {
        records: cnameRecords(
          ['dkim', 'dkim02', 'dkim03'],
          (selector) => `${selector}._domainkey.alias.proton.me`,
        ),
        screen: null,
      },
    },
  },
  {
    id: 'addy',
    name: 'addy.io',
    kind: 'forwarder',
    mx: ['mail.anonaddy.me', 'mail2.anonaddy.me'],
    spf: ['spf.anonaddy.me'],
    selectors: ['dk1', 'dk2'],
    dkimTargets: ['_domainkey.anonaddy.me'],
    evidence: { texts: ['aa-verify='] },
    sending: {
      can: true,
      how: 'Verify the domain for sending in addy.io, then reply to or send from an alias.',
    },
    setup: {
      mx: ['10 mail.anonaddy.me', '20 mail2.anonaddy.me'],
      spf: [{ terms: ['include:spf.anonaddy.me'] }],
      dkim: {
        records: cnameRecords(['dk1', 'dk2'], (selector) => `${selector}._domainkey.anonaddy.me`),
        screen: { path: 'Domains', confirmed: null },
        turnOn: "Check the domain's records again after both DKIM records and SPF are published.",
      },
    },
  },
  {
    id: 'wordpresscom-fwd',
    name: 'WordPress.com forwarding',
    kind: 'forwarder',
    mx: ['forward.wordpress.com'],
    spf: [],
    selectors: [],
    dkimTargets: [],
    sending: {
      can: false,
      how: 'Use Professional Email from WordPress.com (Titan) or another mail service to send as your domain; forwarding only receives.',
    },
    setup: { mx: [], spf: [], dkim: null },
  },
]
