import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { GOOGLE, MAILCHIMP, SENDGRID } from '../../../../test/support/service-zones.js'
import type { DomainName } from '../../../names/domain-name.js'
import { composeSpf, type SpfContext } from './compose-spf.js'

/** Six includes of a stranger cost two lookups each; `cheap.test` costs one. */
const ZONE = `
  acme.test. TXT "v=spf1 -all"
  ${[1, 2, 3, 4, 5, 6]
    .map(
      (number) => `
  spf${number}.other.test. TXT "v=spf1 include:more${number}.other.test -all"
  more${number}.other.test. TXT "v=spf1 ip4:192.0.2.${number} -all"`,
    )
    .join('')}
  cheap.test. TXT "v=spf1 ip4:198.51.100.1 -all"
  broken.test. TXT "v=spf1 ip4:198.51.100.2 foo -all"
  _spf.acme.test. TXT "v=spf1 ip4:198.51.100.3 include:gone.test -all"
  half.test. TXT "v=spf1 ip4:198.51.100.6 include:gone.test -all"
  open.test. TXT "v=spf1 +all"
  wide.test. TXT "v=spf1 ip4:198.51.100.5 +all"
  many.test. TXT "v=spf1 ${Array.from({ length: 11 }, (_, index) => `ip4:203.0.113.${index}`).join(' ')} +all"
  mail.acme.test. A 198.51.100.4
  ${GOOGLE}
  ${SENDGRID}
  ${MAILCHIMP}
`

async function compose(terms: string, changes: Partial<SpfContext> = {}, domain = 'acme.test') {
  const composed = await composeSpf(
    { terms: terms.split(' '), allTerm: '-all' },
    {
      dns: zoneDns(ZONE),
      domain: domain as DomainName,
      mailboxProviderIds: new Set(),
      bouncingBelowIds: new Set(),
      unusedIds: new Set(),
      providerTerms: new Map(),
      passingTerms: new Set(),
      partlyPassingTerms: new Set(),
      ...changes,
    },
  )
  return composed
}

const FIVE = [1, 2, 3, 4, 5].map((number) => `include:spf${number}.other.test`)

describe('terms that do not fit into ten lookups', () => {
  test('the cheaper of two that are alike stays', async () => {
    const { value, leftOut, lookups } = await compose(
      ['include:spf6.other.test', 'include:cheap.test', ...FIVE].join(' '),
    )
    expect(leftOut.map(({ term }) => term)).toEqual([
      'include:spf4.other.test',
      'include:spf5.other.test',
    ])
    expect(value).toBe(
      'v=spf1 include:spf6.other.test include:cheap.test include:spf1.other.test include:spf2.other.test include:spf3.other.test ~all',
    )
    expect(lookups).toBe(9)
  })

  test('what passes today stays first', async () => {
    const { leftOut } = await compose([...FIVE, 'include:spf6.other.test'].join(' '), {
      passingTerms: new Set(['include:spf6.other.test', ...FIVE.slice(1)]),
    })
    expect(leftOut).toEqual([{ term: 'include:spf1.other.test', service: null, isNeedless: false }])
  })

  test('the mailbox provider stays before others', async () => {
    const terms = [...FIVE, 'include:_spf.google.com'].join(' ')
    const mailboxProviderIds = new Set(['google'])
    const other = await compose(terms)
    expect(other.leftOut.map(({ term }) => term)).toEqual(['include:_spf.google.com'])
    const { leftOut } = await compose(terms, { mailboxProviderIds })
    expect(leftOut.map(({ term }) => term)).toEqual([
      'include:spf4.other.test',
      'include:spf5.other.test',
    ])
  })

  test('the servers of the domain itself stay before strangers', async () => {
    const { terms, leftOut } = await compose([...FIVE, 'exists:%{i}.acme.test'].join(' '))
    expect(terms).toContain('exists:%{i}.acme.test')
    expect(leftOut.map(({ term }) => term)).toEqual(['include:spf5.other.test'])
  })

  test('a service that never uses the domain in MAIL FROM goes first, and "-all" stays', async () => {
    const { value, leftOut } = await compose(['include:servers.mcsv.net', ...FIVE].join(' '))
    expect(leftOut).toMatchObject([{ term: 'include:servers.mcsv.net', isNeedless: true }])
    expect(value).toBe(`v=spf1 ${FIVE.join(' ')} -all`)
  })

  test('below a registrable domain it may use the name itself', async () => {
    const terms = ['include:servers.mcsv.net', ...FIVE].join(' ')
    const { leftOut } = await compose(terms, {}, 'news.acme.test')
    expect(leftOut.some(({ isNeedless }) => isNeedless)).toBe(false)
  })
})

describe('terms that do harm', () => {
  test.each([
    // It may have stood for a real sender.
    ['include:gone.test', 'no-record', '~all'],
    ['a:gone.test', 'matches-nothing', '-all'],
    ['include:acme.test', 'includes-itself', '-all'],
    ['include:broken.test', 'broken', '~all'],
    // Every server passes today, and no one knows which ones are needed.
    ['include:open.test', 'allows-everyone', '~all'],
    ['ip4:0.0.0.0/0', 'allows-everyone', '~all'],
  ])('%s is dropped: %s', async (term, reason, all) => {
    const { value, dropped } = await compose(`${term} ip4:192.0.2.9`)
    expect(value).toBe(`v=spf1 ip4:192.0.2.9 ${all}`)
    expect(dropped).toMatchObject([{ term, reason }])
  })

  test('the senders of a broken record of the domain itself are taken over', async () => {
    const { value, dropped } = await compose('include:_spf.acme.test')
    expect(value).toBe('v=spf1 ip4:198.51.100.3 ~all')
    expect(dropped).toMatchObject([{ term: 'include:gone.test', reason: 'no-record' }])
  })

  test('an include with an error and senders that pass today goes to the end', async () => {
    const terms = 'include:half.test ip4:192.0.2.9'
    const partlyPassingTerms = new Set(['include:half.test'])
    const { value, moved, faulty, dropped } = await compose(terms, { partlyPassingTerms })
    expect(value).toBe('v=spf1 ip4:192.0.2.9 include:half.test -all')
    expect(moved).toEqual(['include:half.test'])
    expect(faulty).toMatchObject([{ host: 'half.test', fault: 'broken' }])
    expect(dropped).toEqual([])
    const other = await compose(terms)
    expect(other.value).toBe('v=spf1 ip4:192.0.2.9 ~all')
    expect(other.faulty).toEqual([])
  })

  test('the servers that an open include names take its place, if they are few', async () => {
    const partlyPassingTerms = new Set(['include:wide.test', 'include:many.test'])
    const few = await compose('include:wide.test', { partlyPassingTerms })
    expect(few.value).toBe('v=spf1 ip4:198.51.100.5 ~all')
    expect(few.faulty).toEqual([])
    const many = await compose('include:many.test', { partlyPassingTerms })
    expect(many.value).toBe('v=spf1 include:many.test -all')
    expect(many.faulty).toMatchObject([{ host: 'many.test', fault: 'allows-everyone' }])
  })

  test('a service that is no longer used is dropped', async () => {
    const { value, dropped } = await compose('include:sendgrid.net ip4:192.0.2.9', {
      unusedIds: new Set(['sendgrid']),
    })
    expect(value).toBe('v=spf1 ip4:192.0.2.9 -all')
    expect(dropped).toMatchObject([{ term: 'include:sendgrid.net', reason: 'unused' }])
  })
})

test('terms that differ only in case, plus sign or final dot are one', async () => {
  const { value } = await compose('include:cheap.test +include:CHEAP.test include:cheap.test.')
  expect(value).toBe('v=spf1 include:cheap.test -all')
})

test('records of the domain that include each other end after eleven drafts', async () => {
  const includes = (at: number) =>
    Array.from({ length: 40 }, (_, to) => `include:b${(at * 7 + to) % 90}.acme.test`)
  const records = Array.from(
    { length: 90 },
    (_, at) =>
      `b${at}.acme.test. TXT ${includes(at)
        .map((term, index) => `"${index ? ' ' : 'v=spf1 '}${term}"`)
        .join(' ')}`,
  )
  const dns = zoneDns(`acme.test. TXT "v=spf1 -all"\n${records.join('\n')}`)
  const { terms, dropped } = await compose(includes(0).join(' '), { dns })
  expect(dns.queries.filter((query) => query === 'TXT acme.test')).toHaveLength(11)
  expect(terms).toEqual([])
  expect(new Set(dropped.map(({ reason }) => reason))).toEqual(new Set(['broken']))
})
