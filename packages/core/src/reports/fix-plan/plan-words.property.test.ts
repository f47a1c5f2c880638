/** Words come last: in a language that no one can read, a plan has the same records and steps. */
import { expect, test } from 'vitest'
import { planFromZone } from '../../../test/support/plan-fixture.js'
import { assertForAll } from '../../../test/support/plan-properties.js'
import { formatZoneLines } from '../../../test/support/random-zones.js'
import { PLACE } from '../../catalog/fill-words.js'
import { FINDING_DATA } from '../../catalog/generated/findings.js'
import { PLAN_WORDS } from '../../catalog/generated/plan-words.js'
import type { Finding } from '../../checks/finding.js'
import type { FixPlan } from './fix-plan-report.js'

// 2,000 zones with PROPERTY_RUNS=1.

/** No letter stays, except in the names of values. */
function unreadable(text: string): string {
  const places = text.match(PLACE) ?? []
  const words = text.split(PLACE_ALONE).map((each) => each.replace(/[A-Za-z]/g, 'ж'))
  return words.map((each, index) => each + (places[index] ?? '')).join('')
}

const PLACE_ALONE = new RegExp(PLACE.source.replace(/\?<\w+>/g, '?:'), 'g')

const WORDS = new Set(['title', 'meaning', 'steps', 'check', 'note'])

/** Replaces all words in place, and returns what puts them back. */
function translate(data: object, isWord: (key: string) => boolean): () => void {
  const undo = Object.entries(data).map(([key, value]) => {
    if (typeof value === 'object' && value !== null) {
      return translate(value, (inner) => isWord(key) || isWord(inner))
    }
    if (typeof value !== 'string' || !isWord(key)) return () => {}
    Reflect.set(data, key, unreadable(value))
    return () => Reflect.set(data, key, value)
  })
  return () => {
    for (const put of undo) put()
  }
}

async function inOtherWords<Result>(run: () => Promise<Result>): Promise<Result> {
  const undo = [translate(PLAN_WORDS, () => true), translate(FINDING_DATA, (key) => WORDS.has(key))]
  try {
    return await run()
  } finally {
    for (const put of undo) put()
  }
}

/** Everything but words. */
function decisionsOf(plan: FixPlan) {
  const { records, steps, rollout, warnings, current, projected, effort, senders, safety } = plan
  return {
    records: records.map(({ why: _, onlyIf, placeholders, ...record }) => ({
      ...record,
      isConditional: onlyIf !== null,
      tokens: placeholders.map(({ token }) => token),
    })),
    steps: steps.map(({ kind, stream, service, when, notBefore, records, onlyIf, title }) => ({
      ...{ kind, stream, service, when, notBefore, records },
      isConditional: onlyIf !== null,
      isUrgent: title.startsWith('Urgent: '),
    })),
    rollout: rollout.map(({ stage, record, minimumDays, proceedWhen, onlyIf }) => ({
      ...{ stage, record, minimumDays },
      conditions: proceedWhen.length,
      isConditional: onlyIf !== null,
    })),
    warnings: warnings.map(({ id, severity }: Finding) => [id, severity]),
    scores: [current.score, projected.score, effort.minutesToday, effort.earliestEnd],
    senders: senders.map(({ id, signs, inUse }) => [id, signs, inUse]),
    safety: safety.tested.map(({ ip, before, after }) => [ip, before, after]),
    published: plan.exports.zoneFile.split('\n').filter((line) => /^[^;\s]/.test(line)),
  }
}

test('every letter is replaced, and the values stay', () => {
  expect(unreadable('Mail from {senders|a service} {fate|is lost}: {names:one|two} to {x}.')).toBe(
    'жжжж жжжж {senders|a service} {fate|is lost}: {names:one|two} жж {x}.',
  )
})

test('other words change no decision', () =>
  assertForAll(async (given, name, plan) => {
    const zone = formatZoneLines(given)
    const other = await inOtherWords(() => planFromZone(zone, { domain: name }))
    expect(decisionsOf(other)).toEqual(decisionsOf(plan))
  }))
