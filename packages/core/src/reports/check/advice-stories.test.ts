/** Stories of owners who do exactly what a check or a score tells them to. */
import { expect, test } from 'vitest'
import { checkOf, type ExpertCheck, planOf, scoreOf } from '../../../test/support/expert.js'
import {
  GOOGLE_KEY,
  movedToMicrosoft,
  policy,
  spfLine,
} from '../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  MAILCHIMP,
  ON_GOOGLE,
  SENDGRID,
} from '../../../test/support/service-zones.js'
import { SES, signedCname } from '../../../test/support/situation-zones.js'

function findingIn({ mx, spf, dmarc, dkim }: ExpertCheck, id: string) {
  return [mx, spf, dmarc, dkim].flatMap(({ issues }) => issues).find((issue) => issue.id === id)
}

const SENDS_NO_MAIL = `${AT_CLOUDFLARE}
  acme.test. MX 0 .
  ${spfLine('-all')}`

test.each([
  ['dmarc.missing', ''],
  ['dmarc.policy-none', policy('p=none')],
  ['dmarc.policy-quarantine', policy('p=quarantine')],
])('%s: a domain that sends no mail rejects only if no subdomain sends', async (id, record) => {
  const check = await checkOf(`${SENDS_NO_MAIL}${record}`)
  const { fix = '' } = findingIn(check, id) ?? {}
  expect(fix).toMatch(/^Make sure that no subdomain of acme\.test sends mail.* Then .*p=reject"/)
})

test('the score asks for the same before it proposes to reject', async () => {
  const { topFixes } = await scoreOf(`${SENDS_NO_MAIL}${policy('p=none')}`)
  const [fix] = topFixes.filter(({ record }) => record?.value.includes('p=reject'))
  expect(fix?.action).toContain('Only if: No subdomain of acme.test sends mail.')
})

test('that a domain sends no mail says nothing about its subdomains', async () => {
  const { ownMail } = await checkOf(`${SENDS_NO_MAIL}${policy('p=reject')}`)
  expect(ownMail.status).toBe('pass')
  expect(ownMail.statement).toMatch(/^acme\.test itself sends no mail\..*subdomains/)
})

const UNSIGNED = `${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}`

test('mail that isn’t signed is better off under quarantine', async () => {
  const check = await checkOf(`${UNSIGNED}${policy('p=reject')}`)
  const { fix } = findingIn(check, 'dmarc.reject-without-dkim') ?? {}
  expect(fix).toContain('change "p=reject" to "p=quarantine"')
})

test('reject in test mode is no stricter than quarantine, so it stays', async () => {
  const check = await checkOf(`${UNSIGNED}${policy('p=reject; t=y')}`)
  expect(findingIn(check, 'dmarc.reject-without-dkim')).toBeUndefined()
  expect(findingIn(check, 'dmarc.testing')?.fix).toContain('pass with DKIM')
})

test('no one weakens the policy of a registry because of one domain', async () => {
  const zone = `_dmarc.test. TXT "v=DMARC1; p=reject; psd=y; rua=mailto:d@registry.example"`
  const check = await checkOf(`${UNSIGNED}${zone}`)
  const { fix = '' } = findingIn(check, 'dmarc.reject-without-dkim') ?? {}
  expect(fix).toMatch(/^Set up DKIM for acme\.test .* Leave the record at _dmarc\.test as it is/)
})

test.each([
  ['p=reject', 'is rejected'],
  ['p=quarantine', 'goes to spam'],
])('under %s, mail of a sender without a key %s', async (tags, fate) => {
  const check = await checkOf(movedToMicrosoft(tags))
  const { title, detail } = findingIn(check, 'dkim.sender-unsigned') ?? {}
  expect(title).toBe(`Mail from Microsoft 365 / Exchange Online ${fate} today`)
  const all = [check.summary, check.ownMail.statement, title, detail].join(' ')
  expect(all).toContain(fate)
  expect(all).not.toContain(fate === 'is rejected' ? 'to spam' : 'reject')
})

const MAILCHIMP_KEYS = ['k2', 'k3']
  .map((selector) => signedCname(selector, `dkim${selector.slice(1)}.mcsv.net`))
  .join('\n')

test('a service whose key is there isn’t set up a second time', async () => {
  const spf = spfLine('include:_spf.google.com include:servers.mcsv.net ~all')
  const zone = `${ON_GOOGLE}${GOOGLE_KEY}${MAILCHIMP}${spf}`
  const unsigned = findingIn(await checkOf(zone), 'spf.unaligned-include')
  expect(unsigned?.fix).toMatch(/^Set up DKIM for acme\.test at Mailchimp\. Send yourself/)
  const signed = findingIn(await checkOf(`${zone}${MAILCHIMP_KEYS}`), 'spf.unaligned-include')
  expect(signed?.fix).toBe(
    'Send yourself a message from Mailchimp, and make sure that DKIM passes for acme.test. Only then remove include:servers.mcsv.net from the SPF record at acme.test.',
  )
})

test('of two services, only the one without a key has to set up DKIM', async () => {
  const terms = 'include:_spf.google.com include:servers.mcsv.net include:sendgrid.net ~all'
  const check = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${MAILCHIMP}${SENDGRID}${MAILCHIMP_KEYS}
    ${spfLine(terms)}`)
  const { title, fix = '' } = findingIn(check, 'spf.unaligned-include') ?? {}
  expect(title).toContain('include:servers.mcsv.net and include:sendgrid.net')
  expect(fix).toContain('Set up DKIM for acme.test at Twilio SendGrid. ')
  expect(fix).toContain('Only then remove include:servers.mcsv.net and include:sendgrid.net from')
})

test('a selector that can’t be guessed is no reason to set up DKIM', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}${SES}
    ${signedCname('ab3kq7yzl5xw2m', 'ab3kq7yzl5xw2m.dkim.amazonses.com')}
    ${spfLine('include:amazonses.com ~all')}`)
  expect(findingIn(check, 'spf.unaligned-include')?.fix).toMatch(/^Send yourself a message/)
})

test.each([
  ['a missing policy beside a missing key', UNSIGNED],
  ['a policy for half of the mail', `${UNSIGNED}${GOOGLE_KEY}${policy('p=quarantine; pct=50')}`],
  ['quarantine alone', `${UNSIGNED}${GOOGLE_KEY}${policy('p=quarantine')}`],
  ['lost mail', movedToMicrosoft('p=reject')],
])('check and score name the same fix first: %s', async (_, zone) => {
  const [check, score] = await Promise.all([checkOf(zone), scoreOf(zone)])
  const first = ({ summary }: { summary: string }) => /Fix first: [^.]*/.exec(summary)?.[0] ?? null
  expect(first(score)).toBe(first(check))
})

test('no summary asks first for what needs no action', async () => {
  const zone = `${UNSIGNED}${GOOGLE_KEY}${policy('p=quarantine')}`
  const [check, score] = await Promise.all([checkOf(zone), scoreOf(zone)])
  expect(check.summary).toContain('Nothing to fix.')
  expect(score.summary).toContain('See the findings for what else you can improve.')
})

const OPEN = `${ON_GOOGLE}${spfLine('include:_spf.google.com +all')}`

test('an open SPF record is closed in the order of the plan: what is unsigned signs first', async () => {
  const zone = `${OPEN}${policy('p=reject')}`
  const [check, score, plan] = await Promise.all([checkOf(zone), scoreOf(zone), planOf(zone)])
  const advice =
    'Fix first: Anyone can send as your domain because of the SPF record. Before you close it, have your mail signed with DKIM.'
  expect(check.summary).toContain(advice)
  expect(score.summary).toContain(advice)
  expect(plan.steps.find(({ records }) => records.length > 0)?.title).toContain('sign your mail')
})

test.each([
  ['a key', `${OPEN}${GOOGLE_KEY}${policy('p=reject')}`],
  ['no policy that loses mail', `${OPEN}${policy('p=none')}`],
])('with %s, nothing has to come before an open SPF record', async (_, zone) => {
  const [check, plan] = await Promise.all([checkOf(zone), planOf(zone)])
  expect(check.summary).not.toContain('Before you close it')
  const spf = plan.steps.findIndex(({ title }) => title === 'Correct the SPF record')
  expect(plan.steps.slice(0, spf).filter(({ records }) => records.length > 0)).toEqual([])
})
