import { expect, test } from 'vitest'
import { BEGIN, DAY } from '../../test/aggregate/build-report.js'
import { createDomainCollector } from './collect-domains.js'
import { createReportCollector } from './collect-report.js'
import { type CriterionId, judgeRollout, type RolloutVerdict } from './judge-rollout.js'
import type { PublishedPolicy } from './report-metadata.js'
import type { ReportRecord } from './report-record.js'

const PASSING: ReportRecord = {
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
const mailchimp = (count: number): ReportRecord => ({
  ...PASSING,
  count,
  dkim: 'fail',
  spf: 'fail',
  dkimResults: [{ domain: 'mcsv.net', selector: 'k2', result: 'pass', humanResult: null }],
  spfResults: [{ domain: 'mail1.mcsv.net', scope: 'mfrom', result: 'pass', humanResult: null }],
})

const listed = (count: number): ReportRecord => ({
  ...mailchimp(count),
  dkimResults: [],
  spfResults: [],
  reasons: [{ type: 'mailing_list', comment: null }],
})

const spoofed = (count: number): ReportRecord => ({
  ...mailchimp(count),
  dkimResults: [],
  spfResults: [],
})

const spfOnly = (count: number): ReportRecord => ({
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
  readonly records?: (day: number) => readonly ReportRecord[]
  readonly policy?: (day: number) => Partial<PublishedPolicy>
}

const daysFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** By default: 28 days, three reporters with 100 passing messages a day. */
function judge({
  days = daysFrom(1, 28),
  reporters = 3,
  records = () => [PASSING],
  policy = () => ({}),
}: Period = {}): RolloutVerdict {
  const collector = createDomainCollector()
  for (const day of days) {
    for (let reporter = 0; reporter < reporters; reporter += 1) {
      const report = createReportCollector()
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
          policy: { ...POLICY, ...policy(day) },
        },
        report.finish(),
      )
    }
  }
  const totals = collector.domains.get('example.com')
  if (!totals) throw new Error('no reports')
  return judgeRollout(totals)
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
    summary: 'Ready for p=quarantine: all conditions are met.',
    knownMessages: 8_400,
    lost: { yours: 0, forwarded: 0 },
    fixFirst: [],
  })
  expect(verdict.criteria.map(({ id, holds: met }) => [id, met])).toEqual([
    ['reporters', true],
    ['coverage', true],
    ['known-sources-pass', true],
    ['dkim-aligned', true],
    ['no-new-sources', true],
  ])
})

test.each([
  [1, 'unknown'],
  [2, 'unknown'],
  [3, 'ready'],
])('with %i reporters it is %s', (reporters, status) => {
  expect(judge({ reporters }).status).toBe(status)
})

const few = () => [{ ...PASSING, count: 1 }]

test.each<[string, Period, string]>([
  ['28 days', { days: daysFrom(1, 28) }, 'ready'],
  ['14 days with 4,200 messages', { days: daysFrom(1, 14) }, 'ready'],
  ['13 days with 3,900 messages', { days: daysFrom(1, 13) }, 'unknown'],
  ['a gap of 3 days', { days: [...daysFrom(1, 10), ...daysFrom(14, 28)] }, 'ready'],
  [
    'a gap of 4 days before 13 days',
    { days: [...daysFrom(1, 11), ...daysFrom(16, 28)] },
    'unknown',
  ],
  ['a gap of 4 days before 14 days', { days: [...daysFrom(1, 10), ...daysFrom(15, 28)] }, 'ready'],
])('with %s it is right', (_, period, status) => {
  expect(judge(period).status).toBe(status)
})

test('needs 28 days where there are fewer than 1,000 messages', () => {
  const period = (last: number, count: number): Period => ({
    days: daysFrom(1, last),
    reporters: 3,
    records: (day) => (day === 1 ? [{ ...PASSING, count }] : few()),
  })
  // Two reporters send 100 a day, so only the first of them varies.
  expect(holds(judge({ ...period(27, 1), reporters: 1 }), 'coverage')).toBe(false)
  expect(holds(judge({ ...period(28, 1), reporters: 1 }), 'coverage')).toBe(true)
  expect(holds(judge({ ...period(14, 986), reporters: 1 }), 'coverage')).toBe(false)
  expect(holds(judge({ ...period(14, 987), reporters: 1 }), 'coverage')).toBe(true)
})

test('is unknown with fewer than 20 known messages', () => {
  const verdict = (count: number) =>
    judge({ days: daysFrom(1, 1), reporters: 1, records: () => [mailchimp(count)] })
  expect(verdict(19)).toMatchObject({ status: 'unknown', lost: { yours: 19 } })
  expect(verdict(20).status).toBe('not-ready')
})

test.each([
  [19, true],
  [20, false],
])('a source that fails with %i messages and below 1%%: %s', (count, met) => {
  const verdict = judge({ records: (day) => [PASSING, ...(day === 1 ? [mailchimp(count)] : [])] })
  expect(holds(verdict, 'known-sources-pass')).toBe(met)
})

test('a source with few messages counts when it has 1% of the known mail', () => {
  const verdict = (count: number) =>
    judge({
      reporters: 1,
      days: daysFrom(1, 28),
      records: (day) => (day === 1 ? [{ ...PASSING, count: 990 }, mailchimp(count)] : []),
    })
  expect(holds(verdict(9), 'known-sources-pass')).toBe(true)
  expect(holds(verdict(10), 'known-sources-pass')).toBe(false)
})

test.each([
  [2, true],
  [3, false],
])('a source with %i failures in 100 messages: %s', (failures, met) => {
  const fails: ReportRecord = { ...PASSING, count: failures, dkim: 'fail', spf: 'fail' }
  const records = (day: number) => (day === 1 ? [{ ...PASSING, count: 100 - failures }, fails] : [])
  expect(holds(judge({ reporters: 1, records }), 'known-sources-pass')).toBe(met)
})

test.each([
  [5, true],
  [6, false],
])('%i messages of 100 with only SPF: %s', (count, met) => {
  const records = (day: number) =>
    day === 1 ? [{ ...PASSING, count: 100 - count }, spfOnly(count)] : []
  expect(holds(judge({ reporters: 1, records }), 'dkim-aligned')).toBe(met)
})

test.each([
  [14, true],
  [15, false],
])('an unaligned service first seen on day %i of 28: %s', (firstDay, met) => {
  const records = (day: number) => [PASSING, ...(day === firstDay ? [mailchimp(1)] : [])]
  expect(holds(judge({ records }), 'no-new-sources')).toBe(met)
})

test('unknown mail that fails does not block', () => {
  expect(judge({ records: () => [PASSING, spoofed(5_000)] })).toMatchObject({
    status: 'ready',
    lost: { yours: 0, forwarded: 0 },
  })
})

test('forwarded mail with the signature of the owner is known mail', () => {
  const forwarded: ReportRecord = {
    ...PASSING,
    spf: 'fail',
    spfResults: [{ domain: 'example.com', scope: 'mfrom', result: 'fail', humanResult: null }],
  }
  expect(judge({ reporters: 1, records: () => [forwarded] })).toMatchObject({
    knownMessages: 2_800,
    status: 'unknown',
  })
})

const quarantineFrom = (first: number) => (day: number) => ({
  p: day >= first ? ('quarantine' as const) : ('none' as const),
})

test.each([
  [13, 'not-ready'],
  [14, 'ready'],
])('after %i days of quarantine it is %s for reject', (length, status) => {
  const policy = quarantineFrom(29 - length)
  expect(judge({ days: daysFrom(1, 28), policy })).toMatchObject({ status, next: 'reject' })
})

test('needs 30 days of quarantine when more than 1% is lost on lists', () => {
  const days = daysFrom(1, 40)
  const status = (lost: number, first: number) =>
    judge({
      days,
      reporters: 3,
      policy: quarantineFrom(first),
      records: (day) => [PASSING, ...(day === 1 ? [listed(lost)] : [])],
    }).status
  // 12,000 known messages; 121 lost ones are 1% of the sum.
  expect(status(121, 27)).toBe('ready')
  expect(status(122, 27)).toBe('not-ready')
  expect(status(122, 12)).toBe('not-ready')
  expect(status(122, 11)).toBe('ready')
})

test.each([
  [100, 14],
  [101, 30],
])('with %i of 10,000 messages lost on lists, %i days are required', (lost, required) => {
  const verdict = judge({
    reporters: 1,
    policy: quarantineFrom(1),
    records: (day) => (day === 1 ? [{ ...PASSING, count: 10_000 - lost }, listed(lost)] : []),
  })
  expect(verdict.criteria.at(-1)?.figures.required).toBe(required)
})

test('does not know the time at quarantine where the reports begin later', () => {
  const policy = () => ({ p: 'quarantine' as const })
  const records = (day: number) => [PASSING, ...(day === 1 ? [listed(1_000)] : [])]
  const verdict = judge({ days: daysFrom(1, 28), policy, records })
  expect(holds(verdict, 'time-at-stage')).toBeNull()
  expect(verdict.status).toBe('unknown')
})

test.each<[string, Partial<PublishedPolicy>]>([
  ['pct below 100', { pct: 50 }],
  ['test mode', { testing: true }],
])('quarantine with %s is not in full effect', (_, tags) => {
  const verdict = judge({ policy: () => ({ p: 'quarantine', ...tags }) })
  expect(holds(verdict, 'time-at-stage')).toBe(false)
  expect(verdict.criteria.at(-1)?.figures).toEqual({ days: 0, required: 14 })
})

test('has no next stage at reject, and says whether mail is lost', () => {
  const policy = () => ({ p: 'reject' as const })
  expect(judge({ policy })).toMatchObject({
    status: 'ready',
    next: null,
    summary: 'p=reject is in place and your mail passes.',
  })
  expect(judge({ policy, records: () => [PASSING, mailchimp(10)] }).summary).toBe(
    'p=reject is in place, but 1 condition is not met: some of your mail is lost.',
  )
})

test('is unknown without a valid policy', () => {
  expect(judge({ policy: () => ({ p: 'other' }) })).toMatchObject({
    status: 'unknown',
    current: null,
    next: null,
    summary: 'Unknown: the reports contain no valid policy.',
  })
})

test('lists what to fix, most lost messages first, with the steps of the service', () => {
  const ses: ReportRecord = {
    ...mailchimp(7),
    dkimResults: [],
    spfResults: [
      { domain: 'eu-west-1.amazonses.com', scope: 'mfrom', result: 'pass', humanResult: null },
    ],
  }
  const { fixFirst, lost } = judge({ records: () => [PASSING, ses, mailchimp(10)] })
  expect(lost).toEqual({ yours: 476, forwarded: 0 })
  expect(fixFirst.map(({ name, lost: messages }) => [name, messages])).toEqual([
    ['Mailchimp', 280],
    ['Amazon SES', 196],
  ])
  expect(fixFirst[0]?.reason).toBe(
    'It passes SPF and DKIM for the service’s own domain, not for yours, so DMARC fails.',
  )
  expect(fixFirst[0]?.steps[0]).toMatch(/^Set up DKIM for example\.com\. .*Mailchimp/)
  expect(fixFirst[0]?.steps.at(-1)).toBe(
    'Send a message from Mailchimp to yourself. It must show DKIM: PASS for example.com.',
  )
})

test('names the SPF include only where it has an effect', () => {
  const microsoft: ReportRecord = {
    ...mailchimp(10),
    dkimResults: [
      {
        domain: 'example.onmicrosoft.com',
        selector: 'selector1',
        result: 'pass',
        humanResult: null,
      },
    ],
    spfResults: [],
  }
  const stepsOf = (record: ReportRecord) =>
    judge({ records: () => [PASSING, record] }).fixFirst[0]?.steps.join(' ') ?? ''
  expect(stepsOf(microsoft)).toContain('contains include:spf.protection.outlook.com')
  expect(stepsOf(mailchimp(10))).not.toContain('include:')
})

test('explains strict alignment', () => {
  const records = () => [
    PASSING,
    { ...PASSING, dkim: 'fail' as const, spf: 'fail' as const, count: 50 },
  ]
  const { fixFirst } = judge({ records, policy: () => ({ adkim: 's' }) })
  expect(fixFirst[0]?.reason).toBe(
    'It passes for another name at example.com, but adkim=s requires an exact match.',
  )
})
