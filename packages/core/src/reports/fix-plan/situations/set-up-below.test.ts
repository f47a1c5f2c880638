/** Owners who set up one service for several names below their domain, each with keys of its own. */
import { expect, test } from 'vitest'
import {
  changesOf,
  planOf,
  spfAt,
  stepsOf,
  stepWith,
  wordsOf,
} from '../../../../test/support/expert.js'
import { GOOGLE_DONE, policy } from '../../../../test/support/expert-zones.js'
import { MAILGUN } from '../../../../test/support/situation-zones.js'

const TWO_NAMES = `${GOOGLE_DONE}${MAILGUN}
  mail.acme.test. TXT "v=spf1 include:mailgun.org ~all"
  mail.acme.test. MX 10 mxa.mailgun.org.
  mg.acme.test. MX 10 mxa.mailgun.org.
  ${policy('p=none')}
`

test('Mailgun at mail. and mg. issues values for each: no placeholder is shared', async () => {
  const { records } = await planOf(TWO_NAMES)
  const tokensAt = (name: string) =>
    records
      .filter((record) => record.name.endsWith(`.${name}`))
      .flatMap(({ placeholders }) => placeholders.map(({ token }) => token))
  const tokens = tokensAt('mail.acme.test')
  expect(tokens.length).toBeGreaterThan(0)
  expect(tokensAt('mg.acme.test')).toHaveLength(tokens.length)
  expect(tokensAt('mg.acme.test').filter((token) => tokens.includes(token))).toEqual([])
})

test('Mailgun at mail. and mg. has steps for each, with a condition about that name alone', async () => {
  const plan = await planOf(TWO_NAMES)
  for (const name of ['mail.acme.test', 'mg.acme.test']) {
    const steps = plan.steps.filter(({ stream }) => stream === `mailgun@${name}`)
    expect(steps.map(({ kind }) => kind)).toEqual(['get-values', 'publish', 'turn-on-signing'])
    for (const step of steps) {
      expect(step.onlyIf).toContain(`exactly ${name}`)
      expect(step.title).toContain(name)
    }
    expect(wordsOf(stepsOf(plan, 'turn-on-signing', `mailgun@${name}`))).toContain(
      `PASS with exactly ${name}`,
    )
    const other = name === 'mg.acme.test' ? 'mail.acme.test' : 'mg.acme.test'
    expect(wordsOf(steps)).not.toContain(other)
  }
})

test('mg. has Mailgun’s mail servers and no SPF record: it gets one with its keys', async () => {
  const plan = await planOf(TWO_NAMES)
  const spf = spfAt(plan, 'mg.acme.test')
  expect(spf).toMatchObject({ action: 'create', value: 'v=spf1 include:mailgun.org ~all' })
  expect(stepWith(plan, spf)).toMatchObject({ stream: 'mailgun@mg.acme.test', onlyIf: spf.onlyIf })
  expect(changesOf(plan, 'spf')).toHaveLength(1)
})
