import { describe, expect, test } from 'vitest'
import type { FixPlan, RolloutStage } from './fix-plan-report.js'
import { addDays, daysUntilStage, estimateMinutes, writeSummary } from './write-summary.js'

const stage = (number: number, value: string, minimumDays: number): RolloutStage => ({
  stage: number,
  record: { type: 'TXT', name: '_dmarc.acme.test', value },
  minimumDays,
  proceedWhen: [],
  onlyIf: null,
  dashboard: null,
  rollback: '',
})
const ROLLOUT = [
  stage(1, 'v=DMARC1; p=none', 30),
  stage(2, 'v=DMARC1; p=quarantine', 7),
  stage(3, 'v=DMARC1; p=reject', 0),
]

const step = (changes: Partial<FixPlan['steps'][number]> = {}): FixPlan['steps'][number] => ({
  order: 1,
  kind: 'publish',
  stream: null,
  when: 'today',
  notBefore: null,
  title: 'Do something',
  service: null,
  where: 'Here',
  actions: [],
  records: [],
  onlyIf: null,
  optional: false,
  verify: { text: '', url: null },
  ...changes,
})

const PLAN: Parameters<typeof writeSummary>[0] = {
  domain: 'acme.test',
  unicodeDomain: undefined,
  effort: { minutesToday: 15, earliestEnd: '2026-12-23' },
  current: { score: 57, grade: 'F' },
  projected: { score: 100, grade: 'A', assumes: [] },
  changes: [{ purpose: 'spf' }, { purpose: 'dkim' }, { purpose: 'dkim' }],
  policy: null,
  isRejectedToday: false,
  isTest: false,
  rollout: ROLLOUT,
  steps: [step()],
  danger: 'anyone can send as you',
  loss: null,
  warnings: [],
}

const AT_RISK = {
  id: 'plan.mail-at-risk',
  severity: 'critical' as const,
  title: '',
  detail: '',
  fix: '',
  evidence: [],
  reference: '',
}

describe('the summary', () => {
  test('says what is wrong, what to do today, and when the end is reached', () => {
    expect(writeSummary(PLAN)).toBe(
      'acme.test scores 57 of 100 (grade F): anyone can send as you. Today: 3 changes (SPF and DKIM), about 15 minutes. Then tighten DMARC in 2 more stages. You can reach p=reject on 2026-12-23 at the earliest. That brings the score to 100 (grade A).',
    )
  })

  test('names a domain as people write it', () => {
    expect(writeSummary({ ...PLAN, unicodeDomain: 'äcme.test' })).toMatch(
      /^äcme\.test \(acme\.test\) scores 57 of 100/,
    )
  })

  test('says that mail of the owner is at risk', () => {
    expect(writeSummary({ ...PLAN, warnings: [AT_RISK] })).toMatch(
      /: anyone can send as you\. Your own mail may get lost, because it isn’t signed\. Today/,
    )
  })

  test.each<[string, Partial<typeof PLAN>, string]>([
    ['one change', { changes: [{ purpose: 'mx' }] }, 'Today: 1 change (MX), about 15 minutes.'],
    [
      'only steps at services',
      { changes: [] },
      'Today: 1 step, about 15 minutes. There are no records to publish.',
    ],
    [
      'only reports and optional steps',
      { changes: [], steps: [step({ when: 'later' }), step({ when: 'optional' })] },
      'You don’t need to change anything today.',
    ],
  ])('today: %s', (_, changes, sentence) => {
    expect(writeSummary({ ...PLAN, ...changes })).toContain(`. ${sentence} `)
  })

  test.each<[string, Partial<typeof PLAN>, string]>([
    ['no gain', { projected: { score: 57, grade: 'F', assumes: [] } }, 'at the earliest.'],
    [
      'one stage to quarantine',
      { rollout: ROLLOUT.slice(0, 2) },
      'Then tighten DMARC in 1 more stage. You can reach p=quarantine on 2026-12-23 at the earliest. That brings the score to 100 (grade A).',
    ],
    [
      'rejected at once',
      { rollout: [], policy: 'v=DMARC1; p=reject' },
      'After that, receivers refuse forged mail. That brings the score to 100 (grade A).',
    ],
    [
      'rejected already',
      { rollout: [], policy: 'v=DMARC1; p=reject', isRejectedToday: true },
      'The policy is already p=reject. That brings the score to 100 (grade A).',
    ],
    [
      'no stage planned',
      { rollout: [], policy: 'v=DMARC1; p=none; sp=reject' },
      'The DMARC policy stays as it is. That brings the score to 100 (grade A).',
    ],
  ])('the end: %s', (_, changes, sentence) => {
    expect(writeSummary({ ...PLAN, ...changes }).endsWith(sentence)).toBe(true)
  })
})

describe('minutes today', () => {
  test.each([
    ['nothing to do', 0, [], 0],
    ['one record: sign in and enter it', 1, [step({ records: [1] })], 10],
    ['five records', 5, [step({ records: [1, 2, 3, 4, 5] })], 15],
    ['a screen of a service', 0, [step()], 5],
    ['records and screens', 2, [step({ records: [1, 2] }), step(), step()], 20],
    [
      'reports and optional steps come later',
      0,
      [step({ when: 'later' }), step({ when: 'optional' })],
      0,
    ],
  ])('%s', (_, changes, steps, minutes) => {
    expect(estimateMinutes(changes, steps)).toBe(minutes)
  })
})

test.each([
  ['2026-11-16T23:59:59Z', 0, '2026-11-16'],
  ['2026-11-16T00:00:00Z', 30, '2026-12-16'],
  ['2026-12-31T12:00:00Z', 1, '2027-01-01'],
  ['2028-02-28T12:00:00Z', 1, '2028-02-29'],
])('%s and %d days is %s', (start, days, end) => {
  expect(addDays(new Date(start), days)).toBe(end)
})

test.each([
  [1, false, 0],
  [2, false, 30],
  [3, false, 37],
  [2, true, 0],
  [3, true, 7],
])('stage %d, first stage published %s: after %d days', (number, isPublished, days) => {
  expect(daysUntilStage(ROLLOUT, number, isPublished)).toBe(days)
})
