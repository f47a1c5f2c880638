import { parse } from '@cdktf/hcl2json'
import type { Dns } from '@mailgrade/doh/dns'
import { parseZone } from '@mailgrade/doh/zone'
import { expect, test } from 'vitest'
import { applyPlan, recordLines } from '../../../test/support/plan-fixture.js'
import {
  assertForAll,
  changes,
  dnsOf,
  planFor,
  recordLine,
  stagesOf,
} from '../../../test/support/plan-properties.js'
import type { ZoneLine } from '../../../test/support/random-zones.js'
import { checkDkim } from '../../checks/dkim/check-dkim.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import { DMARC_POLICIES } from '../../checks/dmarc/dmarc-record.js'
import { checkSpf } from '../../checks/spf/check-spf.js'
import type { DomainName } from '../../names/domain-name.js'
import { registrableDomain } from '../../names/registrable-domain.js'
import type { FixPlan, PlanRecord } from './fix-plan-report.js'

// Thousands of plans with PROPERTY_RUNS=1.

/** A service whose include did not fit into SPF may no longer be seen, nor its keys be recognized. */
const showsSameSenders = (one: FixPlan, other: FixPlan) =>
  one.senders.every(({ id }) => other.senders.some((sender) => sender.id === id))

test('changes nothing after the plan is applied', () =>
  assertForAll(async (given, name, plan) => {
    const again = await planFor(applyPlan(given, plan.records), name)
    if (!showsSameSenders(plan, again)) return
    expect(changes(again).map(recordLine).join('\n')).toBe('')
  }))

test('changes nothing after the rollout', () =>
  assertForAll(async (given, name, plan) => {
    const end = await planFor(applyPlan(given, [...plan.records, ...stagesOf(plan)]), name)
    if (!showsSameSenders(plan, end)) return
    expect(changes(end).map(recordLine).join('\n')).toBe('')
    expect(end.rollout).toEqual([])
  }))

test('tests every sender that it names, and none loses its pass', () =>
  assertForAll((_, __, { safety }) => {
    for (const { sender, before, after } of safety.tested) {
      expect(before === 'pass' ? after : 'pass', sender).toBe('pass')
    }
  }))

test('goes on to reject only where something signs', () =>
  assertForAll((given, name, plan) => {
    const isReject = plan.rollout.some(({ record }) => /;\s*p=reject\b/.test(record.value))
    const isPlanned = plan.records.some(
      ({ purpose, action }) => purpose === 'dkim' && action !== 'delete',
    )
    const isBelow = given.some(
      ({ owner }) => /\._domainkey\..*/.test(owner) && owner.endsWith(name),
    )
    if (plan.sendsMail && isReject && !/p=reject/.test(plan.rollout[0]?.record.value ?? '')) {
      expect(isPlanned || isBelow).toBe(true)
    }
  }))

test('publishes one key at a name', () =>
  assertForAll((_, __, { records }) => {
    const keys = records.filter(({ action, purpose }) => purpose === 'dkim' && action !== 'delete')
    const names = keys.map(({ name }) => name).sort()
    expect(names).toEqual([...new Set(names)])
  }))

test('has every change in exactly one step', () =>
  assertForAll((_, __, plan) => {
    const changed = plan.records.filter(({ action }) => action !== 'keep')
    const inSteps = plan.steps.flatMap(({ records }) => records).sort((one, two) => one - two)
    expect(inSteps).toEqual(changed.map(({ order }) => order))
  }))

const publicKey = (text: string) => /(?:^|;)\s*p=([^;]*)/.exec(text)?.[1]?.trim()

/** Whether receivers accept a signature with the key at this name today. */
async function isLiveKey(given: readonly ZoneLine[], name: string, at: string): Promise<boolean> {
  const selector = at.slice(0, -`._domainkey.${name}`.length)
  const options = { selector, randomLabel: () => 'made-up' }
  const checked = await checkDkim(dnsOf(given), name as DomainName, options)
  if (checked.kind !== 'report') return false
  const isOnlySha1 = checked.report.issues.some(({ id }) => id === 'dkim.sha1-only')
  return !isOnlySha1 && checked.report.keys.some(({ valid }) => valid)
}

test('never replaces a live key, and deletes one only after a week', () =>
  assertForAll(async (given, name, plan) => {
    const keys = plan.records.filter(
      ({ purpose, type, action }) => purpose === 'dkim' && type === 'TXT' && action !== 'keep',
    )
    for (const { name: at, action, value, replaces, onlyIf } of keys) {
      const isOther = replaces.some((old) => publicKey(old) !== publicKey(value))
      if (!isOther && action !== 'delete') continue
      if (!(await isLiveKey(given, name, at))) continue
      expect(action, at).toBe('delete')
      expect(onlyIf, at).toMatch(/\ba week\b/i)
    }
  }))

/** The policy levels of the domain, a subdomain and a name that does not exist. */
function protection(given: readonly ZoneLine[], name: string): Promise<number[]> {
  const dns = dnsOf([...given, { owner: `there.${name}`, type: 'A', data: '192.0.2.1' }])
  return Promise.all([name, `there.${name}`, `ghost.${name}`].map((each) => levelOf(dns, each)))
}

/** `t=y` lowers the level by one. */
async function levelOf(dns: Dns, name: string): Promise<number> {
  const checked = await checkDmarc(dns, name as DomainName)
  if (checked.kind !== 'report') return 0
  const { policy, testing } = checked.report
  return Math.max(DMARC_POLICIES.indexOf(policy ?? 'none') - Number(testing ?? false), 0)
}

test('never protects less than today or than the previous stage', () =>
  assertForAll(async (given, name, plan) => {
    let zone = applyPlan(given, plan.records)
    let before = await protection(given, name)
    for (const [index, { record }] of plan.rollout.entries()) {
      const replaces = [plan.rollout[index - 1]?.record.value ?? '']
      if (index > 0) zone = applyPlan(zone, [{ ...record, action: 'replace', replaces }])
      const now = await protection(zone, name)
      expect(now.map((level, kind) => level >= (before[kind] ?? 0))).toEqual([true, true, true])
      before = now
    }
  }))

test('publishes a policy exactly as strict as today', () =>
  assertForAll(async (given, name, plan) => {
    // Where tags contradict each other, receivers disagree about today's policy.
    const isUnclear = given.some(({ data }) => data.includes('p=none; p=reject'))
    if (!plan.sendsMail || isUnclear) return
    const today = await protection(given, name)
    expect(await protection(applyPlan(given, plan.records), name)).toEqual(today)
  }))

test('publishes one SPF record with at most ten lookups', () =>
  assertForAll(async (given, name, plan) => {
    const after = applyPlan(given, plan.records)
    const isSpf = ({ owner, type, data }: ZoneLine) =>
      owner === name && type === 'TXT' && /^v=spf1(?: |$)/i.test(data)
    expect(after.filter(isSpf)).toHaveLength(1)
    // Senders would lose their pass: the plan then says what has to move first.
    if (plan.warnings.some(({ id }) => id === 'plan.spf-too-full')) return
    const checked = await checkSpf(dnsOf(after), name as DomainName)
    expect(checked.kind === 'report' && checked.report.lookupCount).toBeLessThanOrEqual(10)
  }))

const isPublishable = (name: string) => (record: PlanRecord) =>
  (record.action === 'create' || record.action === 'replace') &&
  record.placeholders.length === 0 &&
  `.${record.name}`.endsWith(`.${name}`)

/** As a zone file is read: names without a dot, MX in parts, one character per octet. */
function readRecord({ name, type, value }: PlanRecord) {
  if (type === 'TXT') return `${name} TXT ${Buffer.from(value).toString('latin1')}`
  return `${name} ${type} ${value}`
}

test('exports exactly the records that can be published as a zone file', () =>
  assertForAll((_, name, { exports, records }) => {
    const lines = parseZone(exports.zoneFile).map(({ owner, type, data }) => {
      if (typeof data === 'string') return `${owner} ${type} ${data}`
      if (Array.isArray(data)) return `${owner} ${type} ${data.join('')}`
      const { preference, exchange } = data as { preference: number; exchange: string }
      return `${owner} ${type} ${preference} ${exchange}`
    })
    const zone = registrableDomain(name)
    expect(lines).toEqual(records.filter(isPublishable(zone)).map(readRecord))
  }))

test('exports every record that can be published as valid Terraform', () =>
  assertForAll(async (_, name, { exports, records }) => {
    if (exports.terraform === null) return
    const { resource = {} } = await parse('plan.tf', exports.terraform)
    const bodies = Object.values<Record<string, unknown[]>>(resource).flatMap((named) =>
      // The parser doubles the sign before a brace, as Terraform does.
      Object.values(named).map((body) => JSON.stringify(body).replace(/([$%])\1\{/g, '$1{')),
    )
    const zone = registrableDomain(name)
    for (const { type, value, name: owner } of records.filter(isPublishable(zone))) {
      const label = owner === zone ? '' : owner.slice(0, -zone.length - 1)
      const [start = ''] = type === 'MX' ? value.split(' ').slice(1) : value.split(/[";\\]/)
      const found = bodies.filter(
        (body) => body.includes(label) && body.includes(start.slice(0, 200)),
      )
      expect(found.length, `${type} ${owner} ${value}`).toBeGreaterThan(0)
    }
  }))

test('never publishes a CNAME beside other records', () =>
  assertForAll((given, _, plan) => {
    const after = applyPlan(given, plan.records)
    const owners = new Set(plan.records.map(({ name }) => name))
    for (const owner of owners) {
      const types = after.filter((each) => each.owner === owner).map(({ type }) => type)
      expect(types.includes('CNAME') && types.length > 1, recordLines(plan).join('\n')).toBe(false)
    }
  }))
