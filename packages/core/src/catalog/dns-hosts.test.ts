import { describe, expect, test } from 'vitest'
import { DNS_HOSTS, findDnsHost, findDnsHosts, GENERIC_PANEL } from './dns-hosts.js'

const ids = (...nameServers: string[]) => findDnsHosts(nameServers).map(({ id }) => id)

describe('host of a name server', () => {
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

  test('is found with a regular expression before a pattern', () => {
    expect(findDnsHost('dns1.p05.nsone.net')?.id).toBe('netlify')
    expect(findDnsHost('dns1.q05.nsone.net')?.id).toBe('ns1')
  })

  test('ignores case and a final dot', () => {
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
  ])('%j is unknown', (nameServer) => {
    expect(findDnsHost(nameServer)).toBeNull()
  })
})

describe('hosts of a zone', () => {
  test('are listed once', () => {
    expect(ids('amy.ns.cloudflare.com', 'bob.ns.cloudflare.com')).toEqual(['cloudflare'])
  })

  test('can be several or none', () => {
    expect(ids('ns1.acme.test', 'ns1.he.net', 'ns1.linode.com')).toEqual(['he', 'linode'])
    expect(ids('ns1.acme.test')).toEqual([])
    expect(ids()).toEqual([])
  })

  test('exclude the owner of borrowed name servers', () => {
    expect(ids('dns1.p01.nsone.net', 'ns01.squarespacedns.com')).toEqual(['squarespace'])
    expect(ids('dns1.p01.nsone.net')).toEqual(['netlify'])
  })

  test('borrow only from existing hosts', () => {
    const known = DNS_HOSTS.map(({ id }) => id)
    const lenders = DNS_HOSTS.flatMap(({ usesNameServersOf = [] }) => usesNameServersOf)
    expect(lenders.filter((id) => !known.includes(id))).toEqual([])
  })
})

test('recognizes a parking service', () => {
  const parked = DNS_HOSTS.filter(({ isParking }) => isParking).map(({ id }) => id)
  expect(parked).toEqual(['parking'])
})

describe('panel', () => {
  const panels = [
    ...DNS_HOSTS.map(({ id, panel }) => ({ id, panel })),
    { id: 'unknown', panel: GENERIC_PANEL },
  ]

  test.each(panels)('of $id has a screen and complete sentences', ({ panel }) => {
    const { path, confirmed } = panel.screen
    const texts = [
      ...new Set(Object.values(panel.formNotes).map(({ text }) => text)),
      ...(panel.lookElsewhere ? [panel.lookElsewhere] : []),
      ...new Set(panel.pitfalls.map(({ text }) => text)),
    ]
    expect(path).toMatch(/^[a-zA-Z][ -~’а-яА-Я]*[a-zA-Z+)]$/)
    expect(confirmed ?? '2026-11').toMatch(/^20\d\d-(?:0[1-9]|1[0-2])$/)
    expect(texts.filter((text) => !/^[A-Z][ -~’]+[^ .]\.$/.test(text))).toEqual([])
    expect([path, ...texts].join('\n')).not.toMatch(/https?:| {2}|[{}]/)
    expect(new Set(texts).size).toBe(texts.length)
  })

  test.each(panels)(
    'of $id has consistent name fields',
    ({ panel: { apexName, subdomainName } }) => {
      expect(subdomainName === '{name}' ? ['@', ''] : [subdomainName]).toContain(apexName)
    },
  )

  test.each(panels)('of $id needs split quotes only with manual splitting', ({ panel }) => {
    if (panel.quotes === 'when-split') expect(panel.split).toBe('manual')
  })
})
