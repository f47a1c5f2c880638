import { parse } from '@cdktf/hcl2json'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { applyPlan, planFromZone, recordLines } from '../../../test/support/plan-fixture.js'
import { randomPlanDomain, randomPlanZone } from '../../../test/support/random-plans.js'
import {
  formatZoneLines,
  RANDOM_ZONE_DOMAIN,
  randomZone,
  type ZoneLine,
} from '../../../test/support/random-zones.js'
import { checkDmarc } from '../../checks/dmarc/check-dmarc.js'
import { DMARC_POLICIES } from '../../checks/dmarc/dmarc-record.js'
import { checkSpf } from '../../checks/spf/check-spf.js'
import type { DomainName } from '../../names/domain-name.js'
import type { FixPlan } from './fix-plan-report.js'

// Hundreds of plans each with PROPERTY_RUNS=1.
vi.setConfig({ testTimeout: 120_000 })

const planInput = fc.oneof(
  randomZone.map((given) => ({ given, name: RANDOM_ZONE_DOMAIN })),
  fc.record({ given: randomPlanZone, name: randomPlanDomain }),
)

const planFor = (given: readonly ZoneLine[], name: string) =>
  planFromZone(formatZoneLines(given), { domain: name })

/** Without placeholder names, which the DNS check cannot find. */
const changes = ({ records }: FixPlan) =>
  records.filter(({ action, name }) => action !== 'keep' && !name.includes('{'))

function assertForAll(
  claim: (given: ZoneLine[], name: string, plan: FixPlan) => void | Promise<void>,
) {
  return fc.assert(
    fc.asyncProperty(planInput, async ({ given, name }) => {
      await claim(given, name, await planFor(given, name))
    }),
    // A fixed seed: the same zones in every run.
    { numRuns: propertyRuns(150), seed: 7208 },
  )
}

test('changes nothing after the plan is applied', () =>
  assertForAll(async (given, name, plan) => {
    const again = await planFor(applyPlan(given, plan.records), name)
    expect(changes(again)).toEqual([])
  }))

test('changes nothing after the rollout', () =>
  assertForAll(async (given, name, plan) => {
    const stages = plan.rollout.slice(1).map(({ record }, index) => ({
      ...record,
      action: 'replace' as const,
      replaces: [plan.rollout[index]?.record.value ?? ''],
    }))
    const end = await planFor(applyPlan(given, [...plan.records, ...stages]), name)
    expect(changes(end)).toEqual([])
    expect(end.rollout).toEqual([])
  }))

/** The policy levels of the domain, a subdomain and a name that does not exist. */
function protection(given: readonly ZoneLine[], name: string): Promise<number[]> {
  const zone = [...given, { owner: `there.${name}`, type: 'A', data: '192.0.2.1' }]
  return Promise.all([name, `there.${name}`, `ghost.${name}`].map((each) => levelOf(zone, each)))
}

/** `t=y` lowers the level by one. */
async function levelOf(zone: readonly ZoneLine[], name: string): Promise<number> {
  const checked = await checkDmarc(zoneDns(formatZoneLines(zone)), name as DomainName)
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

test('never lowers the score', () =>
  assertForAll((_, __, { current, projected }) => {
    expect(projected.score).toBeGreaterThanOrEqual(current.score)
  }))

test('publishes one SPF record with at most ten lookups', () =>
  assertForAll(async (given, name, plan) => {
    const after = applyPlan(given, plan.records)
    const isSpf = ({ owner, type, data }: ZoneLine) =>
      owner === name && type === 'TXT' && /^v=spf1(?: |$)/i.test(data)
    expect(after.filter(isSpf)).toHaveLength(1)
    const checked = await checkSpf(zoneDns(formatZoneLines(after)), name as DomainName)
    expect(checked.kind === 'report' && checked.report.lookupCount).toBeLessThanOrEqual(10)
  }))

test('exports valid Terraform', () =>
  assertForAll(async (_, __, { exports, records }) => {
    if (exports.terraform === null) return
    const { resource = {} } = await parse('plan.tf', exports.terraform)
    const isPublished = records.some(
      ({ action, placeholders, type }) =>
        action !== 'keep' && action !== 'delete' && placeholders.length === 0 && type === 'CNAME',
    )
    if (isPublished) expect(Object.keys(resource)).not.toEqual([])
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
