/** Conditions and rollbacks of the DMARC stages. */
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { situation } from '../../../../test/support/situation.js'
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
    const condition = 'At least 30 days have passed since the record of stage 1 was published.'
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
