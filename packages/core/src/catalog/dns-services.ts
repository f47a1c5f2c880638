/** Clouds and DNS services for domains that are registered elsewhere. */
import { createPanel, DEFAULT_PANEL, type DnsHost } from './dns-host.js'

export const DNS_SERVICES: readonly DnsHost[] = [
  {
    id: 'cloudflare',
    name: 'Cloudflare',
    ns: ['ns.cloudflare.com', 'foundationdns.com', 'foundationdns.net', 'foundationdns.org'],
    panel: {
      ...DEFAULT_PANEL,
      menu: 'your domain > DNS > Records > Add record',
      trapsOf: {
        CNAME:
          'Set DKIM CNAMEs to DNS only (the gray cloud): behind the proxy they do not lead to the key.',
      },
    },
  },
  {
    id: 'route53',
    name: 'Amazon Route 53',
    ns: [],
    nsRegExps: [/^ns-\d+\.awsdns-\d+\.(com|net|org|co\.uk)$/],
    panel: createPanel('Hosted zones > your zone > Create record', {
      apexName: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
    }),
  },
  {
    id: 'gcloud',
    name: 'Google Cloud DNS',
    ns: [],
    nsRegExps: [/^ns-cloud-[a-e][1-4]\.googledomains\.com$/],
    panel: createPanel('Network services > Cloud DNS > your zone > Add standard', {
      apexName: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
      traps: [
        'Domains that Squarespace took over from Google Domains use the same name servers; their menu is Domains > your domain > DNS > DNS Settings > Add record.',
      ],
    }),
  },
  {
    id: 'azure',
    name: 'Azure DNS',
    ns: [],
    nsRegExps: [/^ns\d+-\d+\.azure-dns\.(com|net|org|info)$/],
    panel: createPanel('DNS zones > your zone > Recordsets > Add', {
      hasRecordSets: true,
      trapsOf: { TXT: 'All texts of a record set together may have up to 4096 characters.' },
    }),
  },
  {
    id: 'digitalocean',
    name: 'DigitalOcean',
    ns: ['digitalocean.com'],
    panel: createPanel('Networking > Domains > your domain', {
      trapsOf: {
        CNAME:
          'In the zone file view, end the target of a CNAME with a dot; in the form this is optional.',
      },
    }),
  },
  {
    id: 'hetzner',
    name: 'Hetzner',
    ns: [
      'ns.hetzner.de',
      'ns.hetzner.com',
      'first-ns.de',
      'second-ns.de',
      'second-ns.com',
      'your-server.de',
    ],
    panel: createPanel('DNS Console (or Cloud Console > DNS) > your zone > Add record', {
      quotes: 'when-split',
      split: 'manual',
      traps: [
        'There are two systems, the older DNS Console and DNS in the Cloud Console. Use the one that has the zone.',
      ],
    }),
  },
  {
    id: 'vercel',
    name: 'Vercel',
    ns: ['vercel-dns.com'],
    panel: createPanel('your team > Domains > your domain > DNS Records', { apexName: '' }),
  },
  {
    id: 'netlify',
    name: 'Netlify DNS',
    ns: [],
    nsRegExps: [/^dns[1-4]\.p0\d\.nsone\.net$/],
    panel: createPanel('Domains > your domain > DNS records > Add new record', {
      traps: [
        'Customers of NS1 can have the same name servers; their menu is Zones > your zone > Add record.',
      ],
    }),
  },
  {
    id: 'ns1',
    name: 'NS1 / IBM',
    ns: ['nsone.net'],
    panel: createPanel('Zones > your zone > Add record', {
      apexName: '',
      split: 'manual',
      hasRecordSets: true,
    }),
  },
  {
    id: 'dnsimple',
    name: 'DNSimple',
    ns: [
      'dnsimple.com',
      'dnsimple-edge.net',
      'dnsimple-edge.org',
      'dnsimple-edge.com',
      'dnsimple-edge.io',
    ],
    panel: createPanel('your domain > DNS > Record editor', { apexName: '' }),
  },
  {
    id: 'dnsmadeeasy',
    name: 'DNS Made Easy / Constellix',
    ns: ['dnsmadeeasy.com', 'constellix.com', 'constellix.net'],
    panel: createPanel('Managed DNS > your domain', {
      apexName: '',
      quotes: 'always',
      split: 'manual',
    }),
  },
  {
    id: 'akamai',
    name: 'Akamai Edge DNS',
    ns: ['akam.net', 'akamaiedge.net'],
    panel: createPanel('Edge DNS > your zone > Record sets', {
      apexName: '{fqdn}',
      subdomainName: '{fqdn}',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
    }),
  },
  {
    id: 'ultradns',
    name: 'UltraDNS',
    ns: ['ultradns.net', 'ultradns.com', 'ultradns.org', 'ultradns.biz', 'ultradns.co.uk'],
    panel: createPanel('Zones > your zone > Add record', {
      apexName: '',
      split: 'manual',
    }),
  },
  {
    id: 'dyn',
    name: 'Oracle Dyn',
    ns: ['dynect.net'],
    panel: createPanel('Manage DNS > your zone > Add record', {
      apexName: '',
      split: 'manual',
      traps: ['For the domain itself, add the record at the root of the zone.'],
    }),
  },
  {
    id: 'desec',
    name: 'deSEC',
    ns: ['desec.io', 'desec.org'],
    panel: createPanel('Domain management > your domain > +', {
      apexName: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
    }),
  },
  {
    id: 'he',
    name: 'Hurricane Electric',
    ns: ['he.net'],
    panel: createPanel('dns.he.net > Edit zone', {
      apexName: '{fqdn}',
      subdomainName: '{fqdn}',
      trapsOf: { TXT: 'Quotes are added for you.' },
    }),
  },
  {
    id: 'cloudns',
    name: 'ClouDNS',
    ns: ['cloudns.net', 'cloudns.uk'],
    panel: createPanel('DNS hosting > your zone > Add new record', { apexName: '' }),
  },
  {
    id: 'linode',
    name: 'Linode / Akamai Cloud',
    ns: ['linode.com'],
    panel: createPanel('Domains > your domain', { apexName: '' }),
  },
  {
    id: 'vultr',
    name: 'Vultr',
    ns: ['vultr.com'],
    panel: createPanel('Network > DNS > your domain', {
      apexName: '',
      quotes: 'always',
      split: 'manual',
    }),
  },
  {
    id: 'alidns',
    name: 'Alibaba Cloud DNS',
    ns: ['hichina.com', 'alidns.com'],
    panel: createPanel('DNS > Manage DNS > Add record'),
  },
  {
    id: 'dnspod',
    name: 'DNSPod / Tencent',
    ns: ['dnspod.net', 'dnspod.com'],
    panel: createPanel('My domains > Records'),
  },
  {
    id: 'easydns',
    name: 'easyDNS',
    ns: ['easydns.com', 'easydns.net', 'easydns.org', 'easydns.info'],
    panel: createPanel('your domain > DNS'),
  },
]
