import { describe, expect, test } from 'vitest'
import { DNS_HOSTS, findDnsHost, findDnsHosts, GENERIC_PANEL } from './find-dns-host.js'

const ids = (...nameServers: string[]) => findDnsHosts(nameServers).map(({ id }) => id)

describe('who runs a name server', () => {
  test.each([
    ['amy.ns.cloudflare.com', 'cloudflare'],
    ['ns-1536.awsdns-00.co.uk', 'route53'],
    ['ns01.domaincontrol.com', 'godaddy'],
    ['dns1.registrar-servers.com', 'namecheap'],
    ['ns-cloud-b2.googledomains.com', 'gcloud'],
    ['ns3-07.azure-dns.org', 'azure'],
    ['ns01.squarespacedns.com', 'squarespace'],
    ['ns1.sedoparking.com', 'parking'],
  ])('%s: %s', (nameServer, id) => {
    expect(findDnsHost(nameServer)?.id).toBe(id)
  })

  test('is told by a form before it is told by a pattern', () => {
    expect(findDnsHost('dns1.p05.nsone.net')?.id).toBe('netlify')
    expect(findDnsHost('dns1.q05.nsone.net')?.id).toBe('ns1')
  })

  test('does not hang on capitals or a final dot', () => {
    expect(findDnsHost('NS-CLOUD-A1.GoogleDomains.com.')?.id).toBe('gcloud')
    expect(findDnsHost('NS01.DomainControl.com.')?.id).toBe('godaddy')
  })

  test.each([
    'ns-1.awsdns-00.com.evil.test',
    'evil-ns-1.awsdns-00.com',
    'ns-cloud-f1.googledomains.com',
    'notdomaincontrol.com',
    'www.name.com',
    'com',
    '.',
    '',
  ])('%j is nobody’s we know', (nameServer) => {
    expect(findDnsHost(nameServer)).toBeNull()
  })
})

describe('who keeps a zone', () => {
  test('is named once, whatever the number of name servers', () => {
    expect(ids('amy.ns.cloudflare.com', 'bob.ns.cloudflare.com')).toEqual(['cloudflare'])
  })

  test('can be more than one, or nobody we know', () => {
    expect(ids('ns1.acme.test', 'ns1.he.net', 'ns1.linode.com')).toEqual(['he', 'linode'])
    expect(ids('ns1.acme.test')).toEqual([])
    expect(ids()).toEqual([])
  })

  test('is not the one whose name servers are lent', () => {
    expect(ids('dns1.p01.nsone.net', 'ns01.squarespacedns.com')).toEqual(['squarespace'])
    expect(ids('dns1.p01.nsone.net')).toEqual(['netlify'])
  })

  test('borrows only from hosts that there are', () => {
    const known = DNS_HOSTS.map(({ id }) => id)
    const lenders = DNS_HOSTS.flatMap(({ usesNameServersOf = [] }) => usesNameServersOf)
    expect(lenders.filter((id) => !known.includes(id))).toEqual([])
  })
})

test('a domain at a parking service is not in use', () => {
  const parked = DNS_HOSTS.filter(({ isParking }) => isParking).map(({ id }) => id)
  expect(parked).toEqual(['parking'])
})

describe('the panel', () => {
  const panels = [
    ...DNS_HOSTS.map(({ id, panel }) => ({ id, panel })),
    { id: 'unknown', panel: GENERIC_PANEL },
  ]

  test.each(panels)('of $id is told in proper sentences', ({ panel }) => {
    const { menu } = panel
    const traps = [...panel.traps, ...Object.values(panel.trapsOf)]
    expect(menu).toMatch(/^[a-zA-Z][ -~’]*[a-zA-Z+)]$/)
    expect(traps.filter((trap) => !/^[A-Z][ -~’]+[^ .]\.$/.test(trap))).toEqual([])
    expect([menu, ...traps].join('\n')).not.toMatch(/https?:| {2}|[{}]/)
    expect(new Set(traps).size).toBe(traps.length)
  })

  test.each(panels)('of $id takes names in one way', ({ panel: { apexName, subdomainName } }) => {
    expect(subdomainName === '{name}' ? ['@', ''] : [subdomainName]).toContain(apexName)
  })

  test.each(panels)('of $id wants quotes at a cut only from who cuts', ({ panel }) => {
    if (panel.quotes === 'when-split') expect(panel.split).toBe('manual')
  })

  test('warns of a doubled domain, but not where the whole name is typed', () => {
    const isWarned = ({ panel }: (typeof panels)[number]) => panel.traps.join().includes('twice')
    const expected = panels
      .filter(({ panel }) => panel.subdomainName === '{name}')
      .map(({ id }) => id)
    const warned = panels.filter(isWarned).map(({ id }) => id)
    // Cloudflare takes the domain off again by itself.
    expect(warned).toEqual(expected.filter((id) => id !== 'cloudflare'))
  })

  test('has one set for all TXT records of a name at six hosts', () => {
    const withSets = panels.filter(({ panel }) => panel.hasRecordSets).map(({ id }) => id)
    expect(withSets.sort()).toEqual(['akamai', 'azure', 'desec', 'gcloud', 'ns1', 'route53'])
  })
})
