/** Stories of owners who do exactly what a check or a score tells them to. */
import { expect, test } from 'vitest'
import { checkOf, type ExpertCheck, scoreOf } from '../../../test/support/expert.js'
import { movedToMicrosoft, policy, spfLine } from '../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE, ON_GOOGLE } from '../../../test/support/service-zones.js'

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
