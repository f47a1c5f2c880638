/**
 * Runs our static SPF check on the openspf test suite for RFC 7208, which comes with pyspf. Each case
 * is one message from one sender; our result is the worst case over all senders.
 */

import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { checkSpf } from '../../src/checks/spf/check-spf.js'
import { parseDomain } from '../../src/names/domain-name.js'
import { type SpfVerdict, verdictOfReport } from './spf/our-spf-result.js'
import { failingQueries, type OpenspfCase, readOpenspfSuite } from './spf/spf-evaluators.js'
import { toZoneFile } from './spf/zone-data.js'

/** Cases in which a term matches the sender before an error that affects others. */
const MATCHES_EARLY: ReadonlyMap<string, string> = new Map([
  ['include-at-limit', 'an ip4 matches at ten lookups; who is not matched there needs an eleventh'],
])

const CASES = await readOpenspfSuite()

test.each(CASES)('$name: $results', async (one) => {
  const allowed = MATCHES_EARLY.has(one.name) ? ['permerror'] : one.results.map(verdictFor)
  expect(allowed).toContain(await ourVerdict(one))
})

test('the suite is complete', () => {
  const counts = new Map<string, number>()
  for (const { results } of CASES) {
    const result = results.join(' or ')
    counts.set(result, (counts.get(result) ?? 0) + 1)
  }
  const listed = [...counts].map(([result, count]) => `${count} ${result}`).join(', ')
  process.stdout.write(`openspf suite for RFC 7208: ${CASES.length} cases (${listed})\n`)
  expect(CASES.length).toBeGreaterThanOrEqual(203)
  expect(counts.get('permerror')).toBeGreaterThanOrEqual(74)
  expect(CASES.map(({ name }) => name)).toEqual(expect.arrayContaining([...MATCHES_EARLY.keys()]))
})

/** What a static check can say about a message: whether there is a valid record. */
function verdictFor(result: string): SpfVerdict | 'temperror' {
  return result === 'none' || result === 'permerror' || result === 'temperror' ? result : 'ok'
}

async function ourVerdict(one: OpenspfCase): Promise<SpfVerdict | 'temperror'> {
  const parsed = parseDomain(domainOf(one))
  // §4.3: an invalid domain name has no record.
  if (parsed.kind === 'refused') return 'none'
  const checked = await checkSpf(zoneDns(toZoneFile(one.zone), failingQueries(one)), parsed.domain)
  if (checked.kind === 'unavailable') return 'temperror'
  if (checked.kind === 'unknown-domain') return 'none'
  // A lookup that failed leaves a part of the record unknown.
  if (checked.report.issues.some(({ id }) => id === 'spf.lookup-unavailable')) return 'temperror'
  // §5: an IPv4-mapped address counts as IPv4.
  const isIPv6 = one.ip.includes(':') && !/^::ffff:/i.test(one.ip)
  return verdictOfReport(checked.report, isIPv6 ? 'ipv6' : 'ipv4')
}

/** §2.4: without a sender, the HELO domain is checked. */
function domainOf({ mailFrom, helo }: OpenspfCase): string {
  return mailFrom === '' ? helo : mailFrom.slice(mailFrom.lastIndexOf('@') + 1)
}
