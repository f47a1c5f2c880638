/** What a hostile zone gets back: a report of bounded size that says what it left out. */
import { createReportDns } from '@mailgrade/doh'
import type { AbortableDns } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { HOSTILE_ZONES, type HostileZone } from '@mailgrade/testing/hostile-zones'
import { afterAll, expect, test } from 'vitest'
import type { CheckResult } from '../checks/check-result.js'
import type { Finding } from '../checks/finding.js'
import { parseDomain } from '../names/domain-name.js'
import { checkDomain } from './check/check-domain.js'
import type { FixPlan } from './fix-plan/fix-plan-report.js'
import { planDomain } from './fix-plan/plan-domain.js'
import { scoreDomain } from './score/score-domain.js'

const DOMAIN = 'acme.test'
const RANDOM = { randomLabel: () => 'random' }

/** Reading a zone costs as much as a report, so the reports of one zone share it. */
const zones = new Map<string, AbortableDns>()

function dnsOf({ name, zoneText }: HostileZone): AbortableDns {
  const dns = zones.get(name) ?? (createZoneDns('zone', zoneText(DOMAIN)) as AbortableDns)
  zones.set(name, dns)
  return dns
}

type Run = 'check' | 'score' | 'plan'

/** Several tests judge the same report. */
const reports = new Map<string, Promise<CheckResult<object>>>()

function report(name: string, run: Run): Promise<CheckResult<object>> {
  const key = `${run} ${name}`
  const known = reports.get(key) ?? makeReport(name, run)
  reports.set(key, known)
  return known
}

afterAll(() => {
  zones.clear()
  reports.clear()
})

async function makeReport(name: string, run: Run): Promise<CheckResult<object>> {
  const zone = HOSTILE_ZONES.find((each) => each.name === name)
  const parsed = parseDomain(zone?.checkedName(DOMAIN) ?? '')
  if (!zone || parsed.kind === 'refused') throw new Error(`no zone ${name}`)
  // Longer than any test: what bounds a report is counted, not timed.
  const dns = createReportDns(dnsOf(zone), { deadlineMs: 600_000 })
  const { domain } = parsed
  const result =
    run === 'check'
      ? await checkDomain(dns, domain, RANDOM)
      : run === 'score'
        ? await scoreDomain(dns, domain, RANDOM)
        : await planDomain(dns, domain, RANDOM, { now: new Date(0) })
  dns.close()
  return result
}

test('a plan changes no MX record where it does not know all of them', async () => {
  const planned = await report('MX of 500 hosts', 'plan')
  const { records } = (planned as { report: FixPlan }).report
  expect(records.filter(({ type }) => type === 'MX')).toEqual([])
})

/** Every finding anywhere in a report. */
function findingsIn(value: unknown): Finding[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'severity' in value && 'evidence' in value ? [value as Finding] : []
  return [...own, ...Object.values(value).flatMap(findingsIn)]
}

test.each(HOSTILE_ZONES.map(({ name }) => name))('%s: the check is bounded', async (name) => {
  const checked = await report(name, 'check')
  expect(checked.kind).toBe('report')
  expect(JSON.stringify(checked).length).toBeLessThan(100_000)
  for (const { title, evidence } of findingsIn(checked)) {
    expect(title.length).toBeLessThan(2_500)
    expect(evidence.length).toBeLessThan(120)
    for (const { value } of evidence) expect(value.length).toBeLessThanOrEqual(1_001)
  }
})

test.each(HOSTILE_ZONES.map(({ name }) => name))('%s: score and plan are bounded', async (name) => {
  expect(JSON.stringify(await report(name, 'score')).length).toBeLessThan(100_000)
  expect(JSON.stringify(await report(name, 'plan')).length).toBeLessThan(300_000)
})

test.each([
  ['TXT wildcard, 2-octet strings', 'dkim.selector-unavailable'],
  ['SPF of 500 ip4', 'spf.syntax'],
  ['SPF of 500 ip4 and -ip4, ten times', 'spf.lookup-unavailable'],
  ['SPF of 60 KB in one term', 'spf.syntax'],
  ['SPF: 500 records', 'spf.multiple-records'],
  ['MX of 500 hosts', 'mx.too-many'],
  ['MX of 500 hosts', 'mx.too-many-addresses'],
  ['DKIM key of 60 KB', 'dkim.selector-unavailable'],
  ['DMARC of 5,000 tags', 'dmarc.bad-tags'],
  ['DMARC of 2,500 addresses', 'dmarc.bad-tags'],
  ['DMARC: 500 records', 'dmarc.multiple-records'],
  ['MTA-STS, TLS-RPT and BIMI of 60 KB', 'transport.bimi-invalid'],
])('%s: %s says what was left out', async (name, id) => {
  const findings = findingsIn(await report(name, 'check')).filter((finding) => finding.id === id)
  expect(findings.map(({ title, detail }) => `${title} ${detail}`).join()).toMatch(
    /n’t read|not read|read for one report|one report reads|Only \d+|left out|(?:show|looked up) only|show the first \d+/,
  )
})
