/** Records made to keep us busy: they are answered at once, with numbers that make sense. */

import type { Dns, RecordType } from '@mailgrade/doh/dns'
import { expect, test } from 'vitest'
import { requireSpfReport } from '../../../test/support/spf-fixture.js'
import { findMissingSpaces } from './spf-near-miss.js'

/** A world whose every name has the SPF record that `recordOf` makes up for it. */
async function check(recordOf: (name: string) => string | null) {
  const queries: string[] = []
  const ask = async (name: string, type: RecordType) => {
    queries.push(`${type} ${name}`)
    const text = type === 'TXT' ? recordOf(name) : null
    const context = { cnames: [], extendedError: null, resolver: 'here', authenticated: false }
    return text === null
      ? { kind: 'nodata', ttl: null, ...context }
      : { kind: 'records', records: [[text]], ttl: 60, ...context }
  }
  return { ...(await requireSpfReport({ query: ask as Dns['query'] })), queries }
}

function includes(count: number, nameOf: (index: number) => string): string {
  const terms = Array.from({ length: count }, (_, index) => `include:${nameOf(index)}`)
  return `v=spf1 ${terms.join(' ')} -all`
}

function nodesIn(tree: { children: (typeof tree)[] }): number {
  return tree.children.reduce((sum, child) => sum + nodesIn(child), 1)
}

test('ten includes of ten includes of ten', async () => {
  const { report, issues, queries } = await check((name) => {
    const depth = name.split('.').length - 2
    return depth < 3 ? includes(10, (index) => `n${index}.${name}`) : 'v=spf1 ip4:192.0.2.1 -all'
  })
  expect(queries.length).toBeLessThan(60)
  expect(new Set(queries).size).toBe(queries.length)
  expect(report).toMatchObject({ status: 'fail', valid: false, authorizesSenders: true })
  expect(report.lookupCount).toBeGreaterThan(10)
  expect(report.lookupCount).toBeLessThanOrEqual(1_110)
  expect(issues[0]).toMatchObject({
    id: 'spf.too-many-lookups',
    title: `SPF needs at least ${report.lookupCount} DNS lookups; the limit is 10`,
  })
})

test('a chain of forty includes', async () => {
  const { report, ids, queries } = await check((name) => {
    const number = Number(/^n(\d+)/.exec(name)?.[1] ?? 0)
    return number < 40 ? `v=spf1 include:n${number + 1}.test -all` : 'v=spf1 -all'
  })
  expect(queries.length).toBeLessThan(20)
  expect(ids).toEqual(['spf.too-many-lookups'])
  expect(report.lookupCount).toBeGreaterThan(10)
  expect(report.lookupCount).toBeLessThanOrEqual(40)
})

test('records that each include the next one twice, thirty deep', async () => {
  const { report, ids, queries } = await check((name) => {
    const number = Number(/^n(\d+)/.exec(name)?.[1] ?? 0)
    return number < 30 ? includes(2, () => `n${number + 1}.test`) : 'v=spf1 -all'
  })
  expect(queries.length).toBeLessThan(20)
  expect(report.lookupCount).toBeGreaterThan(1_000)
  expect(report.lookupCount).toBeLessThanOrEqual(2 ** 31)
  expect(report.terms.map(({ lookups }) => lookups)).toEqual([
    report.lookupCount / 2,
    report.lookupCount / 2,
    0,
  ])
  expect(nodesIn(report.tree)).toBeLessThan(60)
  expect(ids).toEqual(['spf.too-many-lookups', 'spf.duplicate-include'])
})

test('records that each include the next one a thousand times have a finite count', async () => {
  const { report, queries } = await check((name) => {
    const number = Number(/^n(\d+)/.exec(name)?.[1] ?? 0)
    return includes(1_000, () => `n${number + 1}.test`)
  })
  expect(queries.length).toBeLessThan(20)
  expect(Number.isSafeInteger(report.lookupCount)).toBe(true)
  expect(nodesIn(report.tree)).toBeLessThanOrEqual(100)
  expect(JSON.stringify(report).length).toBeLessThan(100_000)
})

test('a loop in which every record includes every other', async () => {
  const { report, ids, queries } = await check(() =>
    includes(200, (index) => `n${index % 20}.test`),
  )
  expect(queries.length).toBeLessThan(60)
  expect(ids).toContain('spf.loop')
  expect(report.valid).toBe(false)
  expect(nodesIn(report.tree)).toBeLessThanOrEqual(100)
})

test('six thousand includes in one record', async () => {
  const { report, ids, queries } = await check((name) =>
    name === 'acme.test' ? includes(6_000, (index) => `n${index}.test`) : 'v=spf1 -all',
  )
  expect(queries.length).toBeLessThan(60)
  expect(report.lookupCount).toBe(250)
  expect(report.terms.at(250)?.problem).toBe('we don’t read terms after the first 250')
  expect(report.terms).toHaveLength(251)
  expect(nodesIn(report.tree)).toBe(100)
  expect(ids).toEqual(['spf.syntax', 'spf.long-record', 'spf.too-many-lookups'])
})

test('finds "+all" before hundreds of includes, and none after the lookup limit', async () => {
  const open = (text: string) => (name: string) =>
    name === 'open.test' ? 'v=spf1 +all' : name === 'acme.test' ? text : 'v=spf1 -all'
  const many = includes(200, () => 'n.test').slice('v=spf1'.length)
  const first = await check(open(`v=spf1 include:open.test${many}`))
  expect(first.ids).toContain('spf.allows-everyone')
  const last = await check(open(`v=spf1${many.slice(0, -5)} include:open.test -all`))
  expect(last.ids).not.toContain('spf.allows-everyone')
})

test('thirty thousand "a" terms', async () => {
  const { report, queries } = await check(() => `v=spf1${' a'.repeat(30_000)} -all`)
  expect(queries).toEqual([
    'TXT acme.test',
    'SPF acme.test',
    'MX acme.test',
    'A acme.test',
    'AAAA acme.test',
  ])
  expect(report).toMatchObject({ lookupCount: 250, voidLookupCount: 250 })
})

test('hundreds of hosts, with forty address queries', async () => {
  const hosts = Array.from({ length: 200 }, (_, index) => `a:n${index}.test`)
  const { report, queries } = await check(() => `v=spf1 ${hosts.join(' ')} -all`)
  expect(queries).toHaveLength(43)
  expect(report).toMatchObject({ lookupCount: 200, voidLookups: { ipv4: 20, ipv6: 20 } })
})

test('a term of sixty thousand characters is cut in texts', async () => {
  const { report, issues } = await check(() => `v=spf1 ${'y'.repeat(60_000)} -all`)
  expect(issues.map(({ id }) => id)).toEqual(['spf.syntax', 'spf.long-record'])
  expect(report.terms).toMatchObject([
    { position: 7, problem: 'we don’t read text after the first 8192 bytes' },
  ])
  expect(issues[0]?.detail).toContain('we don’t read text after the first 8192 bytes.')
  expect(report.record).toHaveLength(8_193)
  for (const { title, detail, fix } of issues) {
    expect(Math.max(title.length, detail.length, fix.length)).toBeLessThan(1_000)
  }
})

test('a near miss with sixty thousand spaces inside', async () => {
  const { ids } = await check(() => `v=spf10 a${' '.repeat(60_000)}x`)
  expect(ids).toEqual(['spf.missing', 'spf.near-miss'])
})

test('a record in twenty thousand strings', async () => {
  const strings = ['v=spf1 a:b.c', ...Array.from({ length: 20_000 }, () => 'a')]
  expect(findMissingSpaces(strings)).toHaveLength(299)
})

test('includes of very long records', async () => {
  const { report } = await check((name) =>
    name === 'acme.test'
      ? includes(29, (index) => `n${index}.test`)
      : `v=spf1${' a:x.c'.repeat(9_000)} -all`,
  )
  // Of the first two records; the others have more terms than are read.
  expect(report.lookupCount).toBe(29 + 2 * 250)
  expect(report.tree.children.map(({ state }) => state)).toEqual([
    'record',
    'record',
    ...Array(27).fill('unasked'),
  ])
})

test('five includes with more networks than are read', async () => {
  const networks = Array.from({ length: 240 }, (_, index) => `ip4:192.0.2.${index}`).join(' ')
  const { report, issues } = await check((name) =>
    name === 'acme.test' ? includes(5, (index) => `n${index}.test`) : `v=spf1 ${networks} -all`,
  )
  expect(report.lookupCount).toBe(5)
  expect(report.tree.children.map(({ state }) => state)).toEqual([
    'record',
    'record',
    'record',
    'unasked',
    'unasked',
  ])
  expect(issues).toMatchObject([
    { id: 'spf.lookup-unavailable', title: 'We didn’t look up n3.test and n4.test' },
  ])
})

test('five hundred records at one name', async () => {
  const records = Array.from({ length: 500 }, (_, index) => [
    `v=spf1 ip4:192.0.2.${index % 256} -all`,
  ])
  const context = { cnames: [], extendedError: null, resolver: 'here', authenticated: false }
  const query = async (_: string, type: RecordType) =>
    type === 'TXT'
      ? { kind: 'records', records, ttl: 60, ...context }
      : { kind: 'nodata', ttl: null, ...context }
  const { report, issues } = await requireSpfReport({ query: query as Dns['query'] })
  expect(report.records).toHaveLength(10)
  expect(report.tree.state).toBe('several')
  expect(issues[0]).toMatchObject({
    id: 'spf.multiple-records',
    detail: expect.stringContaining('only 10 of the 500 records'),
    evidence: { length: 10 },
  })
  expect(issues[0]?.record).toBeUndefined()
})
