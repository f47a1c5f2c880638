import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkDmarc } from './check-dmarc.js'
import { parsePolicies } from './dmarc-policies.js'
import { isDmarcRecord, parseDmarcRecord } from './dmarc-record.js'
import { dmarcReportSchema } from './dmarc-report.js'
import { parseReportUris } from './report-uri.js'
import {
  findDmarcFaults,
  findUnknownTags,
  isDmarcNearMiss,
  repairDmarcNearMiss,
  rewriteDmarcRecord,
} from './rewrite-dmarc-record.js'

/** Octets, as the DNS gives them. */
const octets = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
})
const piece = fc.oneof(
  octets,
  fc.constantFrom('v=DMARC1', 'V = DMARC1', 'v=dmarc1', '', ' ', '!', ',', '=', '"'),
  fc.constantFrom('p=reject', 'p', 'P=none', 'sp=x', 'np=none', 't=y', 'psd=y', 'pct=7', 'fo=1:d'),
  fc.constantFrom('__proto__=x', 'constructor=y', 'toString=z', 'hasOwnProperty=p'),
  fc
    .tuple(fc.constantFrom('rua=', 'ruf=', 'rua=mailto:', 'rua=mailto:d@'), octets)
    .map(([a, b]) => a + b),
)
const record = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(';'))
const dmarcRecord = record.map((text) => `v=DMARC1;${text}`)

describe('any text', () => {
  test('parses without throwing', () => {
    fc.assert(
      fc.property(record, (text) => {
        isDmarcRecord(text)
        isDmarcNearMiss(text)
        repairDmarcNearMiss(text)
        const parsed = parseDmarcRecord(text)
        findDmarcFaults(parsed)
        findUnknownTags(parsed)
        parsePolicies(parsed)
        parseReportUris(text)
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('gives a report that matches its schema', async () => {
    await fc.assert(
      fc.asyncProperty(record, fc.boolean(), async (text, prefixed) => {
        const checked = await checkDmarc(
          world(prefixed ? `v=DMARC1; p=reject; ${text}` : text),
          'acme.test' as DomainName,
        )
        if (checked.kind !== 'report') throw new Error(checked.kind)
        dmarcReportSchema.parse(JSON.parse(JSON.stringify(checked.report)))
      }),
      { numRuns: propertyRuns(500) },
    )
  })
})

describe('rewritten record', () => {
  test('has no faults', () => {
    fc.assert(
      fc.property(dmarcRecord, (text) => {
        const repaired = rewriteDmarcRecord(parseDmarcRecord(text), { p: 'reject' })
        expect(isDmarcRecord(repaired)).toBe(true)
        const parsed = parseDmarcRecord(repaired)
        expect(findDmarcFaults(parsed)).toEqual([])
        expect(findUnknownTags(parsed)).toEqual([])
        expect(parsePolicies(parsed)).not.toBeNull()
      }),
      { numRuns: propertyRuns(1_000) },
    )
  })

  test('keeps the policies of a valid record', () => {
    const policy = fc.constantFrom('none', 'quarantine', 'reject')
    fc.assert(
      fc.property(policy, fc.option(policy), fc.option(policy), (p, sp, np) => {
        const text = `v=DMARC1; np=${np}; sp=${sp}; p=${p}`.replace(/ .p=null;/g, '')
        const parsed = parseDmarcRecord(text)
        expect(parsePolicies(parseDmarcRecord(rewriteDmarcRecord(parsed)))).toEqual(
          parsePolicies(parsed),
        )
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})

/** What would take a reader hours whose work grows faster than the text does. */
describe('100 KB parse quickly', () => {
  const long = 100_000
  test.each([
    ['white space', `v${' '.repeat(long)}=DMARC1`],
    ['white space after the version', `v=DMARC1${' \t'.repeat(long / 2)}x`],
    ['semicolons', `v=DMARC1${';'.repeat(long)}`],
    ['tags', `v=DMARC1;${'p=reject;'.repeat(long / 9)}`],
    [
      'different tags',
      `v=DMARC1;${Array.from({ length: long / 8 }, (_, n) => `a_${n}=1;`).join('')}`,
    ],
    ['pieces that are no tags', `v=DMARC1;${'x;'.repeat(long / 2)}`],
    ['equals signs', `v=DMARC1;p${'='.repeat(long)}`],
    ['URIs', `v=DMARC1;rua=${'mailto:d@a.test,'.repeat(long / 16)}`],
    ['one URI', `v=DMARC1;rua=mailto:${'d'.repeat(long)}@acme.test`],
    ['one host', `v=DMARC1;rua=mailto:d@${'a.'.repeat(long / 2)}test`],
    ['size limits', `v=DMARC1;rua=mailto:d@a.test${'!1'.repeat(long / 2)}x`],
    ['one size limit', `v=DMARC1;rua=mailto:d@a.test!${'1'.repeat(long)}x`],
    ['percent signs', `v=DMARC1;rua=mailto:${'%4'.repeat(long / 2)}`],
    ['escapes', `v=DMARC1;rua=mailto:${'%40'.repeat(long / 3)}`],
    ['question marks', `v=DMARC1;rua=mailto:d@a.test${'?'.repeat(long)}\n`],
    ['quotation marks', `${'"'.repeat(long)}v=DMARC1; p=none${'"'.repeat(long)}`],
    ['colons', `v=DMARC1;p=none;fo=${':'.repeat(long)}`],
    ['octets', `v=DMARC1;p=none;n=${'\xff'.repeat(long)}`],
  ])('%s', async (_, text) => {
    const checked = await checkDmarc(world(text), 'acme.test' as DomainName)
    expect(checked.kind).toBe('report')
  })
})

/** `_dmarc.acme.test` says `text`, and nothing else is there. */
function world(text: string): Dns {
  const context = { cnames: [], extendedError: null, resolver: 'test', authenticated: false }
  const ask = async (name: string): Promise<DnsAnswer<'TXT'>> =>
    name === '_dmarc.acme.test'
      ? { kind: 'records', records: [[text]], ttl: 60, ...context }
      : { kind: 'nodata', ttl: 60, ...context }
  return { query: ask as Dns['query'] }
}
