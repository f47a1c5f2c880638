import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { GOOGLE, MAILCHIMP } from '../../../../test/support/service-zones.js'
import { discoverSpf } from '../../../checks/spf/discover-spf.js'
import type { DomainName } from '../../../names/domain-name.js'
import { createOverlayDns } from '../../overlay-dns.js'
import { findLostSenders, testSenders } from './sender-safety.js'

const ZONE = `
  acme.test. A 192.0.2.80
  acme.test. AAAA 2001:db8::80
  acme.test. MX 1 smtp.google.com.
  news.acme.test. MX 10 mx.acme.test.
  mx.acme.test. A 192.0.2.25
  pool.test. TXT "v=spf1 ip4:198.51.100.0/24 ip6:2001:db8:1::/48 -all"
  open.test. TXT "v=spf1 +all"
  ${GOOGLE}${MAILCHIMP}
`

async function published(value: string, domain: string) {
  const dns = createOverlayDns(zoneDns(ZONE), [{ type: 'TXT', name: domain, value }])
  const discovered = await discoverSpf(dns, domain as DomainName)
  if (discovered.kind !== 'facts') throw new Error(discovered.kind)
  return { dns, facts: discovered.facts }
}

interface Change {
  readonly today: string
  readonly after: string
  readonly unused?: readonly string[]
  readonly domain?: string
}

async function lostSenders({ today, after, unused = [], domain = 'acme.test' }: Change) {
  const [before, now] = await Promise.all([published(today, domain), published(after, domain)])
  return findLostSenders(before.facts, now.facts, new Set(unused)).map(({ name }) => name)
}

describe('lost senders', () => {
  test.each<[string, string, string, string[]]>([
    ['nothing changed', 'v=spf1 ip4:192.0.2.1 -all', 'v=spf1 ip4:192.0.2.1 ~all', []],
    [
      'an address is gone',
      'v=spf1 ip4:192.0.2.1 ip4:192.0.2.2 -all',
      'v=spf1 ip4:192.0.2.1 -all',
      ['192.0.2.2'],
    ],
    [
      'a part of a network is gone',
      'v=spf1 ip4:192.0.2.0/24 -all',
      'v=spf1 ip4:192.0.2.0/25 -all',
      ['192.0.2.0/24'],
    ],
    ['a network contains it', 'v=spf1 ip4:192.0.2.1 -all', 'v=spf1 ip4:192.0.2.0/24 -all', []],
    [
      'the web server is gone',
      'v=spf1 a -all',
      'v=spf1 ip6:2001:db8::80 -all',
      ['the server acme.test'],
    ],
    ['its addresses stay', 'v=spf1 a -all', 'v=spf1 ip4:192.0.2.80 ip6:2001:db8::80 -all', []],
    ['an include is gone', 'v=spf1 include:pool.test -all', 'v=spf1 -all', ['pool.test']],
    [
      'only the IPv6 addresses of an include are gone',
      'v=spf1 include:pool.test -all',
      'v=spf1 ip4:198.51.100.0/24 -all',
      ['pool.test'],
    ],
    ['a redirect is gone', 'v=spf1 redirect=pool.test', 'v=spf1 -all', ['pool.test']],
    [
      'a redirect becomes an include',
      'v=spf1 redirect=pool.test',
      'v=spf1 include:pool.test -all',
      [],
    ],
    [
      'a service is gone',
      'v=spf1 include:_spf.google.com -all',
      'v=spf1 ip4:192.0.2.1 -all',
      ['Google Workspace'],
    ],
    [
      'an exception comes first',
      'v=spf1 ip4:192.0.2.1 -all',
      'v=spf1 -ip4:192.0.2.1 ip4:192.0.2.1 -all',
      ['192.0.2.1'],
    ],
    [
      'over the lookup limit before it',
      'v=spf1 ip4:192.0.2.1 include:pool.test -all',
      `v=spf1 ip4:192.0.2.1 ${'include:pool.test. '.repeat(10)} a:mx.acme.test include:pool.test -all`,
      [],
    ],
  ])('%s', async (_, today, after, lost) => {
    expect(await lostSenders({ today, after })).toEqual(lost)
  })

  test.each<[string, string]>([
    ['did not pass: two records in one', 'v=spf1 ip4:192.0.2.1 foo -all'],
    ['was excluded', 'v=spf1 -ip4:192.0.2.1 ip4:192.0.2.1 -all'],
    ['was neutral', 'v=spf1 ?ip4:192.0.2.1 -all'],
    ['passed only because everyone did', 'v=spf1 +all'],
    ['passed only because an include lets everyone in', 'v=spf1 include:open.test -all'],
    ['never uses the domain in MAIL FROM', 'v=spf1 include:servers.mcsv.net -all'],
    ['only receives, at a mailbox provider', 'v=spf1 mx -all'],
  ])('none if the sender %s', async (_, today) => {
    expect(await lostSenders({ today, after: 'v=spf1 -all' })).toEqual([])
  })

  test('a sender beside one that lets everyone in', async () => {
    const today = 'v=spf1 include:open.test ip4:192.0.2.1 -all'
    expect(await lostSenders({ today, after: 'v=spf1 -all' })).toEqual(['192.0.2.1'])
    expect(await lostSenders({ today, after: 'v=spf1 ip4:192.0.2.1 -all' })).toEqual([])
  })

  test('none that the owner no longer uses', async () => {
    const change = { today: 'v=spf1 include:_spf.google.com -all', after: 'v=spf1 -all' }
    expect(await lostSenders({ ...change, unused: ['google'] })).toEqual([])
    expect(await lostSenders({ ...change, unused: ['mailchimp'] })).toEqual(['Google Workspace'])
  })

  test('below a registrable domain, a service may use the name itself', async () => {
    const today = 'v=spf1 include:servers.mcsv.net -all'
    const change = { today, after: 'v=spf1 -all', domain: 'news.acme.test' }
    expect(await lostSenders(change)).toEqual(['Mailchimp'])
  })

  test('mail servers of the domain itself send', async () => {
    const change = { today: 'v=spf1 mx -all', after: 'v=spf1 -all', domain: 'news.acme.test' }
    expect(await lostSenders(change)).toEqual(['the mail servers of news.acme.test'])
  })
})

describe('tested senders', () => {
  async function tested({ today, after, unused = [], domain = 'acme.test' }: Change) {
    const [before, now] = await Promise.all([published(today, domain), published(after, domain)])
    return testSenders(before, now, new Set(unused))
  }

  test('have an address each, and the results of today and of the plan', async () => {
    const today = 'v=spf1 ip4:192.0.2.1 include:pool.test foo -all'
    const after = 'v=spf1 ip4:192.0.2.1 include:pool.test include:_spf.google.com -all'
    expect(await tested({ today, after })).toEqual([
      { sender: '192.0.2.1', ip: '192.0.2.1', before: 'permerror', after: 'pass' },
      { sender: 'pool.test', ip: '198.51.100.1', before: 'permerror', after: 'pass' },
      { sender: 'Google Workspace', ip: '74.125.0.1', before: 'permerror', after: 'pass' },
    ])
  })

  test('include one that would lose its pass', async () => {
    const change = { today: 'v=spf1 ip4:192.0.2.1 -all', after: 'v=spf1 ~all' }
    expect(await tested(change)).toEqual([
      { sender: '192.0.2.1', ip: '192.0.2.1', before: 'pass', after: 'softfail' },
    ])
  })

  test('include an IPv6 sender', async () => {
    const record = 'v=spf1 ip6:2001:db8:2::/48 -all'
    expect(await tested({ today: record, after: record })).toEqual([
      { sender: '2001:db8:2::/48', ip: '2001:db8:2::1', before: 'pass', after: 'pass' },
    ])
  })

  test('do not include needless services that the plan leaves out', async () => {
    const today = 'v=spf1 include:servers.mcsv.net ip4:192.0.2.1 -all'
    const senders = await tested({ today, after: 'v=spf1 ip4:192.0.2.1 -all' })
    expect(senders.map(({ sender }) => sender)).toEqual(['192.0.2.1'])
    const kept = await tested({ today, after: today })
    expect(kept.map(({ sender }) => sender)).toEqual(['Mailchimp', '192.0.2.1'])
  })

  test('are at most 25', async () => {
    const terms = Array.from({ length: 30 }, (_, index) => `ip4:192.0.2.${index}`).join(' ')
    const record = `v=spf1 ${terms} -all`
    expect(await tested({ today: record, after: record })).toHaveLength(25)
  })
})
