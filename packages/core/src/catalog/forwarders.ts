/** Services that forward mail to mailboxes elsewhere. */
import type { MailboxProvider } from './mailbox-provider.js'
import { cnameRecords, confirmAtService, copyFromService, txtKeyRecord } from './service-setup.js'

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
    setup: { mx: [], spf: [{ term: 'include:spf.efwd.registrar-servers.com' }], dkim: null },
  },
  {
    id: 'cloudflare',
    name: 'Cloudflare Email Routing',
    kind: 'forwarder',
    mx: ['mx.cloudflare.net'],
    spf: ['_spf.mx.cloudflare.net'],
    selectors: ['cf2024-1'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.mx.cloudflare.net' }],
      dkim: {
        records: txtKeyRecord('cf2024-1', 'v=DKIM1; h=sha256; k=rsa; p={public-key}'),
        instructions:
          'Copy the key from the records that Cloudflare lists when Email Routing is turned on for the domain.',
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
    setup: {
      mx: ['10 mx1.improvmx.com', '20 mx2.improvmx.com'],
      spf: [{ term: 'include:spf.improvmx.com' }],
      dkim: {
        records: cnameRecords(
          ['dkimprovmx1', 'dkimprovmx2'],
          (selector) => `${selector}.improvmx.com`,
        ),
        instructions: confirmAtService('ImprovMX'),
      },
    },
  },
  {
    id: 'forwardemail',
    name: 'Forward Email',
    kind: 'forwarder',
    mx: ['forwardemail.net'],
    spf: ['spf.forwardemail.net'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: ['0 mx1.forwardemail.net', '0 mx2.forwardemail.net'],
      spf: [{ term: 'include:spf.forwardemail.net' }],
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('Forward Email') },
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
    setup: {
      mx: ['10 fwd1.porkbun.com', '20 fwd2.porkbun.com'],
      spf: [{ term: 'include:_spf.porkbun.com' }],
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
    setup: {
      mx: ['10 mx1.simplelogin.co', '20 mx2.simplelogin.co'],
      spf: [{ term: 'include:simplelogin.co' }],
      dkim: {
        records: cnameRecords(
          ['dkim', 'dkim02', 'dkim03'],
          (selector) => `${selector}._domainkey.simplelogin.co`,
        ),
        instructions: confirmAtService('SimpleLogin'),
      },
    },
  },
  {
    id: 'proton-alias',
    name: 'Proton Pass aliases',
    kind: 'forwarder',
    mx: ['mx1.alias.proton.me', 'mx2.alias.proton.me'],
    spf: [],
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [], dkim: null },
  },
  {
    id: 'addy',
    name: 'addy.io',
    kind: 'forwarder',
    mx: ['mail.anonaddy.me', 'mail2.anonaddy.me'],
    spf: ['spf.anonaddy.me'],
    selectors: ['dk1', 'dk2'],
    dkimTargets: ['_domainkey.anonaddy.me'],
    setup: {
      mx: ['10 mail.anonaddy.me', '20 mail2.anonaddy.me'],
      spf: [{ term: 'include:spf.anonaddy.me' }],
      dkim: {
        records: cnameRecords(['dk1', 'dk2'], (selector) => `${selector}._domainkey.anonaddy.me`),
        instructions: confirmAtService('addy.io'),
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
    setup: { mx: [], spf: [], dkim: null },
  },
]
