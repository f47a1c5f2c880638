/** Registrars, web hosts and mailbox providers that host their customers' zones. */
import { createPanel, type DnsHost } from './dns-host.js'

export const REGISTRARS: readonly DnsHost[] = [
  {
    id: 'godaddy',
    name: 'GoDaddy',
    ns: ['domaincontrol.com'],
    panel: createPanel('My Products > your domain > DNS > DNS Records > Add New Record', {
      trapsOf: {
        dmarc:
          'Newer accounts come with a _dmarc record that has p=reject and sends reports to onsecureserver.net. Edit that one instead of adding a second.',
      },
    }),
  },
  {
    id: 'namecheap',
    name: 'Namecheap',
    ns: ['registrar-servers.com', 'namecheaphosting.com'],
    panel: createPanel('Domain List > Manage > Advanced DNS > Host Records', {
      traps: ['If the zone is on the web hosting name servers, edit it in cPanel instead.'],
      trapsOf: { MX: 'Set Mail Settings to Custom MX before you add MX records.' },
    }),
  },
  {
    id: 'squarespace',
    name: 'Squarespace Domains',
    ns: ['squarespacedns.com'],
    usesNameServersOf: ['netlify', 'ns1'],
    panel: createPanel('Domains > your domain > DNS > DNS Settings > Add record'),
  },
  {
    id: 'ovh',
    name: 'OVHcloud',
    ns: ['ovh.net', 'ovh.ca', 'anycast.me'],
    panel: createPanel('Web Cloud > Domain names > your domain > DNS zone > Add an entry', {
      apexName: '',
      traps: ['In the text mode of the zone editor, put the value in quotes.'],
      trapsOf: {
        TXT: 'The types SPF, DKIM and DMARC are forms that create plain TXT records. Check the text that they create.',
      },
    }),
  },
  {
    id: 'gandi',
    name: 'Gandi LiveDNS',
    ns: ['gandi.net'],
    panel: createPanel('your domain > DNS Records > Add record', {
      traps: ['In the text view of the zone, put the value in quotes.'],
      trapsOf: {
        spf: 'The default SPF record ends in ?all, which does not protect against forged mail.',
      },
    }),
  },
  {
    id: 'ionos',
    name: 'IONOS',
    ns: ['ui-dns.com', 'ui-dns.de', 'ui-dns.org', 'ui-dns.biz'],
    panel: createPanel('Domains & SSL > your domain > DNS > Add record', {
      trapsOf: {
        spf: 'SPF has its own entry in the list of types: SPF (TXT).',
        dmarc:
          'By default there is a CNAME at this name. Delete it before you add the TXT record: a name with a CNAME cannot have other records.',
      },
    }),
  },
  {
    id: 'wix',
    name: 'Wix',
    ns: ['wixdns.net'],
    panel: createPanel('Domains > ... > Manage DNS records', {
      apexName: '',
      traps: ['NS and wildcard records cannot be edited.'],
    }),
  },
  {
    id: 'porkbun',
    name: 'Porkbun',
    ns: ['porkbun.com'],
    panel: createPanel('Domain Management > Details > DNS Records > Edit', {
      apexName: '',
      traps: [
        'By default there are an ALIAS and a wildcard CNAME to pixie.porkbun.com, which make every unknown name exist. Delete them if you do not need them.',
      ],
    }),
  },
  {
    id: 'hover',
    name: 'Hover',
    ns: ['hover.com'],
    panel: createPanel('your domain > DNS > Add a record'),
  },
  {
    id: 'dynadot',
    name: 'Dynadot',
    ns: ['dyna-ns.net', 'dynadot.com'],
    panel: createPanel('My Domains > Manage > DNS Settings > Dynadot DNS', {
      apexName: '',
      traps: [
        'The domain itself and names below it have two separate tables: _dmarc belongs in Subdomain Records.',
      ],
    }),
  },
  {
    id: 'namecom',
    name: 'Name.com',
    ns: [],
    nsRegExps: [/^ns[1-4][a-z]{3}\.name\.com$/],
    panel: createPanel('My Domains > your domain > Manage DNS Records', { apexName: '' }),
  },
  {
    id: 'networksolutions',
    name: 'Network Solutions / Register.com',
    ns: ['worldnic.com', 'register.com'],
    panel: createPanel('Account Manager > Domains > Manage > Advanced DNS', {
      trapsOf: {
        dkim: 'Long DKIM keys often cause problems here. If the service offers CNAMEs for DKIM, use those.',
      },
    }),
  },
  {
    id: 'namesilo',
    name: 'NameSilo',
    ns: ['dnsowl.com', 'namesilo.com'],
    panel: createPanel('Domain Manager > DNS (the blue globe)', { apexName: '' }),
  },
  {
    id: 'bluehost',
    name: 'Bluehost / HostMonster / JustHost',
    ns: ['bluehost.com', 'hostmonster.com', 'justhost.com'],
    panel: createPanel('Domains > DNS', {
      traps: [
        'On older plans, the Zone Editor of cPanel needs the full name with a dot at the end.',
      ],
    }),
  },
  {
    id: 'hostgator',
    name: 'HostGator',
    ns: ['hostgator.com', 'websitewelcome.com'],
    panel: createPanel('cPanel > Zone Editor > Manage', {
      apexName: '{fqdn}.',
      subdomainName: '{fqdn}.',
      traps: ['Enter the full name with a dot at the end.'],
    }),
  },
  {
    id: 'siteground',
    name: 'SiteGround',
    ns: ['siteground.net', 'sgvps.net', 'siteground.eu'],
    panel: createPanel('Site Tools > Domain > DNS Zone Editor', { apexName: '' }),
  },
  {
    id: 'dreamhost',
    name: 'DreamHost',
    ns: ['dreamhost.com'],
    panel: createPanel('Websites > Manage > DNS Settings', { apexName: '' }),
  },
  {
    id: 'hostinger',
    name: 'Hostinger',
    ns: ['dns-parking.com'],
    panel: createPanel('Domains > Manage > DNS / Nameservers'),
  },
  {
    id: 'strato',
    name: 'STRATO',
    ns: ['rzone.de'],
    panel: createPanel('Domains > Manage > DNS', {
      apexName: '',
      traps: ['TXT, SPF, DKIM and DMARC are set in separate dialogs, not in one table.'],
    }),
  },
  {
    id: 'wordpresscom',
    name: 'WordPress.com',
    ns: ['wordpress.com'],
    panel: createPanel('Upgrades > Domains > DNS records', { apexName: '' }),
  },
  {
    id: 'spaceship',
    name: 'Spaceship',
    ns: ['launch1.spaceship.net', 'launch2.spaceship.net'],
    panel: createPanel('Domain Manager > Advanced DNS'),
  },
  {
    id: 'inwx',
    name: 'INWX',
    ns: ['inwx.de', 'inwx.eu', 'inwx.com'],
    panel: createPanel('Nameserver > your domain > New record', { apexName: '' }),
  },
  {
    id: 'transip',
    name: 'TransIP',
    ns: ['transip.net', 'transip.nl', 'transip.eu'],
    panel: createPanel('your domain > DNS'),
  },
  {
    id: 'infomaniak-dns',
    name: 'Infomaniak',
    ns: ['infomaniak.ch', 'infomaniak.com'],
    panel: createPanel('Manager > your domain > DNS zone', { apexName: '' }),
  },
  {
    id: 'onecom',
    name: 'one.com',
    ns: ['one.com'],
    panel: createPanel('Advanced settings > DNS settings > DNS records', { apexName: '' }),
  },
  {
    id: 'yandexdns',
    name: 'Yandex DNS',
    ns: ['yandex.net'],
    panel: createPanel('Yandex 360 admin > Domains > DNS'),
  },
  {
    id: 'regru',
    name: 'REG.RU',
    ns: ['reg.ru'],
    panel: createPanel('Domains > DNS servers and zone'),
  },
  {
    id: 'fastmail-dns',
    name: 'Fastmail DNS',
    ns: ['messagingengine.com'],
    panel: createPanel('Settings > Domains > Customize DNS', {
      apexName: '',
      traps: ['Mail records are managed for you; you can add other TXT records.'],
    }),
  },
]
