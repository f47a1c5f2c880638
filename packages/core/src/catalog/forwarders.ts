/** Services that forward mail to mailboxes elsewhere. */
import type { MailboxProvider } from './mailbox-provider.js'
import { cnameRecords, confirmAtService, copyFromService, txtKeyRecord } from './service-setup.js'

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
