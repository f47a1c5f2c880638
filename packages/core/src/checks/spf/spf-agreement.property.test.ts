/** The report on all senders and the evaluation of single ones must agree, on random zones. */
import { propertyRuns } from '@mailgrade/testing/property-runs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requireSpfReport } from '../../../test/support/spf-fixture.js'
import { coversRange } from '../address-set.js'
import {
  ADDRESS_BITS,
  formatIpAddress,
  IP_FAMILIES,
  type IpAddress,
  parseIpAddress,
} from '../ip-address.js'
import { evaluateSenders } from './evaluate-senders.js'
import { evaluateSpf } from './evaluate-spf.js'
import { allSenders } from './spf-authorization.js'
import { resolveSpfGraph } from './spf-graph.js'

const HOSTS = `
  both.h.test. A 192.0.2.1
  both.h.test. AAAA 2001:db8::1
  v4.h.test.   A 198.51.100.7
  v6.h.test.   AAAA 2001:db8:6::6
  text.h.test. TXT "no address"
  m1.h.test.   MX 10 both.h.test.
  m2.h.test.   MX 10 v4.h.test.
  m2.h.test.   MX 20 v6.h.test.
  m3.h.test.   MX 10 gone.h.test.
  m0.h.test.   MX 0 .
  ${Array.from({ length: 11 }, (_, index) => `crowd.h.test. MX ${index} both.h.test.`).join('\n')}
`
const HOST_NAMES = ['both', 'v4', 'v6', 'text', 'gone'].map((label) => `${label}.h.test`)
const MX_NAMES = ['m0', 'm1', 'm2', 'm3', 'both', 'gone', 'crowd'].map((label) => `${label}.h.test`)
const NETWORKS = [
  'ip4:192.0.2.0/24',
  'ip4:192.0.2.1',
  'ip4:198.51.100.0/25',
  'ip4:0.0.0.0/0',
  'ip4:0.0.0.0/1',
  'ip4:128.0.0.0/1',
  'ip6:2001:db8::/32',
  'ip6:2001:db8::1',
  'ip6:::/0',
  'ip6:::/1',
  'ip6:8000::/1',
]
/** Inside and outside of everything above. */
const SENDERS = [
  '192.0.2.1',
  '192.0.2.200',
  '198.51.100.7',
  '198.51.100.99',
  '198.51.99.1',
  '5.5.5.5',
  '203.0.113.9',
  'fd00::9',
  '2001:db8::1',
  '2001:db8::9',
  '2001:db8:6::6',
  '2001:db8:9::9',
  '2a00:1450::25',
]
/** In each half of the internet, and in no smaller range: only a term for everyone lets them pass. */
const STRANGERS = [['5.5.5.5', '203.0.113.9'], ['2a00:1450::25']]
const NAMES = ['acme.test', 'b.test', 'c.test', 'd.test']

const qualifier = fc.constantFrom('', '', '', '-', '~', '?')
const mechanism = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NETWORKS) },
  { weight: 2, arbitrary: fc.constantFrom(...HOST_NAMES).map((name) => `a:${name}`) },
  { weight: 1, arbitrary: fc.constantFrom(...HOST_NAMES).map((name) => `a:${name}/0`) },
  { weight: 2, arbitrary: fc.constantFrom(...MX_NAMES).map((name) => `mx:${name}`) },
  { weight: 1, arbitrary: fc.constantFrom('a:both.h.test/24//64', 'mx:m2.h.test/20', 'a/31') },
  { weight: 1, arbitrary: fc.constantFrom('a:v4.h.%{o1}', 'include:b.%{d1}', 'exists:%{d}') },
  { weight: 1, arbitrary: fc.constantFrom(...HOST_NAMES).map((name) => `exists:${name}`) },
  { weight: 4, arbitrary: fc.constantFrom(...NAMES, 'gone.test').map((name) => `include:${name}`) },
)
const ending = fc.oneof(
  fc.constantFrom('-all', '~all', '?all', 'all', '-all', ''),
  fc.constantFrom(...NAMES, 'gone.test').map((name) => `redirect=${name}`),
)
const record = fc
  .tuple(fc.array(fc.tuple(qualifier, mechanism), { maxLength: 6 }), ending)
  .map(([terms, end]) => ['v=spf1', ...terms.map((term) => term.join('')), end].join(' ').trim())
const zone = fc.record({
  records: fc.tuple(record, record, record, record),
  /** Some zones have a term that no receiver can read. */
  invalid: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 12 }),
})

function toZone({ records, invalid }: { records: string[]; invalid: number | null }): string {
  const lines = records.map((text, index) => {
    const broken = index === invalid ? text.replace('v=spf1', 'v=spf1 foo') : text
    return `${NAMES[index]}. TXT "${broken}"`
  })
  return `${HOSTS}\n${lines.join('\n')}`
}

test('the report agrees with the evaluation of each sender', async () => {
  const counts = { valid: 0, open: 0, closed: 0 }
  await fc.assert(
    fc.asyncProperty(zone, async (drawn) => {
      const dns = zoneDns(toZone(drawn))
      const { report, ids } = await requireSpfReport(dns)
      const results = new Map<string, string>()
      for (const ip of SENDERS) {
        const message = { ip, sender: 'a@acme.test', helo: null, timestamp: 0 }
        results.set(ip, (await evaluateSpf(dns, 'acme.test', message)).result)
      }
      const isOneFamily = ids.includes('spf.void-lookups-one-family')
      const errors = SENDERS.filter((ip) => results.get(ip) === 'permerror')
      if (!isOneFamily) expect(errors.length === 0, 'valid').toBe(report.valid)
      const passing = SENDERS.filter((ip) => results.get(ip) === 'pass')
      const isOpen = STRANGERS.some((family) => family.every((ip) => results.get(ip) === 'pass'))
      expect(ids.includes('spf.allows-everyone'), 'open').toBe(isOpen)
      expect(passing.length > 0, 'authorizes').toBe(report.authorizesSenders)
      counts.valid += Number(report.valid)
      counts.open += Number(isOpen)
      counts.closed += Number(!report.authorizesSenders)
    }),
    { numRuns: propertyRuns(2_000) },
  )
  const least = propertyRuns(2_000) / 40
  expect(Math.min(counts.valid, counts.open, counts.closed)).toBeGreaterThan(least)
})

/** Where terms begin and end, and one address beyond. */
const EDGES = [...NETWORKS.map((term) => term.replace(/^ip[46]:/, '')), ...SENDERS].flatMap(
  (text) => {
    const [address = '', prefix] = text.split('/')
    const { family, value } = parseIpAddress(address) as IpAddress
    const bits = BigInt(ADDRESS_BITS[family] - Number(prefix ?? ADDRESS_BITS[family]))
    const end = value + (1n << bits)
    return [value - 1n, value, value + 1n, end - 1n, end].map((edge) => ({
      family,
      value: BigInt.asUintN(ADDRESS_BITS[family], edge),
    }))
  },
)
const sender = fc.oneof(
  fc.constantFrom(...EDGES),
  fc
    .constantFrom(...IP_FAMILIES)
    .chain((family) =>
      fc
        .bigInt({ min: 0n, max: (1n << BigInt(ADDRESS_BITS[family])) - 1n })
        .map((value) => ({ family, value })),
    ),
)

test('the evaluation of all senders agrees with that of each', async () => {
  const counts = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(zone, fc.array(sender, { minLength: 8 }), async (drawn, senders) => {
      const dns = zoneDns(toZone(drawn))
      const resolved = await resolveSpfGraph(dns, 'acme.test')
      if (resolved.kind !== 'graph') throw new Error(resolved.kind)
      for (const address of senders) {
        const ip = formatIpAddress(address)
        const message = { ip, sender: 'a@acme.test', helo: null, timestamp: 0 }
        const { result, lookups, voidLookups } = await evaluateSpf(dns, 'acme.test', message)
        const all = evaluateSenders(allSenders(resolved.graph, address.family), 'acme.test')
        const { value } = address
        const [found, ...others] = all.outcomes.filter(({ addresses }) =>
          coversRange(addresses, { first: value, last: value }),
        )
        expect(others, ip).toEqual([])
        if (found && found.voidLookups > 2) expect(result, ip).toBe('permerror')
        else if (result === 'permerror') expect(found?.result, ip).toBe('permerror')
        else expect(found, ip).toMatchObject({ result, lookups, voidLookups })
        counts.set(result, (counts.get(result) ?? 0) + 1)
      }
    }),
    { numRuns: propertyRuns(2_000) },
  )
  const results = ['pass', 'fail', 'softfail', 'neutral', 'permerror']
  expect(results.filter((result) => !counts.has(result))).toEqual([])
})
