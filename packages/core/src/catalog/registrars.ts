/** Registrars, web hosts and mailbox providers that host their customers' zones. */
import { createPanel, type DnsHost } from './dns-host.js'
import { NO_MAIL_KEY, NO_MAIL_POLICY } from './no-mail-records.js'

const CPANEL =
  'If your account shows cPanel > Zone Editor instead, enter the full name with a dot at the end.'

const SQUARESPACE_NO_MAIL =
  'The records here are Squarespace’s default for domains without mail: before you start to send, edit them instead of adding second ones.'

const WIX_SELECTORS =
  'If you set up SendGrid, choose another selector there, because Wix already uses s1 and s2.'

const OLD_NETWORK_SOLUTIONS = 'On the older screens (Classic View), end the target with a dot.'

const STRATO_RULES =
  'SPF and DMARC have sections of their own with ready-made rules: choose a text of your own there.'

const FASTMAIL_RECORDS =
  'Fastmail keeps its own mail records for you: add only records for other services.'

export const REGISTRARS: readonly DnsHost[] = [
  {
    id: 'godaddy',
    name: 'GoDaddy',
    ns: ['domaincontrol.com'],
    panel: createPanel(
      'My Products > your domain > DNS > DNS Records > Add New Record',
      '2026-11',
      {
        minTtl: 600,
        pitfalls: [
          {
            record: { label: '_dmarc', type: 'TXT', value: /@onsecureserver\.net\b/i },
            text: 'GoDaddy made the DMARC record. Edit it instead of adding a second one, and put your own address in rua, because you never see the reports that go to GoDaddy.',
          },
          {
            record: { label: '', type: 'TXT', value: /^v=spf1 (?:.* )?\S?include:\S+\._spfm\./i },
            text: 'Domain Connect keeps SPF terms in another TXT record, whose name contains _spfm: edit them there, or move them into the SPF record.',
          },
          {
            record: {
              label: '',
              type: 'TXT',
              value: /^v=spf1 (?:.* )?\S?include:(?:\S+\.)?secureserver\.net(?: |$)/i,
            },
            text: 'If you have Microsoft 365 from GoDaddy, keep include:secureserver.net, because it sends mail there.',
          },
        ],
      },
    ),
  },
  {
    id: 'namecheap',
    name: 'Namecheap',
    ns: ['registrar-servers.com', 'namecheaphosting.com'],
    panel: createPanel(
      'Domain List > Manage > Advanced DNS > Host Records > Add New Record',
      '2026-11',
      {
        nullMx: 'refused',
        minTtl: 60,
        formNotes: {
          MX: 'Set Mail Settings to Custom MX first, because MX rows are missing with every other setting.',
        },
        pitfalls: [
          {
            record: {
              label: '',
              type: 'MX',
              value: /[ .](?:registrar-servers|privateemail)\.com$/i,
            },
            text: 'Mail Settings writes its own MX and SPF records: check that no second SPF record appears after you save.',
          },
          {
            record: { label: '', type: 'NS', value: /(?:^|\.)namecheaphosting\.com$/i },
            text: 'Your zone is on Namecheap’s web hosting: edit it in cPanel > Zone Editor instead.',
          },
        ],
      },
    ),
  },
  {
    id: 'squarespace',
    name: 'Squarespace Domains',
    ns: ['squarespacedns.com'],
    usesNameServersOf: ['netlify', 'ns1'],
    panel: createPanel(
      'Domains > your domain > DNS > DNS Settings > Custom records > Add record',
      '2026-11',
      {
        pitfalls: [
          {
            record: { label: '_dmarc', type: 'TXT', value: NO_MAIL_POLICY },
            text: SQUARESPACE_NO_MAIL,
          },
          {
            record: { label: '*._domainkey', type: 'TXT', value: NO_MAIL_KEY },
            text: 'Delete the TXT record at *._domainkey once the DKIM records of your mail service are published.',
          },
        ],
      },
    ),
  },
  {
    id: 'ovh',
    name: 'OVHcloud',
    ns: ['ovh.net', 'ovh.ca', 'anycast.me'],
    panel: createPanel(
      'Web Cloud > Domain names > your domain > DNS zone > Add an entry',
      '2026-11',
      {
        apexName: '',
        minTtl: 60,
        targetDot: true,
        formNotes: {
          TXT: 'The types SPF, DKIM and DMARC are forms that create TXT records: check the text that they create, or use TXT. If you use Change in text format, put the text in quotes.',
          'long-txt':
            'Use the type DKIM or Change in text format, because the plain TXT form stops at 255 characters.',
        },
      },
    ),
  },
  {
    id: 'gandi',
    name: 'Gandi LiveDNS',
    ns: ['gandi.net'],
    panel: createPanel('Domain > your domain > DNS Records > Add record', '2026-11', {
      minTtl: 300,
      targetDot: true,
      formNotes: { TXT: 'In the text view of the zone, put the text in quotes.' },
      pitfalls: [
        {
          record: {
            label: '',
            type: 'TXT',
            value: /^v=spf1 (?=.*include:_mailcust\.gandi\.net )(?:.* )?\?all *$/i,
          },
          text: 'The SPF record is Gandi’s default, which does not protect against forged mail: end it in ~all or -all.',
        },
        {
          record: { label: '', type: 'MX', value: /[ .]mail\.gandi\.net$/i },
          text: 'If another service has your mail, delete Gandi’s default MX records and the DKIM records gm1, gm2 and gm3.',
        },
      ],
    }),
  },
  {
    id: 'ionos',
    name: 'IONOS',
    ns: ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz'],
    panel: createPanel(
      'Domains & SSL > gear icon or three dots beside the domain > DNS > Add record',
      '2026-11',
      {
        formNotes: {
          spf: 'Choose the type SPF (TXT) in the list of types. If IONOS made the record for a connected service, delete it and create it again with all terms, because it cannot be edited.',
        },
        pitfalls: [
          {
            record: { label: '_dmarc', type: 'CNAME', value: /^dmarc\.ionos\.[a-z.]+$/i },
            text: 'IONOS made the CNAME at _dmarc. Delete it first: a name with a CNAME cannot have other records.',
          },
        ],
      },
    ),
  },
  {
    id: 'wix',
    name: 'Wix',
    ns: ['wixdns.net'],
    panel: createPanel(
      'Domains > three dots beside your domain > Manage DNS Records > + Add Record',
      '2026-11',
      {
        apexName: '',
        pitfalls: [
          {
            record: { label: '_dmarc', type: 'CNAME', value: /^_dmarc\.wixemails\.com$/i },
            text: 'Wix made the CNAME at _dmarc. Delete it in the CNAME section first: a name with a CNAME cannot have other records.',
          },
          {
            record: { label: 's1._domainkey', type: 'CNAME', value: /(?:^|\.)ascendbywix\.com$/i },
            text: WIX_SELECTORS,
          },
          {
            record: { label: 's2._domainkey', type: 'CNAME', value: /(?:^|\.)ascendbywix\.com$/i },
            text: WIX_SELECTORS,
          },
        ],
      },
    ),
  },
  {
    id: 'porkbun',
    name: 'Porkbun',
    ns: ['porkbun.com'],
    panel: createPanel('Domain Management > DNS (next to your domain)', '2026-11', {
      apexName: '',
      minTtl: 600,
      pitfalls: [
        {
          record: { label: '*', type: 'CNAME', value: /^pixie\.porkbun\.com$/i },
          text: 'The default wildcard makes every name exist: delete the ALIAS and the wildcard CNAME to pixie.porkbun.com if you do not need the parking page.',
        },
        {
          record: { label: '', type: 'MX', value: /[ .]fwd[12]\.porkbun\.com$/i },
          text: 'Email forwarding wrote the MX and SPF records: turn it off before you move your mail elsewhere.',
        },
      ],
    }),
  },
  {
    id: 'hover',
    name: 'Hover',
    ns: ['hover.com'],
    panel: createPanel('your domain > DNS > Add a record', '2026-11'),
  },
  {
    id: 'dynadot',
    name: 'Dynadot',
    ns: ['dyna-ns.net', 'dynadot.com'],
    panel: createPanel('My Domains > your domain > DNS Settings > Dynadot DNS', '2026-11', {
      apexName: '',
      formNotes: {
        below: 'Add it in Subdomain Records, because the domain itself has a table of its own.',
      },
    }),
  },
  {
    id: 'namecom',
    name: 'Name.com',
    ns: [],
    nsRegExps: [/^ns[1-4][a-z]{3}\.name\.com$/],
    panel: createPanel('My Domains > your domain > Manage DNS Records > Add Record', '2026-07', {
      apexName: '',
      nullMx: 'refused',
      maxTxt: 512,
      minTtl: 300,
    }),
  },
  {
    id: 'networksolutions',
    name: 'Network Solutions / Register.com',
    ns: ['worldnic.com', 'register.com'],
    panel: createPanel(
      'Domain Names > Actions (three dots) > Manage > Advanced Tools > Advanced DNS Records > Manage > + Add Record',
      '2026-11',
      {
        formNotes: {
          CNAME: OLD_NETWORK_SOLUTIONS,
          MX: OLD_NETWORK_SOLUTIONS,
          'long-txt':
            'If a DKIM key is refused or cut, use the CNAMEs of the service for DKIM instead.',
        },
      },
    ),
  },
  {
    id: 'namesilo',
    name: 'NameSilo',
    ns: ['dnsowl.com', 'namesilo.com'],
    panel: createPanel('Domain Manager > Manage DNS (the blue globe)', '2026-11', {
      apexName: '',
      minTtl: 3600,
    }),
  },
  {
    id: 'bluehost',
    name: 'Bluehost / HostMonster / JustHost',
    ns: ['bluehost.com', 'hostmonster.com', 'justhost.com'],
    panel: createPanel(
      'Domains > your domain > DNS > Manage Advanced DNS Records > + Add Record',
      '2026-11',
      {
        minTtl: 14_400,
        lookElsewhere: CPANEL,
        pitfalls: [
          {
            record: {
              label: '',
              type: 'TXT',
              value: /^v=spf1 (?:.* )?\S?include:(?:\S+\.)?bluehost\.com(?: |$)/i,
            },
            text: 'Bluehost made an SPF record. Edit it instead of adding a second one.',
          },
        ],
      },
    ),
  },
  {
    id: 'hostgator',
    name: 'HostGator',
    ns: ['hostgator.com', 'websitewelcome.com'],
    panel: createPanel(
      'Customer Portal > Domains > your domain > Advanced Tools > Advanced DNS Records > Manage',
      '2026-07',
      { nullMx: 'refused', lookElsewhere: CPANEL },
    ),
  },
  {
    id: 'siteground',
    name: 'SiteGround',
    ns: ['siteground.net', 'sgvps.net', 'siteground.eu'],
    panel: createPanel(
      'Websites > Site Tools > Domain > DNS Zone Editor > tab of the record type',
      '2026-11',
      {
        apexName: '',
        formNotes: {
          spf: 'SiteGround can add SPF records by itself: edit the existing record instead of adding a second one.',
        },
      },
    ),
  },
  {
    id: 'dreamhost',
    name: 'DreamHost',
    ns: ['dreamhost.com'],
    panel: createPanel(
      'Manage Websites > three dots (next to your domain) > DNS Settings > Add Record',
      '2026-07',
      { apexName: '' },
    ),
  },
  {
    id: 'hostinger',
    name: 'Hostinger',
    ns: ['dns-parking.com'],
    panel: createPanel('Domains > Manage > DNS / Nameservers > Manage DNS records', '2026-11'),
  },
  {
    id: 'strato',
    name: 'STRATO',
    ns: ['rzone.de'],
    panel: createPanel(
      'Domains > Domain management > gear icon (next to your domain) > DNS',
      '2026-07',
      {
        apexName: '',
        formNotes: {
          CNAME:
            'Create the subdomain first and open its DNS settings, because there is no name field for CNAME records.',
          spf: STRATO_RULES,
          dmarc: STRATO_RULES,
        },
      },
    ),
  },
  {
    id: 'wordpresscom',
    name: 'WordPress.com',
    ns: ['wordpress.com'],
    panel: createPanel('Domains > your domain > DNS records > Add a record', '2026-11', {
      apexName: '',
    }),
  },
  {
    id: 'spaceship',
    name: 'Spaceship',
    ns: ['launch1.spaceship.net', 'launch2.spaceship.net'],
    panel: createPanel('Advanced DNS > your domain > Custom records > Add record', '2026-11'),
  },
  {
    id: 'inwx',
    name: 'INWX',
    ns: ['inwx.de', 'inwx.eu', 'inwx.com'],
    panel: createPanel('Nameserver > your domain > New record', null, { apexName: '' }),
  },
  {
    id: 'transip',
    name: 'TransIP',
    ns: ['transip.net', 'transip.nl', 'transip.eu'],
    panel: createPanel('Domains > your domain > DNS', '2026-11', {
      nullMx: 'refused',
      maxTxt: 1024,
    }),
  },
  {
    id: 'infomaniak-dns',
    name: 'Infomaniak',
    ns: ['infomaniak.ch', 'infomaniak.com'],
    panel: createPanel('Manager > Domains > your domain > DNS zone', '2026-11', {
      apexName: '',
      formNotes: {
        TXT: 'The list of types has SPF, DKIM and DMARC of their own: check the text that they create, or use TXT.',
      },
    }),
  },
  {
    id: 'onecom',
    name: 'one.com',
    ns: ['one.com'],
    panel: createPanel(
      'Advanced settings > DNS settings > DNS records > Create new record',
      '2026-07',
      { apexName: '' },
    ),
  },
  {
    id: 'yandexdns',
    name: 'Yandex DNS',
    ns: ['yandex.net'],
    panel: createPanel('Yandex 360 admin > Domains > DNS', null, {
      pitfalls: [
        {
          record: { label: '', type: 'TXT', value: /^v=spf1 (?:.* )?redirect=/i },
          text: 'Remove redirect= from the SPF record if it gets an all term, because redirect= is ignored next to it.',
        },
      ],
    }),
  },
  {
    id: 'regru',
    name: 'REG.RU',
    ns: ['reg.ru'],
    panel: createPanel(
      'Domains > your domain > DNS servers and zone management (DNS-серверы и управление зоной)',
      '2026-11',
      {
        pitfalls: [
          {
            record: { label: '', type: 'NS', value: /(?:^|\.)hosting\.reg\.ru$/i },
            text: 'Your zone is on REG.RU’s web hosting: edit it in the panel of the hosting plan instead.',
          },
        ],
      },
    ),
  },
  {
    id: 'fastmail-dns',
    name: 'Fastmail DNS',
    ns: ['messagingengine.com'],
    panel: createPanel('Settings > Domains > Edit (next to your domain)', '2026-11', {
      apexName: '',
      formNotes: { MX: FASTMAIL_RECORDS, spf: FASTMAIL_RECORDS, dkim: FASTMAIL_RECORDS },
    }),
  },
]
