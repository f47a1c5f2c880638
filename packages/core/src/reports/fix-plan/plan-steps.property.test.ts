import { expect, test } from 'vitest'
import { applyPlan, recordLines } from '../../../test/support/plan-fixture.js'
import {
  assertForAll,
  changes,
  dnsOf,
  recordLine,
  stagesOf,
} from '../../../test/support/plan-properties.js'
import {
  isUselessTerm,
  listPublishedSenders,
  type PublishedSender,
} from '../../../test/support/published-senders.js'
import type { ZoneLine } from '../../../test/support/random-zones.js'
import { findProviderByMx } from '../../catalog/mail-services.js'
import { evaluateSpf } from '../../checks/spf/evaluate-spf.js'
import type { DomainName } from '../../names/domain-name.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import { onlyReceives } from '../../streams/server-terms.js'
import { sendingProfile } from '../check/check-reports.js'
import { runChecks } from '../check/run-checks.js'
import { gradeReports } from '../score/build-score-report.js'
import type { PlanRecord } from './fix-plan-report.js'

// Thousands of plans with PROPERTY_RUNS=1.

async function passing(
  zone: readonly ZoneLine[],
  name: string,
  senders: readonly PublishedSender[],
): Promise<string[]> {
  const dns = dnsOf(zone)
  const ips = [...new Set(senders.map(({ ip }) => ip))]
  const results = await Promise.all(
    ips.map((ip) => evaluateSpf(dns, name, { ip, sender: `a@${name}`, helo: null, timestamp: 0 })),
  )
  return ips.filter((_, index) => results[index]?.result === 'pass')
}

/** The mail servers of a provider whose mail leaves through other servers. */
function namesReceivers(given: readonly ZoneLine[], name: string, term: string): boolean {
  const hosts = given.filter(({ owner, type }) => owner === name && type === 'MX')
  return (
    term === 'mx' &&
    hosts.every(({ data }) => {
      const provider = findProviderByMx(data.replace(/^\d+ |\.$/g, ''))
      return provider !== null && onlyReceives(provider)
    })
  )
}

test('takes no pass away from a server in the SPF record, at any step', () =>
  assertForAll(async (given, name, plan) => {
    const isRoot = registrableDomain(name) === name
    const senders = listPublishedSenders(given, name).filter(
      ({ term }) => !(isRoot && isUselessTerm(term)) && !namesReceivers(given, name, term),
    )
    const today = await passing(given, name, senders)
    if (today.length === 0) return
    let zone = given
    for (const record of [...changes(plan), ...stagesOf(plan)]) {
      zone = applyPlan(zone, [record])
      const now = new Set(await passing(zone, name, senders))
      const lost = senders.filter(({ ip }) => today.includes(ip) && !now.has(ip))
      expect(lost, recordLines(plan).join('\n')).toEqual([])
    }
  }))

async function scoreOf(zone: readonly ZoneLine[], name: string, selectors: readonly string[]) {
  const dns = dnsOf(zone)
  const random = { randomLabel: () => 'made-up' }
  const checked = await runChecks(dns, name as DomainName, random, { selectors })
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  const { score, findings } = gradeReports(checked.report)
  const ids = findings.map(({ id }) => id)
  return { score, ids, profile: sendingProfile(checked.report) }
}

/** The names that only a provider knows, filled in; given to the checks as selectors. */
const withNames = (record: PlanRecord) => ({
  ...record,
  name: record.name.replace(/\{([a-z\d-]+)\}/g, '$1'),
})

test('never lowers the score, step by step', () =>
  assertForAll(async (given, name, plan) => {
    const suffix = `._domainkey.${name}`
    const planned = plan.records.filter(({ action }) => action !== 'keep').map(withNames)
    const selectors = planned
      .filter((record) => record.action !== 'delete' && record.name.endsWith(suffix))
      .map((record) => record.name.slice(0, -suffix.length))
    const published = plan.steps
      .map(({ records }) => planned.filter(({ order }) => records.includes(order)))
      .filter((records) => records.length > 0)
    let zone = given
    let before = await scoreOf(zone, name, selectors)
    for (const records of [...published, ...stagesOf(plan).map((stage) => [stage])]) {
      zone = applyPlan(zone, records)
      const now = await scoreOf(zone, name, selectors)
      const step = [...records.map(recordLine), now.ids.join(' ')].join('\n')
      if (isComparable(before, now)) expect(now.score, step).toBeGreaterThanOrEqual(before.score)
      before = now
    }
  }))

type Scored = Awaited<ReturnType<typeof scoreOf>>

/** What a step that is needed can cost. */
const COSTS_OF_A_STEP = [
  // New MX records show a mailbox provider whose key comes two steps later.
  'dkim.mailbox-provider-key-not-found',
  // Terms that the record lacked fill the last lookups, or bring `ptr`.
  'spf.at-lookup-limit',
  'spf.ptr',
]

/** Findings about a strict policy: in test mode they come one stage before its points. */
const ABOUT_POLICY = [
  'dmarc.subdomains-weaker',
  'dmarc.nonexistent-weaker',
  // Where a name below the domain signs, the plan goes on to reject.
  'dmarc.reject-without-dkim',
]

/** A domain that sends and one that says it does not are scored by different rules. */
function isComparable(before: Scored, now: Scored): boolean {
  const { ids } = now
  const isEarly = ids.includes('dmarc.testing') && ids.some((id) => ABOUT_POLICY.includes(id))
  const isKnown = ids.some((id) => COSTS_OF_A_STEP.includes(id) && !before.ids.includes(id))
  return now.profile === before.profile && !isEarly && !isKnown
}

test('projects no lower score than today', () =>
  assertForAll(async (given, name, { current, projected, records }) => {
    const [today, end] = await Promise.all(
      [given, applyPlan(given, records)].map((zone) => scoreOf(zone, name, [])),
    )
    // A key that receivers refuse today shows a sender once it is repaired.
    if (today?.profile !== end?.profile) return
    expect(projected.score).toBeGreaterThanOrEqual(current.score)
  }))

test('marks steps as urgent if a warning refers to them', () =>
  assertForAll((_, __, { steps, warnings }) => {
    const refersTo = warnings.some(({ fix }) => fix.includes('begin with "Urgent"'))
    const isMarked = steps.some(({ title }) => title.startsWith('Urgent: '))
    if (refersTo) expect(isMarked).toBe(true)
  }))

test('never asks people to write a query parameter', () =>
  assertForAll((_, __, { steps, warnings, records }) => {
    const texts = [
      ...steps.flatMap(({ actions, onlyIf }) => [...actions, onlyIf ?? '']),
      ...warnings.flatMap(({ detail, fix }) => [detail, fix]),
      ...records.map(({ onlyIf }) => onlyIf ?? ''),
    ]
    expect(
      texts.filter((text) => /\b(?:uses|unused)=|in "(?:uses|unused|selector)"/.test(text)),
    ).toEqual([])
  }))
