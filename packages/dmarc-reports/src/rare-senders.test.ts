/** Mail that comes seldom is often the mail that matters: payroll, invoices, a forgotten server. */
import type { RecordValues } from '@mailgrade/testing/build-aggregate-report'
import { describe, expect, test } from 'vitest'
import { criterionOf, fails, pass, sourceOf, tell } from '../test/tell-story.js'

/** A service outside the catalog, with its own bounce domain and its own signature. */
const payroll: RecordValues = {
  ...fails,
  count: 48,
  ip: '198.51.100.7',
  envelopeFrom: 'bounces.payroll.test',
  dkimResults: [pass('payroll.test')],
  spfResults: [pass('bounces.payroll.test')],
}

/** A server that nothing authorizes. */
const invoices: RecordValues = {
  ...fails,
  count: 55,
  ip: '203.0.113.9',
  spfResults: [{ domain: 'example.com', result: 'softfail' }],
}

const on =
  (days: readonly number[], ...records: readonly RecordValues[]) =>
  (day: number) =>
    days.includes(day) ? records : []

describe('a source that may be yours', () => {
  test('payroll that went out once is asked about, because it authenticates as itself', async () => {
    const summary = await tell({ sends: on([8], payroll) })
    expect(summary.rollout).toMatchObject({
      status: 'answer-first',
      summary: expect.stringMatching(
        /^Not ready for p=quarantine.*\. Answer first: 1 source may be yours\.$/,
      ),
    })
    expect(sourceOf(summary, 'payroll.test')).toMatchObject({
      class: 'unknown',
      question: 'authenticates',
      messages: 48,
      months: ['2026-10'],
    })
    expect(criterionOf(summary, 'unknown-sources')).toMatchObject({
      holds: null,
      text: '1 source may be yours: payroll.test (it authenticates as itself). Add --mine <source> if it’s yours, or --not-mine <source> if it isn’t',
      figures: { sources: 1, messages: 48 },
    })
  })

  test('one test message from such a service is asked about too', async () => {
    const { rollout } = await tell({ sends: on([8], { ...payroll, count: 1 }) })
    expect(rollout.status).toBe('answer-first')
  })

  test('invoices from an own server are asked about when they come back in a later month', async () => {
    const summary = await tell({ sends: on([3, 34], invoices) })
    expect(summary.rollout.status).toBe('answer-first')
    expect(sourceOf(summary, '203.0.113.0/24')).toMatchObject({
      question: 'returns',
      months: ['2026-10', '2026-11'],
    })
    expect(criterionOf(summary, 'unknown-sources')?.text).toContain(
      '203.0.113.0/24 (it keeps coming back)',
    )
  })

  test('a leftover that came back after half a year is still asked about', async () => {
    const summary = await tell({ days: 220, sends: on([4, 190], { ...invoices, count: 2 }) })
    expect(summary.rollout.status).toBe('answer-first')
  })

  test('a service that last sent half a year ago is asked about', async () => {
    const { rollout } = await tell({ days: 200, sends: on([4], payroll) })
    expect(rollout.status).toBe('answer-first')
  })

  test('the days are counted over all reports, in whatever order they are read', async () => {
    const summary = await tell({ days: 120, sends: on([90, 5], invoices) })
    expect(sourceOf(summary, '203.0.113.0/24')?.question).toBe('returns')
  })

  test('several are named with the reason for each', async () => {
    const summary = await tell({ sends: on([3, 34], invoices, payroll) })
    expect(criterionOf(summary, 'unknown-sources')?.text).toBe(
      '2 sources may be yours: 203.0.113.0/24 (it keeps coming back), payroll.test (it authenticates as itself). Add --mine <source> for each that’s yours, and --not-mine <source> for each that isn’t; --not-mine unknown answers for the rest',
    )
  })
})

describe('a service of the catalog that is not set up', () => {
  const mailchimp = (count: number): RecordValues => ({
    ...fails,
    count,
    dkimResults: [pass('mcsv.net', 'k2')],
    spfResults: [pass('mail1.mcsv.net')],
  })

  test.each<[string, number, number]>([
    ['sent one message', 35, 1],
    ['last sent half a year ago', 200, 60],
  ])('and %s is asked about like any other', async (_, days, count) => {
    const sends = on([4], mailchimp(count))
    const summary = await tell({ days, sends })
    expect(summary.rollout.status).toBe('answer-first')
    expect(criterionOf(summary, 'unknown-sources')?.text).toContain(
      'Mailchimp (it authenticates as itself)',
    )
    const status = async (answer: object) => (await tell({ days, sends, ...answer })).rollout.status
    expect(await status({ notMine: ['mailchimp'] })).toBe('ready')
    expect(await status({ mine: ['mailchimp'] })).toBe('not-ready')
  })

  test('but was set up since is not asked about', async () => {
    const setUp = { ...mailchimp(20), dkim: 'pass', dkimResults: [pass('example.com', 'k2')] }
    const sends = (day: number) => (day === 4 ? [mailchimp(60)] : day > 150 ? [setUp] : [])
    expect((await tell({ days: 200, sends })).rollout.status).toBe('ready')
  })
})

describe('the owner’s answer', () => {
  test('--not-mine: it is forged, and does not hold the policy back', async () => {
    const { rollout } = await tell({ sends: on([8], payroll), notMine: ['payroll.test'] })
    expect(rollout.status).toBe('ready')
  })

  test('--mine: it has to pass before the policy is enforced', async () => {
    const summary = await tell({ sends: on([8], payroll), mine: ['Payroll.test'] })
    expect(summary.rollout.status).toBe('not-ready')
    expect(sourceOf(summary, 'payroll.test')?.class).toBe('yours-not-aligned')
    expect(summary.rollout.fixFirst).toEqual([
      {
        name: 'payroll.test',
        serviceId: null,
        lost: 48,
        reason:
          'You said that payroll.test is yours. It passes for its own domain, but not for example.com.',
        steps: [
          'Ask payroll.test how to sign with DKIM for example.com, and publish the key it gives you.',
          'Send yourself a message from there. It should show DKIM: PASS for example.com.',
        ],
      },
    ])
  })

  test('--mine with a network: the server there has to sign', async () => {
    const { rollout } = await tell({ sends: on([3, 34], invoices), mine: ['203.0.113.0/24'] })
    expect(rollout.status).toBe('not-ready')
    expect(rollout.fixFirst[0]?.steps[0]).toBe(
      'Find the server in 203.0.113.0/24 that sends as example.com, and have it sign with DKIM for example.com.',
    )
  })

  test('--not-mine unknown leaves what the owner called theirs', async () => {
    const { rollout } = await tell({
      sends: on([3, 34], invoices, payroll),
      mine: ['payroll.test'],
      notMine: ['unknown'],
    })
    expect(rollout.status).toBe('not-ready')
    expect(rollout.fixFirst.map(({ name }) => name)).toEqual(['payroll.test'])
  })
})

describe('mail that is probably forged', () => {
  const forged = (network: number): RecordValues => ({
    ...fails,
    ip: `10.${network}.0.1`,
    count: 40,
    spfResults: [{ domain: 'example.com', result: 'fail' }],
  })
  const burst = Array.from({ length: 50 }, (_, index) => forged(index))

  test('bursts from networks that never return do not hold the policy back', async () => {
    const later = Array.from({ length: 50 }, (_, index) => forged(100 + index))
    const sends = (day: number) => [...on([10, 11], ...burst)(day), ...on([33], ...later)(day)]
    const summary = await tell({ sends })
    expect(summary.rollout.status).toBe('ready')
    expect(criterionOf(summary, 'unknown-sources')).toMatchObject({
      holds: true,
      figures: { sources: 0, messages: 0, forged: 6_000 },
      text: 'No unknown source authenticates as itself or comes back, so we take 6,000 messages for forged. A system that sends once a month comes back only in reports of more than two months; yours cover 35 days',
    })
  })

  test('a burst over the end of a month has not come back', async () => {
    // Day 12 is 2026-10-31.
    const { rollout } = await tell({ sends: on([12, 13], ...burst) })
    expect(rollout.status).toBe('ready')
  })

  test('among many forgers, the smallest service is still asked about', async () => {
    const crowd = Array.from({ length: 900 }, (_, index) => ({
      ...forged(0),
      ip: `10.${Math.floor(index / 250)}.${index % 250}.1`,
    }))
    const { rollout } = await tell({ sends: on([10], { ...payroll, count: 1 }, ...crowd) })
    expect(rollout.status).toBe('answer-first')
  })
})

test('mail that a forwarder passed on is not asked about', async () => {
  const forwarded: RecordValues = {
    ...fails,
    count: 45,
    envelopeFrom: 'srs0.forwarder.test',
    spfResults: [pass('srs0.forwarder.test')],
  }
  const summary = await tell({ sends: on([8], forwarded) })
  expect(sourceOf(summary, 'forwarder.test')).toMatchObject({ class: 'forwarded', question: null })
  expect(summary.rollout.status).toBe('ready')
})
