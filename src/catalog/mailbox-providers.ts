/** Who runs the mailboxes, or the gateway in front of them, by the names of their mail servers. */
import { type HostPattern, longestMatch } from './host-pattern.js'

export interface MailboxProvider {
  readonly id: string
  readonly name: string
  readonly kind: 'mailbox' | 'gateway' | 'forwarder'
  readonly mx: readonly HostPattern[]
}

const MAILBOX_PROVIDERS: readonly MailboxProvider[] = [
  {
    id: 'google',
    name: 'Google Workspace',
    kind: 'mailbox',
    mx: ['smtp.google.com', 'aspmx.l.google.com', '*.aspmx.l.google.com', 'googlemail.com'],
  },
  {
    id: 'microsoft365',
    name: 'Microsoft 365 / Exchange Online',
    kind: 'mailbox',
    mx: ['mail.protection.outlook.com', 'mx.microsoft'],
  },
  {
    id: 'zoho',
    name: 'Zoho Mail',
    kind: 'mailbox',
    mx: [
      'zoho.com',
      'zoho.eu',
      'zoho.in',
      'zoho.com.au',
      'zoho.jp',
      'zohocloud.ca',
      'zohomail.com',
    ],
  },
  { id: 'fastmail', name: 'Fastmail', kind: 'mailbox', mx: ['messagingengine.com'] },
  { id: 'proton', name: 'Proton Mail', kind: 'mailbox', mx: ['protonmail.ch'] },
  { id: 'icloud', name: 'iCloud+ custom domain', kind: 'mailbox', mx: ['mail.icloud.com'] },
  { id: 'yandex', name: 'Yandex 360', kind: 'mailbox', mx: ['mx.yandex.net', 'mx.yandex.ru'] },
  {
    id: 'mailru',
    name: 'VK WorkSpace / Mail.ru for business',
    kind: 'mailbox',
    mx: ['emx.mail.ru'],
  },
  { id: 'migadu', name: 'Migadu', kind: 'mailbox', mx: ['migadu.com'] },
  { id: 'mailboxorg', name: 'mailbox.org', kind: 'mailbox', mx: ['mailbox.org'] },
  { id: 'namecheap', name: 'Namecheap Private Email', kind: 'mailbox', mx: ['privateemail.com'] },
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
  },
  { id: 'rackspace', name: 'Rackspace Email', kind: 'mailbox', mx: ['emailsrvr.com'] },
  { id: 'titan', name: 'Titan Email', kind: 'mailbox', mx: ['titan.email'] },
  { id: 'flock', name: 'Flock Mail', kind: 'mailbox', mx: ['flockmail.com'] },
  {
    id: 'godaddy',
    name: 'GoDaddy Professional Email / Workspace',
    kind: 'mailbox',
    mx: ['secureserver.net'],
  },
  {
    id: 'ovh',
    name: 'OVHcloud MX Plan / Zimbra / Email Pro / Exchange',
    kind: 'mailbox',
    mx: ['mail.ovh.net', 'ovh.net'],
  },
  {
    id: 'ionos',
    name: 'IONOS / 1&1',
    kind: 'mailbox',
    mx: [
      'ionos.com',
      'ionos.de',
      'ionos.co.uk',
      'ionos.es',
      'ionos.fr',
      'ionos.it',
      'kundenserver.de',
      'perfora.net',
      '1and1.com',
    ],
  },
  { id: 'gandi', name: 'Gandi Mail', kind: 'mailbox', mx: ['mail.gandi.net'] },
  {
    id: 'hostinger',
    name: 'Hostinger Email',
    kind: 'mailbox',
    mx: ['mx1.hostinger.com', 'mx2.hostinger.com'],
  },
  {
    id: 'workmail',
    name: 'Amazon WorkMail / SES inbound',
    kind: 'mailbox',
    mx: ['inbound-smtp.*.amazonaws.com'],
  },
  {
    id: 'cloudflare',
    name: 'Cloudflare Email Routing',
    kind: 'forwarder',
    mx: ['mx.cloudflare.net'],
  },
  { id: 'improvmx', name: 'ImprovMX', kind: 'forwarder', mx: ['improvmx.com'] },
  { id: 'forwardemail', name: 'Forward Email', kind: 'forwarder', mx: ['forwardemail.net'] },
  { id: 'tuta', name: 'Tuta (Tutanota)', kind: 'mailbox', mx: ['mail.tutanota.de'] },
  { id: 'purelymail', name: 'Purelymail', kind: 'mailbox', mx: ['mailserver.purelymail.com'] },
  { id: 'mxroute', name: 'MXroute', kind: 'mailbox', mx: ['mxrouting.net', 'mxlogin.com'] },
  { id: 'infomaniak', name: 'Infomaniak', kind: 'mailbox', mx: ['mta-gw.infomaniak.ch'] },
  { id: 'dreamhost', name: 'DreamHost', kind: 'mailbox', mx: ['dreamhost.com'] },
  { id: 'hey', name: 'HEY for Domains', kind: 'mailbox', mx: ['work-mx.app.hey.com'] },
  { id: 'runbox', name: 'Runbox', kind: 'mailbox', mx: ['mx.runbox.com'] },
  { id: 'strato', name: 'STRATO', kind: 'mailbox', mx: ['smtpin.rzone.de'] },
  { id: 'yahoo-biz', name: 'Yahoo / AOL', kind: 'mailbox', mx: ['yahoodns.net'] },
  {
    id: 'mimecast',
    name: 'Mimecast',
    kind: 'gateway',
    mx: ['mimecast.com', 'mimecast.co.za', 'mimecast-offshore.com'],
  },
  { id: 'proofpoint', name: 'Proofpoint Enterprise', kind: 'gateway', mx: ['pphosted.com'] },
  {
    id: 'proofpoint-essentials',
    name: 'Proofpoint Essentials',
    kind: 'gateway',
    mx: ['ppe-hosted.com'],
  },
  {
    id: 'barracuda',
    name: 'Barracuda Email Gateway Defense',
    kind: 'gateway',
    mx: ['ess.barracudanetworks.com', 'ess.*.barracudanetworks.com'],
  },
  { id: 'cisco', name: 'Cisco Secure Email', kind: 'gateway', mx: ['iphmx.com'] },
  { id: 'sophos', name: 'Sophos Email', kind: 'gateway', mx: ['hydra.sophos.com'] },
  {
    id: 'symantec',
    name: 'Symantec Email Security.cloud',
    kind: 'gateway',
    mx: ['messagelabs.com'],
  },
  {
    id: 'trendmicro',
    name: 'Trend Micro Email Security',
    kind: 'gateway',
    mx: ['tmes.trendmicro.com', 'tmes.trendmicro.eu', 'tmes-anz.trendmicro.com'],
  },
  {
    id: 'hornet',
    name: 'Hornetsecurity',
    kind: 'gateway',
    mx: ['hornetsecurity.com', 'antispameurope.com'],
  },
  { id: 'appriver', name: 'AppRiver / Zix', kind: 'gateway', mx: ['arsmtp.com'] },
  { id: 'intermedia', name: 'Intermedia', kind: 'mailbox', mx: ['serverdata.net'] },
  {
    id: 'wordpresscom-fwd',
    name: 'WordPress.com forwarding',
    kind: 'forwarder',
    mx: ['forward.wordpress.com'],
  },
]

/** The provider whose mail server this is; null when we do not know it. */
export function providerOfMx(host: string): MailboxProvider | null {
  return longestMatch(MAILBOX_PROVIDERS, (provider) => provider.mx, host)
}
