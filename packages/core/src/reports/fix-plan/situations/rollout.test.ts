/** Conditions and rollbacks of the DMARC stages. */
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { ladder, recordAt, situation } from '../../../../test/support/situation.js'
import { dmarcZoneLine } from '../../../../test/support/situation-zones.js'

const SOUND = `${ON_GOOGLE}${keyZoneLine('google')}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
`
const RUA = 'rua=mailto:dmarc@acme.test'

/** The calendar without its line folds and escapes. */
const calendarOf = (calendar: string | null) =>
  (calendar ?? '').replaceAll('\r\n ', '').replaceAll('\\n', '\n').replaceAll('\\', '')

situation({
  name: 'p=none is published, and nothing else changes',
  expert: 'How long it has been published is a condition, in the stage and in the calendar.',
  zone: `${SOUND}${dmarcZoneLine(`p=none; ${RUA}`)}`,
  expect: (plan) => {
    const condition = 'It’s been at least 30 days since you published the stage 1 record.'
    expect(plan.rollout[0]?.proceedWhen[0]).toBe(condition)
    expect(plan.rollout[1]?.proceedWhen.join(' ')).not.toContain('have passed')
    const calendar = calendarOf(plan.exports.calendar)
    expect(calendar).toContain(`Go ahead only if:\n- ${condition}\n`)
    expect(calendar).toContain('DTSTART;VALUE=DATE:20261116')
    expect(calendar).toContain('SUMMARY:acme.test: DMARC stage 2 of 5')
  },
})

situation({
  name: 'p=none has to be published first',
  expert: 'The days are counted from today, so they are no condition.',
  zone: SOUND,
  expect: (plan) => {
    expect(plan.rollout[0]?.proceedWhen.join(' ')).not.toContain('have passed')
    expect(calendarOf(plan.exports.calendar)).toContain('DTSTART;VALUE=DATE:20261216')
  },
})

const LISTS =
  'No one at your domain posts to mailing lists that change messages, for example by adding a footer.'

for (const tags of ['p=quarantine; sp=quarantine; np=reject', 'p=none; sp=reject']) {
  situation({
    name: `${tags} leaves no room for a test of p=reject`,
    expert: 'What the test would show is a condition before p=reject.',
    zone: `${SOUND}${dmarcZoneLine(`${tags}; ${RUA}`)}`,
    expect: (plan) => {
      expect(ladder(plan).slice(-2)).toEqual(['quarantine', 'reject'])
      expect(plan.rollout.at(-2)?.proceedWhen.slice(-2)).toEqual([
        'None of your mail has failed DMARC in the reports for a week.',
        `${LISTS} If someone does, stay at p=quarantine (RFC 9989 §7.4).`,
      ])
    },
  })
}

situation({
  name: 'p=reject can be tested',
  expert: 'The condition about mailing lists is in the test stage, and only there.',
  zone: `${SOUND}${dmarcZoneLine(`p=quarantine; ${RUA}`)}`,
  expect: (plan) => {
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
    expect(plan.rollout.map(({ proceedWhen }) => proceedWhen.join(' ').includes(LISTS))).toEqual([
      false,
      true,
      false,
    ])
  },
})

situation({
  name: 'p=reject; t=y without pct=0',
  expert: 'The rollback also works at receivers that ignore t=y: they read pct=0.',
  zone: `${SOUND}${dmarcZoneLine(`p=reject; t=y; sp=quarantine; ${RUA}`)}`,
  expect: (plan) => {
    const value = `v=DMARC1; p=reject; t=y; sp=quarantine; ${RUA}; pct=0`
    expect(plan.rollout[0]?.record.value).not.toContain('pct')
    expect(plan.rollout[1]?.rollback).toBe(
      `Publish "${value}" (with pct=0 for receivers that ignore t=y), and find the sender in the reports.`,
    )
  },
})

situation({
  name: 'p=quarantine; t=y; pct=0',
  expert: 'The record of today is the rollback of the next stage.',
  zone: `${SOUND}${dmarcZoneLine(`p=quarantine; t=y; pct=0; ${RUA}`)}`,
  expect: (plan) => {
    expect(plan.rollout[1]?.rollback).toMatch(/^Publish the stage 1 record again, /)
  },
})

situation({
  name: 'p=reject; t=y that no plan led to, and a server that only SPF authenticates',
  expert: 'Quarantine applies until the test ends, so it ends only when every sender signs.',
  zone: `${ON_GOOGLE}${keyZoneLine('google')}
    acme.test. TXT "v=spf1 include:_spf.google.com ip4:198.51.100.33 ~all"
    ${dmarcZoneLine(`p=reject; t=y; ${RUA}`)}`,
  expect: ({ rollout: [first], summary }) => {
    expect(first?.minimumDays).toBe(30)
    expect(first?.proceedWhen.some((text) => text.includes('passes DMARC with DKIM'))).toBe(true)
    expect(summary).toContain('Then end the test of p=reject in 1 more stage.')
  },
})

const SERVER_BESIDE = `${ON_GOOGLE}
  acme.test. TXT "v=spf1 include:_spf.google.com ip4:198.51.100.33 ~all"
`

for (const [keys, zone] of [
  ['no key', SERVER_BESIDE],
  ['only Google’s key', `${SERVER_BESIDE}${keyZoneLine('google')}`],
]) {
  situation({
    name: `a server that only SPF authenticates, and ${keys}`,
    expert:
      'Reject loses what it sends once that is forwarded, so its key comes before the stages.',
    zone: `${zone}${dmarcZoneLine(`p=none; ${RUA}`)}`,
    expect: (plan) => {
      expect(ladder(plan).at(-1)).toBe('reject')
      const ofServer = plan.steps.filter(({ stream }) => stream === 'own-server')
      expect(ofServer.map(({ kind }) => kind)).toEqual(['get-values', 'publish', 'turn-on-signing'])
      const rollout = plan.steps.find(({ kind }) => kind === 'rollout')
      for (const { order, optional, when, onlyIf } of ofServer) {
        expect(order).toBeLessThan(rollout?.order ?? 0)
        expect({ optional, when }).toEqual({ optional: false, when: 'today' })
        // It may send through Google, or not at all.
        expect(onlyIf).toContain('198.51.100.33')
      }
      expect(recordAt(plan, 'mail._domainkey.acme.test').optional).toBe(false)
      expect(plan.projected.assumes.join()).not.toContain('mail._domainkey')
    },
  })
}
