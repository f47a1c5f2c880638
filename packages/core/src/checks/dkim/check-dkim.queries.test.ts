import { describe, expect, test } from 'vitest'
import {
  checkDkimZone,
  keyZoneLine,
  requireDkimReport,
  SENDING_ZONE,
  txtZoneLine,
  withNodataForNxdomain,
} from '../../../test/support/dkim-fixture.js'
import { LISTS } from '../../catalog/generated/lists.js'

const under = (selector: string) => `TXT ${selector}._domainkey.acme.test`

/** What is queries at once, before anything is known. */
const FIRST = [
  'MX acme.test',
  'TXT acme.test',
  'TXT _domainkey.acme.test',
  'TXT made-up-1.acme.test',
  under('made-up-2'),
  ...LISTS.dkimSelectors.common.map(under),
]

describe('queries', () => {
  test('are few when _domainkey does not exist', async () => {
    const { report, queries } = await requireDkimReport(SENDING_ZONE)
    expect(queries).toEqual(FIRST)
    expect(report.selectorsTried).toEqual(LISTS.dkimSelectors.common)
  })

  test('include all selectors when it exists', async () => {
    const { report, queries } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1'))
    expect(queries).toEqual([...FIRST, ...LISTS.dkimSelectors.generic.map(under)])
    expect(report.selectorsTried).toEqual([
      ...LISTS.dkimSelectors.common,
      ...LISTS.dkimSelectors.generic,
    ])
  })

  test('include all selectors when its existence is unknown', async () => {
    const { queries } = await requireDkimReport(SENDING_ZONE, { through: withNodataForNxdomain })
    expect(queries).toHaveLength(FIRST.length + LISTS.dkimSelectors.generic.length)
  })

  test('always include selectors of recognized services', async () => {
    const { report, queries } = await requireDkimReport(
      `acme.test. MX 20 mx.acme.test.
       acme.test. MX 10 in1-smtp.messagingengine.com.
       acme.test. TXT "v=spf1 include:servers.mcsv.net -include:spf.messagingengine.com redirect=_spf.mlsend.com"
       ${keyZoneLine('fm2')}`,
      { failing: { 'TXT _domainkey.acme.test': 'timeout' } },
    )
    expect(queries.slice(FIRST.length, FIRST.length + 8)).toEqual(
      ['fm1', 'fm2', 'fm3', 'mesmtp', 'k2', 'k3', 'litesrv', 'ml'].map(under),
    )
    expect(report.keys).toMatchObject([{ selector: 'fm2', provider: { id: 'fastmail' } }])
  })

  test('are unique and limited', async () => {
    const hosts = ['amazonses.com', 'sendgrid.net', 'mailgun.org', 'mcsv.net', 'mandrillapp.com']
    const includes = [...hosts, 'send.klaviyo.com', 'e2ma.net', 'cust-spf.exacttarget.com']
    const spf = `v=spf1 ${includes.map((host) => `include:${host}`).join(' ')} -all`
    const { report, queries } = await requireDkimReport(
      `acme.test. MX 1 smtp.google.com.\n${txtZoneLine('acme.test', spf)}${keyZoneLine('s1')}`,
    )
    expect(new Set(queries).size).toBe(queries.length)
    expect(report.selectorsTried).toHaveLength(110)
    expect(report.selectorsTried).toEqual(expect.arrayContaining(['km1', 'e2ma-k3', '51dkim1']))
  })

  test('follow a long chain of redirects no further than SPF does', async () => {
    const at = (index: number) => (index === 0 ? 'acme.test' : `r${index}.group.test`)
    const chain = Array.from({ length: 15 }, (_, index) =>
      txtZoneLine(at(index), `v=spf1 redirect=${at((index + 1) % 15)}`),
    )
    const { queries } = await requireDkimReport(chain.join(''))
    expect(queries.filter((query) => query.endsWith('.group.test'))).toHaveLength(10)
  })

  test('leave out the records of known services and of others', async () => {
    const { queries } = await requireDkimReport(
      txtZoneLine('acme.test', 'v=spf1 include:spf.other.test redirect=_spf.mlsend.com'),
    )
    expect(queries.filter((query) => /other|mlsend/.test(query))).toEqual([])
  })

  test('fit into a DNS name', async () => {
    const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(48)}.test`
    const { report, ids } = await requireDkimReport(`${domain}. A 192.0.2.1`, { domain })
    expect(report.selectorsTried).toEqual(['s1', 's2', 'k1', 'dkim', 'mail', 'smtp'])
    expect(report).toMatchObject({ presence: 'unknown', selectorsFailed: [], wildcard: null })
    expect(ids).toEqual(['dkim.unknown', 'dkim.selector-unavailable'])
  })
})

test('returns unknown-domain for a nonexistent name', async () => {
  for (const selector of [undefined, 's1']) {
    const { checked } = await checkDkimZone('other.test. A 192.0.2.1', {
      ...(selector && { selector }),
    })
    expect(checked).toEqual({ kind: 'unknown-domain' })
  }
})

describe('failed query', () => {
  test.each(['MX acme.test', 'TXT acme.test'])('%s returns unavailable', async (question) => {
    const { checked } = await checkDkimZone(SENDING_ZONE + keyZoneLine('s1'), {
      failing: { [question]: 'servfail' },
    })
    expect(checked).toMatchObject({
      kind: 'unavailable',
      failure: { reason: 'servfail', detail: `${question} fails in this test` },
    })
  })

  test('for a common selector keeps the found key', async () => {
    const { report, issues } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1'), {
      failing: { [under('s2')]: 'timeout', [under('kl')]: 'refused' },
    })
    expect(report).toMatchObject({
      status: 'pass',
      presence: 'present',
      selectorsFailed: ['s2', 'kl'],
    })
    expect(report.selectorsTried).toEqual(expect.arrayContaining(['s2', 'kl']))
    expect(issues).toMatchObject([
      {
        id: 'dkim.selector-unavailable',
        severity: 'info',
        detail: expect.stringContaining('s2._domainkey.acme.test and kl._domainkey.acme.test'),
      },
    ])
  })

  test.each([
    ['a guess', under('s2')],
    ['the name above all selectors', 'TXT _domainkey.acme.test'],
    ['a made-up name', 'TXT made-up-1.acme.test'],
    ['a made-up selector', under('made-up-2')],
  ])('for %s leaves absence unproven', async (_, question) => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE, {
      failing: { [question]: 'timeout' },
    })
    expect(report).toMatchObject({ status: 'warn', presence: 'unknown' })
    expect(ids).toEqual(['dkim.unknown', 'dkim.selector-unavailable'])
  })

  test('for the random name leaves existence unproven', async () => {
    const { ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('nobody-guesses-this'), {
      failing: { 'TXT made-up-1.acme.test': 'timeout' },
    })
    expect(ids).toEqual(['dkim.unknown', 'dkim.selector-unavailable'])
  })

  test('for the random selector leaves the wildcard unknown', async () => {
    const { report, ids } = await requireDkimReport(SENDING_ZONE + keyZoneLine('s1'), {
      failing: { [under('made-up-2')]: 'timeout' },
    })
    expect(report).toMatchObject({ wildcard: null, presence: 'present', selectorsFailed: [] })
    expect(ids).toEqual(['dkim.selector-unavailable'])
  })
})
