/** Clouds and services that serve zones for whoever registered the domain elsewhere. */
import { type DnsHost, PLAIN, panel } from './dns-host.js'

export const DNS_SERVICES: readonly DnsHost[] = [
  {
    id: 'cloudflare',
    name: 'Cloudflare',
    ns: ['ns.cloudflare.com', 'foundationdns.com', 'foundationdns.net', 'foundationdns.org'],
    panel: {
      ...PLAIN,
      menu: 'your domain > DNS > Records > Add record',
      trapsOf: {
        CNAME:
          'Set the CNAMEs of DKIM to DNS only (the grey cloud): behind the proxy they do not lead to the key.',
      },
    },
  },
  {
    id: 'route53',
    name: 'Amazon Route 53',
    ns: [],
    nsForms: [/^ns-\d+\.awsdns-\d+\.(com|net|org|co\.uk)$/],
    panel: panel('Hosted zones > your zone > Create record', {
      apex: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
    }),
  },
  {
    id: 'gcloud',
    name: 'Google Cloud DNS',
    ns: [],
    nsForms: [/^ns-cloud-[a-e][1-4]\.googledomains\.com$/],
    panel: panel('Network services > Cloud DNS > your zone > Add standard', {
      apex: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
      traps: [
        'The same name servers serve the domains that Squarespace took over from Google Domains; for those the menu is Domains > your domain > DNS > DNS Settings > Add record.',
      ],
    }),
  },
  {
    id: 'azure',
    name: 'Azure DNS',
    ns: [],
    nsForms: [/^ns\d+-\d+\.azure-dns\.(com|net|org|info)$/],
    panel: panel('DNS zones > your zone > Recordsets > Add', {
      hasRecordSets: true,
      trapsOf: { TXT: 'All texts of a set together may have 4096 characters.' },
    }),
  },
  {
    id: 'digitalocean',
    name: 'DigitalOcean',
    ns: ['digitalocean.com'],
    panel: panel('Networking > Domains > your domain', {
      trapsOf: {
        CNAME:
          'In the view of the zone file the target of a CNAME ends in a dot; in the form it need not.',
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
    panel: panel('DNS Console (or Cloud Console > DNS) > your zone > Add record', {
      quotes: 'when-split',
      split: 'manual',
      traps: [
        'There are two systems, the older DNS Console and DNS in the Cloud Console: use the one that has the zone.',
      ],
    }),
  },
  {
    id: 'vercel',
    name: 'Vercel',
    ns: ['vercel-dns.com'],
    panel: panel('your team > Domains > your domain > DNS Records', { apex: '' }),
  },
  {
    id: 'netlify',
    name: 'Netlify DNS',
    ns: [],
    nsForms: [/^dns[1-4]\.p0\d\.nsone\.net$/],
    panel: panel('Domains > your domain > DNS records > Add new record', {
      traps: [
        'Customers of NS1 can have the same name servers; for those the menu is Zones > your zone > Add record.',
      ],
    }),
  },
  {
    id: 'ns1',
    name: 'NS1 / IBM',
    ns: ['nsone.net'],
    panel: panel('Zones > your zone > Add record', {
      apex: '',
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
    panel: panel('your domain > DNS > Record editor', { apex: '' }),
  },
  {
    id: 'dnsmadeeasy',
    name: 'DNS Made Easy / Constellix',
    ns: ['dnsmadeeasy.com', 'constellix.com', 'constellix.net'],
    panel: panel('Managed DNS > your domain', {
      apex: '',
      quotes: 'always',
      split: 'manual',
    }),
  },
  {
    id: 'akamai',
    name: 'Akamai Edge DNS',
    ns: ['akam.net', 'akamaiedge.net'],
    panel: panel('Edge DNS > your zone > Record sets', {
      apex: '{fqdn}',
      below: '{fqdn}',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
    }),
  },
  {
    id: 'ultradns',
    name: 'UltraDNS',
    ns: ['ultradns.net', 'ultradns.com', 'ultradns.org', 'ultradns.biz', 'ultradns.co.uk'],
    panel: panel('Zones > your zone > Add record', {
      apex: '',
      split: 'manual',
    }),
  },
  {
    id: 'dyn',
    name: 'Oracle Dyn',
    ns: ['dynect.net'],
    panel: panel('Manage DNS > your zone > Add record', {
      apex: '',
      split: 'manual',
      traps: ['For the domain itself add the record at the root of the zone.'],
    }),
  },
  {
    id: 'desec',
    name: 'deSEC',
    ns: ['desec.io', 'desec.org'],
    panel: panel('Domain management > your domain > +', {
      apex: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
    }),
  },
  {
    id: 'he',
    name: 'Hurricane Electric',
    ns: ['he.net'],
    panel: panel('dns.he.net > Edit zone', {
      apex: '{fqdn}',
      below: '{fqdn}',
      trapsOf: { TXT: 'Quotes are added for you.' },
    }),
  },
  {
    id: 'cloudns',
    name: 'ClouDNS',
    ns: ['cloudns.net', 'cloudns.uk'],
    panel: panel('DNS hosting > your zone > Add new record', { apex: '' }),
  },
  {
    id: 'linode',
    name: 'Linode / Akamai Cloud',
    ns: ['linode.com'],
    panel: panel('Domains > your domain', { apex: '' }),
  },
  {
    id: 'vultr',
    name: 'Vultr',
    ns: ['vultr.com'],
    panel: panel('Network > DNS > your domain', {
      apex: '',
      quotes: 'always',
      split: 'manual',
    }),
  },
  {
    id: 'alidns',
    name: 'Alibaba Cloud DNS',
    ns: ['hichina.com', 'alidns.com'],
    panel: panel('DNS > Manage DNS > Add record'),
  },
  {
    id: 'dnspod',
    name: 'DNSPod / Tencent',
    ns: ['dnspod.net', 'dnspod.com'],
    panel: panel('My domains > Records'),
  },
  {
    id: 'easydns',
    name: 'easyDNS',
    ns: ['easydns.com', 'easydns.net', 'easydns.org', 'easydns.info'],
    panel: panel('your domain > DNS'),
  },
]
