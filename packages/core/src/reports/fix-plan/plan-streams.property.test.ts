/** What happens to every stream when a plan is carried out, one step and one stage at a time. */
import { expect, test } from 'vitest'
import { applyPlan, recordLines } from '../../../test/support/plan-fixture.js'
import { assertForAll, dnsOf, recordLine, stagesOf } from '../../../test/support/plan-properties.js'
import type { ZoneLine } from '../../../test/support/random-zones.js'
import type { DomainName } from '../../names/domain-name.js'
import { collectStreams } from '../../streams/collect-streams.js'
import { createKeyOwners } from '../../streams/key-owners.js'
import { findOwnServers } from '../../streams/own-servers.js'
import { simulate } from '../../streams/simulate.js'
import { isCounted, type Outcome, type Stream, type StreamReport } from '../../streams/stream.js'
import { sendingProfile } from '../check/check-reports.js'
import { discoverDomain } from './discover-domain.js'
import type { FixPlan, PlanRecord } from './fix-plan-report.js'
import { createPlanContext } from './plan-context.js'

// 2,000 zones with PROPERTY_RUNS=1.

type Change = Pick<PlanRecord, 'action' | 'type' | 'name' | 'value' | 'replaces'>

interface Step {
  readonly changes: readonly Change[]
  readonly onlyIf: string | null
}

/** The names that only a provider knows, filled in. */
const withName = <Record extends Change>(record: Record): Record => ({
  ...record,
  name: record.name.replace(/\{([a-z\d-]+)\}/g, '$1'),
})

/** In the order in which an owner does them. */
function stepsOf({ records, steps, ...plan }: FixPlan): Step[] {
  const publishing = steps.flatMap(({ records: orders, onlyIf }): Step[] => {
    const changes = records.filter(({ order }) => orders.includes(order)).map(withName)
    return changes.length > 0 ? [{ changes, onlyIf }] : []
  })
  const stages = stagesOf({ records, steps, ...plan }).map((change, index) => ({
    changes: [change],
    onlyIf: plan.rollout[index + 1]?.onlyIf ?? null,
  }))
  return [...publishing, ...stages]
}

const SAME_LABEL = () => ({ randomLabel: () => 'made-up' })

async function observe(given: readonly ZoneLine[], name: string, selectors: readonly string[]) {
  const created = await createPlanContext(dnsOf(given), name as DomainName, SAME_LABEL, {
    selectors,
  })
  if (created.kind !== 'report') throw new Error(`no context but ${created.kind}`)
  const { facts, services } = created.report
  const declaresNoMail = sendingProfile(facts.reports) === 'non-sending'
  const streams = collectStreams(facts, services.senders, declaresNoMail)
  /** The same streams under other records. */
  async function outcomes(zone: readonly ZoneLine[]): Promise<StreamReport[]> {
    const found = await discoverDomain(dnsOf(zone), name as DomainName, SAME_LABEL, { selectors })
    if (found.kind !== 'report') throw new Error(`no facts but ${found.kind}`)
    const after = found.report
    const ownerOf = createKeyOwners(services.senders, after.dkim, findOwnServers(after))
    return streams.map((stream: Stream) => simulate(stream, { ...after, ownerOf }))
  }
  return { outcomes }
}

const FAILURES: readonly Outcome[] = ['at-risk', 'quarantined', 'lost']

interface Observation {
  readonly before: StreamReport
  readonly now: StreamReport
  readonly step: Step
}

/** Every stream before and after every step. */
async function carryOut(
  given: readonly ZoneLine[],
  name: string,
  plan: FixPlan,
  look: (seen: Observation) => void,
): Promise<StreamReport[]> {
  const steps = stepsOf(plan)
  const suffix = `._domainkey.${name}`
  const planned = steps.flatMap(({ changes }) => changes.map((change) => change.name))
  const selectors = planned
    .filter((each) => each.endsWith(suffix))
    .map((each) => each.slice(0, -suffix.length))
  const { outcomes } = await observe(given, name, selectors)
  let zone = [...given]
  let before = await outcomes(zone)
  for (const step of steps) {
    zone = applyPlan(zone, step.changes)
    const after = await outcomes(zone)
    for (const [index, stream] of before.entries()) {
      const now = after[index]
      if (now) look({ before: stream, now, step })
    }
    before = after
  }
  return before
}

const describe = ({ before, now, step }: Observation) =>
  [
    `${before.id}: ${before.spf}/${before.dkim} → ${now.spf}/${now.dkim}`,
    ...step.changes.map(recordLine),
  ].join('\n')

test('no certain or likely stream goes from pass to fail, after any step or stage', () =>
  assertForAll(async (given, name, plan) => {
    await carryOut(given, name, plan, (seen) => {
      const { before, now } = seen
      const isLost = before.outcome === 'pass' && FAILURES.includes(now.outcome)
      // Closing a record that lets every server pass asks for a list of all senders first.
      const isClosing = seen.step.onlyIf?.includes('every server and service that sends') ?? false
      expect(isCounted(before) && isLost && !isClosing ? describe(seen) : null).toBe(null)
    })
  }))

test('a step that takes the pass of a possible stream has a condition', () =>
  assertForAll(async (given, name, plan) => {
    await carryOut(given, name, plan, (seen) => {
      const { before, now, step } = seen
      const isLost = before.outcome === 'pass' && FAILURES.includes(now.outcome)
      expect(isLost && step.onlyIf === null ? describe(seen) : null).toBe(null)
    })
  }))

test('reject is reached only where no certain or likely stream is known to be unsigned', () =>
  assertForAll(async (given, name, plan) => {
    const [first, last] = [plan.rollout.at(0), plan.rollout.at(-1)]
    const isReject = (stage = first) => /;\s*p=reject\b/.test(stage?.record.value ?? '')
    if (!isReject(last) || isReject(first)) return
    // A key below the domain signs for it, too.
    const signing = new Set(
      plan.records.map(({ purpose, service }) => purpose === 'dkim' && service),
    )
    const end = await carryOut(given, name, plan, () => {})
    const unsigned = end.filter(
      ({ id, at, dkim, certainty }) =>
        isCounted({ certainty }) && at === name && dkim === 'none' && !signing.has(id),
    )
    const all = [...unsigned.map(({ id }) => id), ...recordLines(plan)]
    expect(unsigned.length > 0 ? all.join('\n') : null).toBe(null)
  }))
