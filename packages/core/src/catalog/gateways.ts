/** Filters in front of the mailboxes; the mailbox host sends too and has its own records. */
import type { MailboxProvider } from './mailbox-provider.js'
import { type SpfTermTemplate, txtKeyRecord, unknownTargetCnames } from './service-setup.js'

/** The first letters of the mail server are the region. */
const MIMECAST_SPF: readonly SpfTermTemplate[] = [
  ...['us', 'usb', 'eu', 'de', 'au', 'za', 'ca'].flatMap((region) =>
    [1, 2].map((number) => ({
      terms: [`include:${region}._netblocks.mimecast.com`],
      forMx: `${region}-smtp-inbound-${number}.mimecast.com`,
    })),
  ),
  { terms: ['include:za._netblocks.mimecast.com'], forMx: 'mimecast.co.za' },
]

const PROOFPOINT_ESSENTIALS_SPF: readonly SpfTermTemplate[] = Object.entries({
  us1: 'a:dispatch-us.ppe-hosted.com',
  eu1: 'a:dispatch-eu.ppe-hosted.com',
  usg1: 'include:_spf-usg1.ppe-hosted.com',
}).flatMap(([stack, term]) =>
  [1, 2].map((number) => ({ terms: [term], forMx: `mx${number}-${stack}.ppe-hosted.com` })),
)

const BARRACUDA_SPF: readonly SpfTermTemplate[] = [
  ...['uk', 'de', 'au', 'ca', 'in'].map((region) => ({
    terms: [`include:spf.ess.${region}.barracudanetworks.com`],
    forMx: `ess.${region}.barracudanetworks.com`,
  })),
  { terms: ['include:spf.ess.barracudanetworks.com'], forMx: 'ess.barracudanetworks.com' },
]

export const GATEWAYS: readonly MailboxProvider[] = [
  {
    id: 'mimecast',
    name: 'Mimecast',
    kind: 'gateway',
    mx: ['mimecast.com', 'mimecast.co.za', 'mimecast-offshore.com'],
    spf: ['_netblocks.mimecast.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: MIMECAST_SPF,
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: {
          path: 'Administration Console > Policies > Gateway Policies > Definitions > DNS Authentication - Outbound',
          confirmed: '2026-02',
        },
        getValues:
          'Create a new definition, type a selector such as mimecast and the date, choose Generate, and copy the TXT name and value.',
        turnOn: 'Create a DNS Authentication - Outbound policy that uses this definition.',
        shownAs: 'Check DNS passed for the definition',
        selectorIsChosen: true,
      },
    },
  },
  {
    id: 'proofpoint',
    name: 'Proofpoint Enterprise',
    kind: 'gateway',
    mx: ['pphosted.com'],
    spf: ['pphosted.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: {
          path: 'Email Protection > Email Authentication > DKIM Signing > Keys',
          confirmed: null,
        },
        turnOn: 'Enable DKIM signing for the outbound policy route.',
        selectorIsChosen: true,
      },
    },
  },
  {
    id: 'proofpoint-essentials',
    name: 'Proofpoint Essentials',
    kind: 'gateway',
    mx: ['ppe-hosted.com'],
    spf: ['ppe-hosted.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: PROOFPOINT_ESSENTIALS_SPF,
      dkim: { records: txtKeyRecord('{selector}'), screen: null },
    },
  },
  {
    id: 'barracuda',
    name: 'Barracuda Email Gateway Defense',
    kind: 'gateway',
    mx: ['ess.barracudanetworks.com', 'ess.*.barracudanetworks.com'],
    spf: ['spf.ess.barracudanetworks.com', 'spf.ess.*.barracudanetworks.com'],
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: BARRACUDA_SPF, dkim: null },
  },
  {
    id: 'cisco',
    name: 'Cisco Secure Email',
    kind: 'gateway',
    mx: ['iphmx.com'],
    spf: ['iphmx.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: { path: 'Mail Policies > Signing Profiles', confirmed: null },
        getValues:
          'Create a key under Mail Policies > Signing Keys, add a DKIM domain profile with a selector, choose Generate in the DNS Text Record column, and copy the record.',
        turnOn: 'Turn on DKIM signing in the mail flow policy for outgoing mail.',
        selectorIsChosen: true,
      },
    },
  },
  {
    id: 'sophos',
    name: 'Sophos Email',
    kind: 'gateway',
    mx: ['hydra.sophos.com'],
    spf: ['prod.hydra.sophos.com'],
    selectors: [],
    dkimTargets: [],
    evidence: { texts: ['sophos-domain-verification='] },
    setup: {
      mx: [],
      spf: [{ terms: ['include:_spf.prod.hydra.sophos.com'] }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: {
          path: 'Sophos Central > Email Security > Settings > Domain Settings / Status > your domain',
          confirmed: '2026-11',
        },
        getValues: 'Add a DKIM key for the domain and copy the TXT name and value.',
      },
    },
  },
  {
    id: 'symantec',
    name: 'Symantec Email Security.cloud',
    kind: 'gateway',
    mx: ['messagelabs.com'],
    spf: ['spf.messagelabs.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:spf.messagelabs.com'] }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: {
          path: 'Dashboard > Services > Email Services > Outbound DKIM Signing Settings',
          confirmed: '2026-11',
        },
        getValues: 'Add a selector to the domain and copy the TXT record.',
        turnOn: 'Test the DNS record, then enable DKIM for the domain.',
        selectorIsChosen: true,
      },
    },
  },
  {
    id: 'trendmicro',
    name: 'Trend Micro Email Security',
    kind: 'gateway',
    mx: ['tmes.trendmicro.com', 'tmes.trendmicro.eu', 'tmes-anz.trendmicro.com'],
    spf: ['spf.tmes.trendmicro.com', 'spf.tmes.trendmicro.eu'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [
        { terms: ['include:spf.tmes.trendmicro.com'], forMx: 'tmes.trendmicro.com' },
        { terms: ['include:spf.tmes.trendmicro.eu'], forMx: 'tmes.trendmicro.eu' },
      ],
      dkim: {
        records: txtKeyRecord('{selector}'),
        screen: {
          path: 'Outbound Protection > Domain-based Authentication > DomainKeys Identified Mail (DKIM) Signing',
          confirmed: '2026-11',
        },
        getValues:
          'Choose Add, select the domain and Enable DKIM signing, select 2048 bits, choose Generate, and copy the TXT name and value.',
      },
    },
  },
  {
    id: 'hornet',
    name: 'Hornetsecurity',
    kind: 'gateway',
    mx: ['hornetsecurity.com', 'antispameurope.com'],
    spf: ['spf.hornetsecurity.com'],
    selectors: ['hse1', 'hse2'],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ terms: ['include:spf.hornetsecurity.com'] }],
      dkim: {
        records: unknownTargetCnames('hse1', 'hse2'),
        screen: { path: 'Security Settings > Email Authentication', confirmed: '2026-11' },
        turnOn: 'Turn on DKIM signing for outgoing mail after both records are published.',
      },
    },
  },
  {
    id: 'appriver',
    name: 'AppRiver / Zix',
    kind: 'gateway',
    mx: ['arsmtp.com'],
    spf: ['spf.smtp25.com'],
    selectors: [],
    dkimTargets: [],
    setup: { mx: [], spf: [{ terms: ['include:{dd}.spf.smtp25.com'] }], dkim: null },
  },
]
