/** Owners whose DKIM CNAMEs lead to a service that has no key there: it may have new targets. */
import { expect, test } from 'vitest'
import { planOf, stepsOf, wordsOf } from '../../../../test/support/expert.js'
import { GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { ON_GOOGLE, SENDGRID } from '../../../../test/support/service-zones.js'

const OLD_ACCOUNT = `${ON_GOOGLE}${SENDGRID}${GOOGLE_KEY}
  ${spfLine('include:_spf.google.com include:sendgrid.net ~all')}${policy('p=quarantine')}
  s1._domainkey.acme.test. CNAME s1.domainkey.u778811.wl033.sendgrid.net.
  s2._domainkey.acme.test. CNAME s2.domainkey.u778811.wl033.sendgrid.net.
`

test('SendGrid’s CNAMEs have no key: their targets are compared before signing is turned on', async () => {
  const plan = await planOf(OLD_ACCOUNT, { options: { uses: ['sendgrid'] } })
  const [turnOn] = stepsOf(plan, 'turn-on-signing', 'sendgrid')
  expect(turnOn?.actions[0]).toContain('s1._domainkey.acme.test and s2._domainkey.acme.test')
  expect(turnOn?.actions[0]).toContain('different')
  expect(turnOn?.actions.length).toBeGreaterThan(1)
})

test('a sender that the owner named isn’t asked about, and has no other steps', async () => {
  const plan = await planOf(OLD_ACCOUNT, { options: { uses: ['sendgrid'] } })
  const texts = plan.warnings.map(({ detail, fix }) => `${detail} ${fix}`).join('\n')
  expect(`${texts}\n${wordsOf(plan.steps)}`).not.toMatch(/still use Twilio SendGrid/)
  const about = plan.steps.filter((step) => wordsOf([step]).includes('SendGrid'))
  expect(about.filter(({ stream }) => stream !== 'sendgrid')).toEqual([])
  expect(plan.warnings.map(({ id }) => id)).not.toContain('dkim.sender-unsigned')
})

test('without that answer, the plan still asks', async () => {
  const plan = await planOf(OLD_ACCOUNT)
  expect(wordsOf(plan.steps)).toContain('if you still use it')
})
