/** Clouds and DNS services for domains that are registered elsewhere. */
import { createPanel, type DnsHost } from './dns-host.js'
import { NO_MAIL_KEY, NO_MAIL_POLICY } from './no-mail-records.js'

const CLOUDFLARE_NO_MAIL =
  'Records here declare that the domain sends no mail: delete *._domainkey and relax _dmarc before you start to send.'

export const DNS_SERVICES: readonly DnsHost[] = [
  {
    id: 'cloudflare',
    name: 'Cloudflare',
    ns: ['ns.cloudflare.com', 'foundationdns.com', 'foundationdns.net', 'foundationdns.org'],
    panel: createPanel('your domain > DNS > Records > Add record', '2026-11', {
      maxTxt: 4096,
      minTtl: 60,
      formNotes: {
        CNAME: 'Set the proxy status to DNS only (the gray cloud).',
      },
      pitfalls: [
        {
          record: { label: '', type: 'MX', value: /\.mx\.cloudflare\.net$/i },
          text: 'Email Routing controls the MX records and adds its own SPF record while it is on, so change the mail service there first.',
        },
        {
          record: { label: '*._domainkey', type: 'TXT', value: NO_MAIL_KEY },
          text: CLOUDFLARE_NO_MAIL,
        },
        {
          record: { label: '_dmarc', type: 'TXT', value: NO_MAIL_POLICY },
          text: CLOUDFLARE_NO_MAIL,
        },
        {
          record: { label: '_dmarc', type: 'TXT', value: /@dmarc-reports\.cloudflare\.net\b/i },
          text: 'Keep the address at dmarc-reports.cloudflare.net in the DMARC record: Cloudflare’s DMARC Management reads its reports there.',
        },
      ],
      dmarcReports: {
        screen: 'your domain > Email > DMARC Management',
        address: '@dmarc-reports.cloudflare.net',
      },
    }),
  },
  {
    id: 'route53',
    name: 'Amazon Route 53',
    ns: [],
    nsRegExps: [/^ns-\d+\.awsdns-\d+\.(com|net|org|co\.uk)$/],
    panel: createPanel('Route 53 > Hosted zones > your zone > Create record', '2026-11', {
      apexName: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
      maxTxt: 4000,
    }),
  },
  {
    id: 'gcloud',
    name: 'Google Cloud DNS',
    ns: [],
    nsRegExps: [/^ns-cloud-[a-e][1-4]\.googledomains\.com$/],
    panel: createPanel('Network services > Cloud DNS > your zone > Add standard', '2026-11', {
      apexName: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
      lookElsewhere:
        'Squarespace uses the same name servers for domains from Google Domains: without a Google Cloud project, go to Squarespace > Domains > your domain > DNS Settings.',
    }),
  },
  {
    id: 'azure',
    name: 'Azure DNS',
    ns: [],
    nsRegExps: [/^ns\d+-\d+\.azure-dns\.(com|net|org|info)$/],
    panel: createPanel('DNS zones > your zone > Recordsets > Add', null, {
      hasRecordSets: true,
      nullMx: 'refused',
      maxTxt: 4096,
      minTtl: 1,
    }),
  },
  {
    id: 'digitalocean',
    name: 'DigitalOcean',
    ns: ['digitalocean.com'],
    panel: createPanel('Networking > Domains > your domain > Create new record', '2026-11', {
      nullMx: 'refused',
      maxTxt: 509,
      minTtl: 30,
      formNotes: { CNAME: 'End the target with a dot if the form reports an error.' },
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
    panel: createPanel('Hetzner Console > your project > DNS > your zone', '2026-11', {
      quotes: 'when-split',
      split: 'manual',
      hasRecordSets: true,
      minTtl: 60,
      targetDot: true,
      lookElsewhere:
        'There are two systems, DNS in the Hetzner Console and the older dns.hetzner.com: use the one that has the zone.',
    }),
  },
  {
    id: 'vercel',
    name: 'Vercel',
    ns: ['vercel-dns.com'],
    panel: createPanel('your team > Domains > your domain > DNS Records > Add', '2026-11', {
      apexName: '',
      nullMx: 'refused',
      minTtl: 60,
    }),
  },
  {
    id: 'netlify',
    name: 'Netlify DNS',
    ns: [],
    nsRegExps: [/^dns[1-4]\.p0\d\.nsone\.net$/],
    panel: createPanel('Domains > your domain > DNS records > Add new record', '2026-11', {
      nullMx: 'refused',
      lookElsewhere:
        'Customers of NS1 and Squarespace can have the same name servers: if you have no Netlify account, look there.',
    }),
  },
  {
    id: 'ns1',
    name: 'NS1 / IBM',
    ns: ['nsone.net'],
    panel: createPanel('Zones > your zone > Add record', null, {
      apexName: '',
      hasRecordSets: true,
      lookElsewhere:
        'Netlify DNS and Squarespace use the same name servers: if you have no NS1 account, look there.',
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
    panel: createPanel('Domains > your domain > DNS > Manage records > Add record', '2026-07', {
      apexName: '',
      maxTxt: 1000,
    }),
  },
  {
    id: 'dnsmadeeasy',
    name: 'DNS Made Easy / Constellix',
    ns: ['dnsmadeeasy.com', 'constellix.com', 'constellix.net'],
    panel: createPanel('Managed DNS > your domain', null, {
      apexName: '',
      quotes: 'always',
      split: 'manual',
      pitfalls: [
        {
          record: { label: '', type: 'NS', value: /(?:^|\.)constellix\.(?:com|net)$/i },
          text: 'Constellix has screens of its own: sign in to the Constellix portal instead.',
        },
      ],
    }),
  },
  {
    id: 'akamai',
    name: 'Akamai Edge DNS',
    ns: ['akam.net', 'akamaiedge.net'],
    panel: createPanel('Edge DNS > your zone > Record sets', null, {
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
    panel: createPanel('Zones > your zone > Add record', null, {
      apexName: '',
      split: 'manual',
      formNotes: {
        MX: 'For a null MX (priority 0 and a dot), select Null MX Record in the form, which fills in both.',
      },
    }),
  },
  {
    id: 'dyn',
    name: 'Oracle Dyn',
    ns: ['dynect.net'],
    panel: createPanel('Manage DNS > your zone > Add record', null, {
      apexName: '',
      split: 'manual',
      formNotes: { spf: 'For the domain itself, add the record at the root of the zone.' },
    }),
  },
  {
    id: 'desec',
    name: 'deSEC',
    ns: ['desec.io', 'desec.org'],
    panel: createPanel('Domain management > your domain > +', null, {
      apexName: '',
      quotes: 'always',
      split: 'manual',
      hasRecordSets: true,
      minTtl: 3600,
    }),
  },
  {
    id: 'he',
    name: 'Hurricane Electric',
    ns: ['he.net'],
    panel: createPanel('dns.he.net > your domain > New TXT (New CNAME, New MX)', '2026-11', {
      apexName: '{fqdn}',
      subdomainName: '{fqdn}',
      nullMx: 'refused',
    }),
  },
  {
    id: 'cloudns',
    name: 'ClouDNS',
    ns: ['cloudns.net', 'cloudns.uk'],
    panel: createPanel('DNS hosting > your zone > Add new record', null, { apexName: '' }),
  },
  {
    id: 'linode',
    name: 'Linode / Akamai Cloud',
    ns: ['linode.com'],
    panel: createPanel(
      'Domains > your domain > the section of the record type > Add a record',
      null,
      {
        apexName: '',
        nullMx: 'empty',
        minTtl: 30,
      },
    ),
  },
  {
    id: 'vultr',
    name: 'Vultr',
    ns: ['vultr.com'],
    panel: createPanel('Network > DNS > your domain > Add record', null, {
      apexName: '',
      quotes: 'always',
      nullMx: 'refused',
      formNotes: {
        'long-txt': 'Paste the whole text in one pair of quotes and do not split it.',
      },
    }),
  },
  {
    id: 'alidns',
    name: 'Alibaba Cloud DNS',
    ns: ['hichina.com', 'alidns.com'],
    panel: createPanel('Public Zone > your domain > Add Record', '2026-11', {
      nullMx: 'refused',
      maxTxt: 512,
      minTtl: 600,
    }),
  },
  {
    id: 'dnspod',
    name: 'DNSPod / Tencent',
    ns: ['dnspod.net', 'dnspod.com'],
    panel: createPanel('My Domains > your domain > Records > Add record', '2026-11', {
      nullMx: 'refused',
      pitfalls: [
        {
          record: { label: '', type: 'CNAME', value: /./ },
          text: 'Delete the CNAME at the domain itself, because it hides MX and TXT records.',
        },
      ],
    }),
  },
  {
    id: 'easydns',
    name: 'easyDNS',
    ns: ['easydns.com', 'easydns.net', 'easydns.org', 'easydns.info'],
    panel: createPanel('Domains > dns (next to your domain) > edit icon of the record type', null, {
      formNotes: { CNAME: 'End the target with a dot.' },
    }),
  },
]
