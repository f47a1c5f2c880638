import { BEGIN, DAY } from '@mailgrade/testing/build-aggregate-report'
import { expect, test } from 'vitest'
import type { AggregateRecord, PublishedPolicy } from './aggregate-report.js'
import { createRecordCollector } from './collect-aggregate-report.js'
import { createDomainCollector } from './collect-domains.js'
import type { CriterionId } from './judge-criteria.js'
import { judgeRollout, type RolloutVerdict } from './judge-rollout.js'

const PASSING: AggregateRecord = {
  sourceIp: '192.0.2.1',
  count: 100,
  disposition: 'none',
  dkim: 'pass',
  spf: 'pass',
  reasons: [],
  headerFrom: 'example.com',
  envelopeFrom: 'example.com',
  envelopeTo: null,
  dkimResults: [{ domain: 'example.com', selector: 's', result: 'pass', humanResult: null }],
  spfResults: [{ domain: 'example.com', scope: 'mfrom', result: 'pass', humanResult: null }],
}

/** A known service that is not aligned. */
const mailchimp = (count: number): AggregateRecord => ({
  ...PASSING,
  count,
  dkim: 'fail',
  spf: 'fail',
  dkimResults: [{ domain: 'mcsv.net', selector: 'k2', result: 'pass', humanResult: null }],
  spfResults: [{ domain: 'mail1.mcsv.net', scope: 'mfrom', result: 'pass', humanResult: null }],
})

const listed = (count: number): AggregateRecord => ({
  ...mailchimp(count),
  dkimResults: [],
  spfResults: [],
  reasons: [{ type: 'mailing_list', comment: null }],
})

const spoofed = (count: number): AggregateRecord => ({
  ...mailchimp(count),
  dkimResults: [],
  spfResults: [],
})

const spfOnly = (count: number): AggregateRecord => ({
  ...PASSING,
  count,
  dkim: 'fail',
  dkimResults: [],
})

const POLICY: PublishedPolicy = {
  domain: 'example.com',
  p: 'none',
  sp: 'none',
  np: null,
  adkim: 'r',
  aspf: 'r',
  pct: null,
  testing: null,
  discoveryMethod: null,
}

interface Period {
  readonly days?: readonly number[]
  readonly reporters?: number
  /** Added to the reports of the first reporter. */
  readonly records?: (day: number) => readonly AggregateRecord[]
  readonly policy?: (day: number) => Partial<PublishedPolicy>
}

const daysFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const quarantineFrom = (first: number) => (day: number) => ({
  p: day >= first ? ('quarantine' as const) : ('none' as const),
})

/** By default: 31 days, three reporters with 100 passing messages a day. */
function judge({
  days = daysFrom(1, 31),
  reporters = 3,
  records = () => [PASSING],
  policy = () => ({}),
}: Period = {}): RolloutVerdict {
  const collector = createDomainCollector()
  const publishedOn = (day: number) => {
    const published = { ...POLICY, ...policy(day) }
    return { ...published, sp: published.p }
  }
  for (const day of days) {
    for (let reporter = 0; reporter < reporters; reporter += 1) {
      const report = createRecordCollector()
      for (const record of reporter === 0 ? records(day) : [PASSING]) report.add(record)
      const begin = BEGIN + day * DAY
      collector.add(
        {
          orgName: `r${reporter}.test`,
          email: null,
          reportId: `${day}`,
          begin,
          end: begin + DAY - 1,
          errors: [],
          generator: null,
          schema: 'rfc7489',
          policy: publishedOn(day),
        },
        report.finish(),
      )
    }
  }
  const totals = collector.domains.get('example.com')
  if (!totals) throw new Error('no reports')
  return judgeRollout(totals, new Date(totals.end * 1000))
}

function holds(verdict: RolloutVerdict, id: CriterionId): boolean | null | undefined {
  return verdict.criteria.find((criterion) => criterion.id === id)?.holds
}

test('is ready for quarantine when every condition is met', () => {
  const verdict = judge()
  expect(verdict).toMatchObject({
    status: 'ready',
    current: 'none',
    next: 'quarantine',
    nextTags: 'p=quarantine; t=y; pct=0',
    summary: 'Ready for p=quarantine; t=y; pct=0: all conditions are met.',
    knownMessages: 9_300,
    lost: { yours: 0, forwarded: 0 },
    fixFirst: [],
  })
  expect(verdict.criteria.map(({ id, holds: met }) => [id, met])).toEqual([
    ['reporters', true],
    ['coverage', true],
    ['recent', true],
    ['known-sources-pass', true],
    ['no-new-sources', true],
    ['unknown-sources', true],
  ])
})

test.each([
  [1, 'unknown'],
  [2, 'unknown'],
  [3, 'ready'],
])('with %i reporters it is %s', (reporters, status) => {
  expect(judge({ reporters }).status).toBe(status)
})

test.each<[string, Period, string]>([
  ['31 days', { days: daysFrom(1, 31) }, 'ready'],
  ['30 days', { days: daysFrom(1, 30) }, 'unknown'],
  ['a gap of 3 days', { days: [...daysFrom(1, 10), ...daysFrom(14, 31)] }, 'ready'],
  [
    'a gap of 4 days before 30 days',
    { days: [...daysFrom(1, 10), ...daysFrom(15, 44)] },
    'unknown',
  ],
  ['a gap of 4 days before 31 days', { days: [...daysFrom(1, 10), ...daysFrom(15, 45)] }, 'ready'],
])('with %s it is right', (_, period, status) => {
  expect(judge(period).status).toBe(status)
})

test('is unknown with fewer than 20 known messages', () => {
  const verdict = (count: number) =>
    judge({ days: daysFrom(1, 1), reporters: 1, records: () => [mailchimp(count)] })
  expect(verdict(19)).toMatchObject({ status: 'unknown', lost: { yours: 19 } })
  expect(verdict(20).status).toBe('not-ready')
})

/** In part set up, so some of it passes. */
const partly = (count: number): AggregateRecord => ({
  ...mailchimp(count),
  dkimResults: [
    ...mailchimp(count).dkimResults,
    { domain: 'example.com', selector: 'k2', result: 'fail', humanResult: null },
  ],
})
const aligned = (count: number): AggregateRecord => ({ ...partly(count), dkim: 'pass' })

test.each([
  [19, true],
  [20, false],
])('a source with %i messages below 1 %% of which one passes: %s', (count, met) => {
  const records = (day: number) => [PASSING, ...(day === 1 ? [partly(count - 1), aligned(1)] : [])]
  expect(holds(judge({ records }), 'known-sources-pass')).toBe(met)
})

test.each([
  [1, true],
  [2, false],
])('a source that never passes, with %i messages below 1 %%: %s', (count, met) => {
  const verdict = judge({ records: (day) => [PASSING, ...(day === 1 ? [mailchimp(count)] : [])] })
  expect(holds(verdict, 'known-sources-pass')).toBe(met)
})

test('a source with few messages counts when it has 1% of the known mail', () => {
  const verdict = (count: number) =>
    judge({
      reporters: 1,
      records: (day) =>
        day === 1 ? [{ ...PASSING, count: 990 }, partly(count - 1), aligned(1)] : [],
    })
  expect(holds(verdict(9), 'known-sources-pass')).toBe(true)
  expect(holds(verdict(10), 'known-sources-pass')).toBe(false)
})

test.each([
  [2, true],
  [3, false],
])('a source with %i failures in 100 messages: %s', (failures, met) => {
  const fails: AggregateRecord = { ...PASSING, count: failures, dkim: 'fail', spf: 'fail' }
  const records = (day: number) => (day === 1 ? [{ ...PASSING, count: 100 - failures }, fails] : [])
  expect(holds(judge({ reporters: 1, records }), 'known-sources-pass')).toBe(met)
})

test.each([
  [5, true],
  [6, false],
])('%i messages of 100 with only SPF: %s', (count, met) => {
  const records = (day: number) =>
    day === 1 ? [{ ...PASSING, count: 100 - count }, spfOnly(count)] : []
  const policy = quarantineFrom(1)
  expect(holds(judge({ reporters: 1, records, policy }), 'dkim-aligned')).toBe(met)
})

test.each([
  [17, true],
  [18, false],
])('an unaligned service first seen on day %i of 31: %s', (firstDay, met) => {
  const records = (day: number) => [PASSING, ...(day === firstDay ? [mailchimp(1)] : [])]
  expect(holds(judge({ records }), 'no-new-sources')).toBe(met)
})

test('a burst of unknown mail that fails does not block', () => {
  const records = (day: number) => [PASSING, ...(day < 8 ? [spoofed(5_000)] : [])]
  expect(judge({ records })).toMatchObject({
    status: 'ready',
    lost: { yours: 0, forwarded: 0 },
  })
})

test('forwarded mail with the signature of the owner is known mail', () => {
  const forwarded: AggregateRecord = {
    ...PASSING,
    spf: 'fail',
    spfResults: [{ domain: 'example.com', scope: 'mfrom', result: 'fail', humanResult: null }],
  }
  expect(judge({ reporters: 1, records: () => [forwarded] })).toMatchObject({
    knownMessages: 3_100,
    status: 'unknown',
  })
})

test.each([
  [29, 'not-ready'],
  [30, 'ready'],
])('after %i days of quarantine it is %s for reject', (length, status) => {
  const policy = quarantineFrom(41 - length)
  expect(judge({ days: daysFrom(1, 40), policy })).toMatchObject({ status, next: 'reject' })
})

test.each([
  [100, true],
  [101, false],
])('with %i of 10,000 messages lost on lists, reject is advised: %s', (lost, met) => {
  const verdict = judge({
    reporters: 1,
    policy: quarantineFrom(1),
    records: (day) => (day === 1 ? [{ ...PASSING, count: 10_000 - lost }, listed(lost)] : []),
  })
  expect(holds(verdict, 'forwarding')).toBe(met)
})

test('mail that is lost on lists does not keep a domain from quarantine', () => {
  expect(judge({ records: () => [PASSING, listed(100)] }).status).toBe('ready')
})

test('does not know the time at quarantine where the reports begin later', () => {
  const policy = () => ({ p: 'quarantine' as const })
  const verdict = judge({ days: daysFrom(1, 20), policy })
  expect(holds(verdict, 'time-at-stage')).toBeNull()
  expect(verdict.status).toBe('unknown')
})

const stageOf = ({ status, nextTags, conditions }: RolloutVerdict) => ({
  status,
  nextTags,
  conditions: conditions.map(({ id, status }) => `${id}: ${status}`),
})

test.each<[string, Partial<PublishedPolicy>, ReturnType<typeof stageOf>]>([
  [
    'p=none',
    {},
    {
      status: 'ready',
      nextTags: 'p=quarantine; t=y; pct=0',
      conditions: ['senders-known: met', 'senders-pass: met', 'failures-not-yours: met'],
    },
  ],
  [
    'a test of quarantine, as receivers that know t report it',
    { p: 'quarantine', testing: true },
    {
      status: 'ready',
      nextTags: 'p=quarantine',
      conditions: ['none-fails: met', 'none-in-spam: only-you-know'],
    },
  ],
  [
    'a test of quarantine, as other receivers report it',
    { p: 'quarantine', pct: 0 },
    {
      status: 'ready',
      nextTags: 'p=quarantine',
      conditions: ['none-fails: met', 'none-in-spam: only-you-know'],
    },
  ],
  [
    'p=quarantine',
    { p: 'quarantine' },
    {
      status: 'ready',
      nextTags: 'p=reject; t=y; pct=0',
      conditions: ['senders-known: met', 'senders-sign: met', 'none-missing: only-you-know'],
    },
  ],
  [
    'strict alignment',
    { adkim: 's' },
    {
      status: 'ready',
      nextTags: 'p=quarantine; t=y; pct=0',
      conditions: [
        'senders-known: met',
        'senders-pass: met',
        'failures-not-yours: met',
        'exact-domain: met',
      ],
    },
  ],
])('after %s comes the stage of the plan, with its conditions', (_, tags, stage) => {
  expect(stageOf(judge({ policy: () => tags }))).toEqual(stage)
})

test('a test stage is over only after a week without failures', () => {
  const testing = (day: number) => (day > 20 ? { p: 'quarantine' as const, pct: 0 } : {})
  const failing = (last: number) => (day: number) => [
    PASSING,
    ...(day > 20 && day <= last ? [mailchimp(5)] : []),
  ]
  const verdict = (last: number) => judge({ policy: testing, records: failing(last) })
  expect(holds(verdict(24), 'none-fails')).toBe(true)
  expect(verdict(25).criteria.find(({ id }) => id === 'none-fails')).toMatchObject({
    holds: false,
    text: 'Messages of your sources that failed DMARC in the last 7 days: 5: Mailchimp',
  })
})

test.each([
  [6, 'not-ready'],
  [7, 'ready'],
])('after %i days of a test it is %s', (length, status) => {
  const policy = (day: number) => (day > 40 - length ? { p: 'quarantine' as const, pct: 0 } : {})
  expect(judge({ days: daysFrom(1, 40), policy }).status).toBe(status)
})

test('a small source that never signs holds reject back', () => {
  const unsigned: AggregateRecord = {
    ...PASSING,
    dkim: 'fail',
    count: 2,
    dkimResults: [{ domain: 'mcsv.net', selector: 'k2', result: 'pass', humanResult: null }],
  }
  const verdict = judge({ policy: quarantineFrom(1), records: () => [PASSING, unsigned] })
  expect(verdict.status).toBe('not-ready')
  expect(verdict.criteria.find(({ id }) => id === 'dkim-aligned')?.text).toBe(
    'Your messages that pass DKIM for your own domain, which survives forwarding: 99.3% (you need at least 95%, from each source: Mailchimp)',
  )
})

test.each<[string, Partial<PublishedPolicy>]>([
  ['pct below 100', { pct: 50 }],
  ['test mode', { testing: true }],
])('reject with %s needs a month at quarantine', (_, tags) => {
  const policy = (day: number) =>
    day > 20 ? { p: 'reject' as const, ...tags } : { p: 'none' as const }
  const verdict = judge({ policy })
  expect(verdict).toMatchObject({ status: 'not-ready', current: 'reject', next: 'reject' })
  expect(verdict.criteria.find(({ id }) => id === 'time-at-quarantine')?.figures).toEqual({
    days: 11,
    required: 30,
  })
})

test('of two policies on the last day, the weaker counts in any order', () => {
  const verdict = (one: 'none' | 'reject', other: 'none' | 'reject') => {
    let count = 0
    return judge({ policy: () => ({ p: count++ % 2 === 0 ? one : other }) })
  }
  expect(verdict('none', 'reject').current).toBe('none')
  expect(verdict('reject', 'none').current).toBe('none')
})

test('has no next stage at reject, and says whether mail is lost', () => {
  const policy = () => ({ p: 'reject' as const })
  expect(judge({ policy })).toMatchObject({
    status: 'ready',
    next: null,
    summary: 'p=reject is in place, and your mail passes.',
  })
  expect(judge({ policy, records: () => [PASSING, mailchimp(10)] }).summary).toBe(
    'p=reject is in place, but 1 condition isn’t met. Some of your mail is being lost.',
  )
})

test('is unknown without a valid policy', () => {
  expect(judge({ policy: () => ({ p: 'other' }) })).toMatchObject({
    status: 'unknown',
    current: null,
    next: null,
    summary: 'Unknown: the reports don’t include a valid policy.',
  })
})

test('lists what to fix, most lost messages first, with the steps of the service', () => {
  const ses: AggregateRecord = {
    ...mailchimp(7),
    dkimResults: [],
    spfResults: [
      { domain: 'eu-west-1.amazonses.com', scope: 'mfrom', result: 'pass', humanResult: null },
    ],
  }
  const { fixFirst, lost } = judge({ records: () => [PASSING, ses, mailchimp(10)] })
  expect(lost).toEqual({ yours: 527, forwarded: 0 })
  expect(fixFirst.map(({ name, lost: messages }) => [name, messages])).toEqual([
    ['Mailchimp', 310],
    ['Amazon SES', 217],
  ])
  expect(fixFirst[0]?.reason).toBe(
    'It passes SPF and DKIM for the service’s own domain but not for yours, so DMARC fails.',
  )
  expect(fixFirst[0]?.steps[1]).toMatch(/^Set up DKIM for example\.com\. .*Mailchimp/)
  expect(fixFirst[0]?.steps.at(-1)).toBe(
    'Send yourself a message from Mailchimp. It should show DKIM: PASS for example.com.',
  )
})

test('explains strict alignment', () => {
  const records = () => [
    PASSING,
    { ...PASSING, dkim: 'fail' as const, spf: 'fail' as const, count: 50 },
  ]
  const { fixFirst } = judge({ records, policy: () => ({ adkim: 's' }) })
  expect(fixFirst[0]?.reason).toBe(
    'It passes for a different name under example.com, but adkim=s requires an exact match.',
  )
})
