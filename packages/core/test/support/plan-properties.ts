/** Properties that hold for the plans of random zones. */
import { propertyRuns } from '@mailgrade/testing/property-runs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import fc from 'fast-check'
import type { FixPlan, PlanRecord } from '../../src/reports/fix-plan/fix-plan-report.js'
import { planFromZone } from './plan-fixture.js'
import { randomPlanDomain, randomPlanZone, withoutOtherServices } from './random-plans.js'
import { formatZoneLines, RANDOM_ZONE_DOMAIN, randomZone, type ZoneLine } from './random-zones.js'

/** Even a few per cent of 2,000 zones would take half a minute in every run of the tests. */
const NUM_RUNS = propertyRuns(2_000) < 2_000 ? 12 : 2_000

const planInput = fc.oneof(
  randomZone.map((given) => ({ given, name: RANDOM_ZONE_DOMAIN })),
  { arbitrary: fc.record({ given: randomPlanZone, name: randomPlanDomain }), weight: 2 },
)

export const dnsOf = (zone: readonly ZoneLine[]) =>
  zoneDns(formatZoneLines(withoutOtherServices(zone)))

const plans = new Map<string, Promise<FixPlan>>()

/** The properties share their zones, and so the plans. */
export function planFor(given: readonly ZoneLine[], name: string): Promise<FixPlan> {
  const zone = formatZoneLines(given)
  const key = `${name}\n${zone}`
  const plan = plans.get(key) ?? planFromZone(zone, { domain: name })
  plans.set(key, plan)
  return plan
}

export function assertForAll(
  claim: (given: ZoneLine[], name: string, plan: FixPlan) => void | Promise<void>,
) {
  return fc.assert(
    fc.asyncProperty(planInput, async ({ given, name }) => {
      await claim(given, name, await planFor(given, name))
    }),
    // A fixed seed: the same zones in every run.
    { numRuns: NUM_RUNS, seed: 7208 },
  )
}

type RecordLine = Pick<PlanRecord, 'action' | 'type' | 'name' | 'value'>

export const recordLine = ({ action, type, name, value }: RecordLine) =>
  `${action} ${type} ${name} ${value}`

/** Without placeholder names, which the DNS check cannot find. */
export const changes = ({ records }: FixPlan) =>
  records.filter(({ action, name }) => action !== 'keep' && !name.includes('{'))

/** The later stages, as records that replace each other. */
export const stagesOf = ({ rollout }: FixPlan) =>
  rollout.slice(1).map(({ record }, index) => ({
    ...record,
    action: 'replace' as const,
    replaces: [rollout[index]?.record.value ?? ''],
  }))
