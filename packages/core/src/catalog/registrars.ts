/** Registrars, web hosts and mailbox providers that serve the zones of their customers. */
import { type DnsHost, panel } from './dns-host.js'

export const REGISTRARS: readonly DnsHost[] = [
  {
    id: 'godaddy',
    name: 'GoDaddy',
    ns: ['domaincontrol.com'],
    panel: panel('My Products > your domain > DNS > DNS Records > Add New Record', {
      trapsOf: {
        dmarc:
          'Newer accounts come with a _dmarc record that asks for p=reject and sends reports to onsecureserver.net: edit that one instead of adding a second.',
      },
    }),
  },
  {
    id: 'namecheap',
    name: 'Namecheap',
    ns: ['registrar-servers.com', 'namecheaphosting.com'],
    panel: panel('Domain List > Manage > Advanced DNS > Host Records', {
      traps: ['A zone on the name servers of its web hosting is edited in cPanel instead.'],
      trapsOf: { MX: 'MX records can be entered only after Mail Settings is set to Custom MX.' },
    }),
  },
  {
    id: 'squarespace',
    name: 'Squarespace Domains',
    ns: ['squarespacedns.com'],
    borrows: ['netlify', 'ns1'],
    panel: panel('Domains > your domain > DNS > DNS Settings > Add record'),
  },
  {
    id: 'ovh',
    name: 'OVHcloud',
    ns: ['ovh.net', 'ovh.ca', 'anycast.me'],
    panel: panel('Web Cloud > Domain names > your domain > DNS zone > Add an entry', {
      apex: '',
      traps: ['In the text mode of the zone editor the value needs quotes.'],
      trapsOf: {
        TXT: 'The types SPF, DKIM and DMARC are forms that write plain TXT records: check the text they put together.',
      },
    }),
  },
  {
    id: 'gandi',
    name: 'Gandi LiveDNS',
    ns: ['gandi.net'],
    panel: panel('your domain > DNS Records > Add record', {
      traps: ['In the text view of the zone the value needs quotes.'],
      trapsOf: {
        spf: 'The SPF record that is there by default ends in ?all, which keeps nobody out.',
      },
    }),
  },
  {
    id: 'ionos',
    name: 'IONOS',
    ns: ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz'],
    panel: panel('Domains & SSL > your domain > DNS > Add record', {
      trapsOf: {
        spf: 'SPF has an entry of its own in the list of types: SPF (TXT).',
        dmarc:
          'By default there is a CNAME at this name: see that it is gone before you add the TXT record, for nothing can stand beside a CNAME.',
      },
    }),
  },
  {
    id: 'wix',
    name: 'Wix',
    ns: ['wixdns.net'],
    panel: panel('Domains > ... > Manage DNS records', {
      apex: '',
      traps: ['NS and wildcard records cannot be edited.'],
    }),
  },
  {
    id: 'porkbun',
    name: 'Porkbun',
    ns: ['porkbun.com'],
    panel: panel('Domain Management > Details > DNS Records > Edit', {
      apex: '',
      traps: [
        'By default there are an ALIAS and a wildcard CNAME to pixie.porkbun.com, which make every unknown name exist: delete them when you do not need them.',
      ],
    }),
  },
  {
    id: 'hover',
    name: 'Hover',
    ns: ['hover.com'],
    panel: panel('your domain > DNS > Add a record'),
  },
  {
    id: 'dynadot',
    name: 'Dynadot',
    ns: ['dyna-ns.net', 'dynadot.com'],
    panel: panel('My Domains > Manage > DNS Settings > Dynadot DNS', {
      apex: '',
      traps: [
        'Records of the domain itself and of names below it are two separate tables: _dmarc belongs into Subdomain Records.',
      ],
    }),
  },
  {
    id: 'namecom',
    name: 'Name.com',
    ns: [],
    nsForms: [/^ns[1-4][a-z]{3}\.name\.com$/],
    panel: panel('My Domains > your domain > Manage DNS Records', { apex: '' }),
  },
  {
    id: 'networksolutions',
    name: 'Network Solutions / Register.com',
    ns: ['worldnic.com', 'register.com'],
    panel: panel('Account Manager > Domains > Manage > Advanced DNS', {
      trapsOf: {
        dkim: 'Long DKIM keys do badly here: where the service offers CNAMEs for DKIM, take those.',
      },
    }),
  },
  {
    id: 'namesilo',
    name: 'NameSilo',
    ns: ['dnsowl.com', 'namesilo.com'],
    panel: panel('Domain Manager > DNS (the blue globe)', { apex: '' }),
  },
  {
    id: 'bluehost',
    name: 'Bluehost / HostMonster / JustHost',
    ns: ['bluehost.com', 'hostmonster.com', 'justhost.com'],
    panel: panel('Domains > DNS', {
      traps: [
        'On older plans the Zone Editor of cPanel wants the whole name with a dot at its end.',
      ],
    }),
  },
  {
    id: 'hostgator',
    name: 'HostGator',
    ns: ['hostgator.com', 'websitewelcome.com'],
    panel: panel('cPanel > Zone Editor > Manage', {
      apex: '{fqdn}.',
      below: '{fqdn}.',
      traps: ['The name is the whole name with a dot at its end.'],
    }),
  },
  {
    id: 'siteground',
    name: 'SiteGround',
    ns: ['siteground.net', 'sgvps.net', 'siteground.eu'],
    panel: panel('Site Tools > Domain > DNS Zone Editor', { apex: '' }),
  },
  {
    id: 'dreamhost',
    name: 'DreamHost',
    ns: ['dreamhost.com'],
    panel: panel('Websites > Manage > DNS Settings', { apex: '' }),
  },
  {
    id: 'hostinger',
    name: 'Hostinger',
    ns: ['dns-parking.com'],
    panel: panel('Domains > Manage > DNS / Nameservers'),
  },
  {
    id: 'strato',
    name: 'STRATO',
    ns: ['rzone.de'],
    panel: panel('Domains > Manage > DNS', {
      apex: '',
      traps: ['TXT, SPF, DKIM and DMARC are set in separate dialogs, not in one table.'],
    }),
  },
  {
    id: 'wordpresscom',
    name: 'WordPress.com',
    ns: ['wordpress.com'],
    panel: panel('Upgrades > Domains > DNS records', { apex: '' }),
  },
  {
    id: 'spaceship',
    name: 'Spaceship',
    ns: ['launch1.spaceship.net', 'launch2.spaceship.net'],
    panel: panel('Domain Manager > Advanced DNS'),
  },
  {
    id: 'inwx',
    name: 'INWX',
    ns: ['inwx.de', 'inwx.eu', 'inwx.com'],
    panel: panel('Nameserver > your domain > New record', { apex: '' }),
  },
  {
    id: 'transip',
    name: 'TransIP',
    ns: ['transip.net', 'transip.nl', 'transip.eu'],
    panel: panel('your domain > DNS'),
  },
  {
    id: 'infomaniak-dns',
    name: 'Infomaniak',
    ns: ['infomaniak.ch', 'infomaniak.com'],
    panel: panel('Manager > your domain > DNS zone', { apex: '' }),
  },
  {
    id: 'onecom',
    name: 'one.com',
    ns: ['one.com'],
    panel: panel('Advanced settings > DNS settings > DNS records', { apex: '' }),
  },
  {
    id: 'yandexdns',
    name: 'Yandex DNS',
    ns: ['yandex.net'],
    panel: panel('Yandex 360 admin > Domains > DNS'),
  },
  { id: 'regru', name: 'REG.RU', ns: ['reg.ru'], panel: panel('Domains > DNS servers and zone') },
  {
    id: 'fastmail-dns',
    name: 'Fastmail DNS',
    ns: ['messagingengine.com'],
    panel: panel('Settings > Domains > Customize DNS', {
      apex: '',
      traps: ['The records for mail are managed for you; other TXT records can be added.'],
    }),
  },
]
