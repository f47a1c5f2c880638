/** Stories of owners who do exactly what a check or a score tells them to. */
import { expect, test } from 'vitest'
import { checkOf, type ExpertCheck, scoreOf } from '../../../test/support/expert.js'
import { policy, spfLine } from '../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE } from '../../../test/support/service-zones.js'

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
