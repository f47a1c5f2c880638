/** Filters in front of the mailboxes; the mailbox host sends too and has its own records. */
import type { MailboxProvider } from './mailbox-provider.js'
import {
  copyFromService,
  type SpfTermTemplate,
  txtKeyRecord,
  unknownTargetCnames,
} from './service-setup.js'

/** The first letters of the mail server are the region. */
const MIMECAST_SPF: readonly SpfTermTemplate[] = [
  ...['us', 'eu', 'de', 'au', 'za', 'ca'].flatMap((region) =>
    [1, 2].map((number) => ({
      term: `include:${region}._netblocks.mimecast.com`,
      forMx: `${region}-smtp-inbound-${number}.mimecast.com`,
    })),
  ),
  { term: 'include:za._netblocks.mimecast.com', forMx: 'mimecast.co.za' },
]

const PROOFPOINT_ESSENTIALS_SPF: readonly SpfTermTemplate[] = ['us', 'eu'].flatMap((region) =>
  [1, 2].map((number) => ({
    term: `a:dispatch-${region}.ppe-hosted.com`,
    forMx: `mx${number}-${region}1.ppe-hosted.com`,
  })),
)

const BARRACUDA_SPF: readonly SpfTermTemplate[] = [
  ...['uk', 'de', 'au', 'ca', 'in'].map((region) => ({
    term: `include:spf.ess.${region}.barracudanetworks.com`,
    forMx: `ess.${region}.barracudanetworks.com`,
  })),
  { term: 'include:spf.ess.barracudanetworks.com', forMx: 'ess.barracudanetworks.com' },
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
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('Mimecast') },
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
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('Proofpoint') },
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
      dkim: {
        records: txtKeyRecord('{selector}'),
        instructions: copyFromService('Proofpoint Essentials'),
      },
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
        instructions: copyFromService('Cisco Secure Email'),
      },
    },
  },
  {
    id: 'sophos',
    name: 'Sophos Email',
    kind: 'gateway',
    mx: ['hydra.sophos.com'],
    spf: ['_spf.prod.hydra.sophos.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:_spf.prod.hydra.sophos.com' }],
      dkim: { records: txtKeyRecord('{selector}'), instructions: copyFromService('Sophos Email') },
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
    setup: { mx: [], spf: [{ term: 'include:spf.messagelabs.com' }], dkim: null },
  },
  {
    id: 'trendmicro',
    name: 'Trend Micro Email Security',
    kind: 'gateway',
    mx: ['tmes.trendmicro.com', 'tmes.trendmicro.eu', 'tmes-anz.trendmicro.com'],
    spf: ['spf.tmes.trendmicro.com'],
    selectors: [],
    dkimTargets: [],
    setup: {
      mx: [],
      spf: [{ term: 'include:spf.tmes.trendmicro.com', forMx: 'tmes.trendmicro.com' }],
      dkim: {
        records: txtKeyRecord('{selector}'),
        instructions: copyFromService('Trend Micro Email Security'),
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
      spf: [{ term: 'include:spf.hornetsecurity.com' }],
      dkim: {
        records: unknownTargetCnames('hse1', 'hse2'),
        instructions: copyFromService('Hornetsecurity'),
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
    setup: { mx: [], spf: [{ term: 'include:{dd}.spf.smtp25.com' }], dkim: null },
  },
]
