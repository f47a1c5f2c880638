import { createReportDns } from '@mailgrade/doh'
import type { RecordType } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createOverlayDns } from './overlay-dns.js'

type Records = Parameters<typeof createOverlayDns>[1]

const ZONE = `
  acme.test.            TXT   "v=spf1 -all"
  acme.test.            TXT   "verification=1"
  acme.test.            MX    10 old.acme.test.
  acme.test.            A     192.0.2.1
  _dmarc.acme.test.     TXT   "v=DMARC1; p=none"
  two.acme.test.        TXT   "v=spf1 a -all"
  two.acme.test.        TXT   "V=SPF1; mx -all"
  alias.acme.test.      CNAME there.test.
  there.test.           TXT   "v=spf1 +all"
  there.test.           A     192.0.2.2
  there.test.           MX    0 .
  gone.acme.test.       CNAME nowhere.test.
  far.acme.test.        CNAME near.acme.test.
  near.acme.test.       CNAME acme.test.
`

const txt = (name: string, value: string) => ({ type: 'TXT', name, value }) as const
const mx = (name: string, value: string) => ({ type: 'MX', name, value }) as const
const cname = (name: string, value: string) => ({ type: 'CNAME', name, value }) as const

/** The answer in one line. */
async function queryOverlay(records: Records, name: string, type: RecordType, failing = {}) {
  const answer = await createOverlayDns(zoneDns(ZONE, failing), records).query(name, type)
  const way = answer.cnames.map((each) => `> ${each} `).join('')
  if (answer.kind === 'failed') return `${way}${answer.reason}`
  if (answer.kind !== 'records') return `${way}${answer.kind}`
  const words = answer.records.map((data) => {
    if (typeof data === 'string') return data
    if ('exchange' in data) return `${data.preference} ${data.exchange}`
    return Array.isArray(data) ? data.join('|') : JSON.stringify(data)
  })
  return `${way}${words.join(', ')}`
}

describe('a TXT record', () => {
  test.each<[string, string, string, string]>([
    ['replaces the SPF record', 'acme.test', 'v=spf1 ~all', 'verification=1, v=spf1 ~all'],
    [
      'stays beside records of another kind',
      'acme.test',
      'v=DMARC1; p=none',
      'v=spf1 -all, verification=1, v=DMARC1; p=none',
    ],
    [
      'stays beside records without a version',
      'acme.test',
      'verification=2',
      'v=spf1 -all, verification=1, verification=2',
    ],
    ['is not published twice', 'acme.test', 'verification=1', 'v=spf1 -all, verification=1'],
    ['replaces the DMARC record', '_dmarc.acme.test', 'v=DMARC1; p=reject', 'v=DMARC1; p=reject'],
    [
      'replaces all of its kind, also what was only meant as such',
      'two.acme.test',
      'v=spf1 a mx -all',
      'v=spf1 a mx -all',
    ],
    ['is added where the name does not exist', 'new.test', 'v=spf1 -all', 'v=spf1 -all'],
    ['replaces a CNAME', 'alias.acme.test', 'v=spf1 -all', 'v=spf1 -all'],
    ['replaces a CNAME that leads nowhere', 'gone.acme.test', 'v=spf1 -all', 'v=spf1 -all'],
    [
      'may be named with a final dot and capitals',
      'ACME.test.',
      'v=spf1 ~all',
      'verification=1, v=spf1 ~all',
    ],
  ])('%s', async (_, name, value, texts) => {
    expect(
      await queryOverlay([txt(name, value)], name.toLowerCase().replace(/\.$/, ''), 'TXT'),
    ).toBe(texts)
  })

  test('is split into strings of 255 octets', async () => {
    const answer = await queryOverlay([txt('new.test', 'x'.repeat(600))], 'new.test', 'TXT')
    expect(answer.split('|').map(({ length }) => length)).toEqual([255, 255, 90])
  })

  test('is split between characters, not inside one', async () => {
    const answer = await queryOverlay([txt('new.test', `${'x'.repeat(254)}ü`)], 'new.test', 'TXT')
    expect(answer).toBe(`${'x'.repeat(254)}|\xc3\xbc`)
  })

  test('does not hide a failed lookup of the other records', async () => {
    const failing = { 'TXT acme.test': 'servfail' }
    expect(await queryOverlay([txt('acme.test', 'v=spf1 ~all')], 'acme.test', 'TXT', failing)).toBe(
      'servfail',
    )
  })

  test('leaves other types at its name unchanged', async () => {
    const records = [txt('acme.test', 'v=spf1 ~all')]
    expect(await queryOverlay(records, 'acme.test', 'MX')).toBe('10 old.acme.test')
    expect(await queryOverlay(records, 'acme.test', 'A')).toBe('192.0.2.1')
  })

  test('removes the answers of the CNAME that it replaces', async () => {
    const records = [txt('alias.acme.test', 'v=spf1 -all')]
    expect(await queryOverlay(records, 'alias.acme.test', 'A')).toBe('nodata')
    expect(await queryOverlay(records, 'alias.acme.test', 'CNAME')).toBe('nodata')
  })

  test('is found through CNAMEs', async () => {
    expect(await queryOverlay([txt('acme.test', 'v=spf1 ~all')], 'far.acme.test', 'TXT')).toBe(
      '> near.acme.test > acme.test verification=1, v=spf1 ~all',
    )
    expect(await queryOverlay([txt('nowhere.test', 'new')], 'gone.acme.test', 'TXT')).toBe(
      '> nowhere.test new',
    )
  })
})

describe('a TXT record that is deleted', () => {
  const deleted = (name: string, value: string) => ({ ...txt(name, value), isDeleted: true })

  test('is gone, and others stay', async () => {
    const records = [deleted('acme.test', 'verification=1')]
    expect(await queryOverlay(records, 'acme.test', 'TXT')).toBe('v=spf1 -all')
    expect(await queryOverlay(records, 'acme.test', 'MX')).toBe('10 old.acme.test')
  })

  test('leaves its name without data if it is the last', async () => {
    const records = [deleted('_dmarc.acme.test', 'v=DMARC1; p=none')]
    expect(await queryOverlay(records, '_dmarc.acme.test', 'TXT')).toBe('nodata')
  })

  test('is only the one with this text, at this name', async () => {
    const records = [deleted('acme.test', 'v=spf1 ~all'), deleted('there.test', 'v=spf1 -all')]
    expect(await queryOverlay(records, 'acme.test', 'TXT')).toBe('v=spf1 -all, verification=1')
  })

  test('is gone beside a new record of the name', async () => {
    const old = deleted('acme.test', 'verification=1')
    expect(await queryOverlay([old, txt('acme.test', 'v=spf1 ~all')], 'acme.test', 'TXT')).toBe(
      'v=spf1 ~all',
    )
    expect(await queryOverlay([old, mx('acme.test', '0 .')], 'acme.test', 'TXT')).toBe(
      'v=spf1 -all',
    )
  })

  test('does not make a name exist', async () => {
    const records = [deleted('new.test', 'x'), deleted('a.b.test', 'x')]
    expect(await queryOverlay(records, 'new.test', 'TXT')).toBe('nxdomain')
    expect(await queryOverlay(records, 'b.test', 'TXT')).toBe('nxdomain')
  })

  test('is not the record behind a CNAME', async () => {
    const records = [deleted('alias.acme.test', 'v=spf1 +all')]
    expect(await queryOverlay(records, 'alias.acme.test', 'TXT')).toBe('> there.test v=spf1 +all')
  })

  test('does not hide a failed lookup', async () => {
    const records = [deleted('acme.test', 'verification=1')]
    expect(await queryOverlay(records, 'acme.test', 'TXT', { 'TXT acme.test': 'servfail' })).toBe(
      'servfail',
    )
  })
})

describe('MX records', () => {
  test('replace all existing MX records', async () => {
    const records = [mx('acme.test', '5 One.acme.test.'), mx('acme.test', '10 two.acme.test')]
    expect(await queryOverlay(records, 'acme.test', 'MX')).toBe('5 one.acme.test, 10 two.acme.test')
    expect(await queryOverlay([mx('acme.test', '0 .')], 'acme.test', 'MX')).toBe('0 .')
    expect(await queryOverlay(records, 'acme.test', 'TXT')).toBe('v=spf1 -all, verification=1')
  })

  test('replace a CNAME', async () => {
    expect(await queryOverlay([mx('alias.acme.test', '0 .')], 'alias.acme.test', 'TXT')).toBe(
      'nodata',
    )
  })
})

describe('a CNAME', () => {
  test('replaces all records at its name', async () => {
    const records = [cname('acme.test', 'there.test.')]
    expect(await queryOverlay(records, 'acme.test', 'TXT')).toBe('> there.test v=spf1 +all')
    expect(await queryOverlay(records, 'acme.test', 'MX')).toBe('> there.test 0 .')
    expect(await queryOverlay(records, 'acme.test', 'CNAME')).toBe('there.test')
  })

  test('may point to a CNAME, to an overlay record or to nothing', async () => {
    expect(await queryOverlay([cname('s.test', 'alias.acme.test')], 's.test', 'A')).toBe(
      '> alias.acme.test > there.test 192.0.2.2',
    )
    const key = [cname('s.test', 'key.test'), txt('key.test', 'v=DKIM1; p=')]
    expect(await queryOverlay(key, 's.test', 'TXT')).toBe('> key.test v=DKIM1; p=')
    expect(await queryOverlay([cname('s.test', 'none.test')], 's.test', 'TXT')).toBe(
      '> none.test nxdomain',
    )
  })

  test('fails if it loops', async () => {
    const circle = [cname('a.test', 'b.test'), cname('b.test', 'a.test')]
    expect(await queryOverlay(circle, 'a.test', 'TXT')).toMatch(/cname-loop$/)
    expect(
      await queryOverlay([cname('there.test', 'alias.acme.test')], 'alias.acme.test', 'A'),
    ).toMatch(/cname-loop$/)
  })
})

describe('names', () => {
  test('exist only at and above a record', async () => {
    const records = [txt('s1._domainkey.new.test', 'v=DKIM1; p=')]
    expect(await queryOverlay(records, 's1._domainkey.new.test', 'A')).toBe('nodata')
    expect(await queryOverlay(records, '_domainkey.new.test', 'TXT')).toBe('nodata')
    expect(await queryOverlay(records, 'new.test', 'MX')).toBe('nodata')
    expect(await queryOverlay(records, 's2._domainkey.new.test', 'TXT')).toBe('nxdomain')
    expect(await queryOverlay(records, 'w.test', 'TXT')).toBe('nxdomain')
  })

  test('without overlay records are answered as before', async () => {
    expect(await queryOverlay([txt('new.test', 'x')], 'alias.acme.test', 'A')).toBe(
      '> there.test 192.0.2.2',
    )
  })
})

test('the last of several overlays wins, and no query is sent twice', async () => {
  const dns = zoneDns(ZONE)
  const lookup = createReportDns(dns, { deadlineMs: 600_000 })
  const first = createOverlayDns(lookup, [txt('acme.test', 'v=spf1 ~all')])
  const second = createOverlayDns(first, [txt('acme.test', 'v=spf1 mx ~all')])
  const texts = async (each: typeof first) => {
    const answer = await each.query('acme.test', 'TXT')
    return answer.kind === 'records' ? answer.records.map((strings) => strings.join('')) : []
  }
  expect(await texts(first)).toEqual(['verification=1', 'v=spf1 ~all'])
  expect(await texts(second)).toEqual(['verification=1', 'v=spf1 mx ~all'])
  expect(dns.queries).toEqual(['TXT acme.test'])
  lookup.close()
})
