/** Owners who get a plan although someone else’s name servers don’t answer. */
import { expect, test } from 'vitest'
import { changesOf, planOf, scoreOf, spfAt } from '../../../../test/support/expert.js'
import {
  GOOGLE_DONE,
  GOOGLE_KEY,
  MICROSOFT_KEYS,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import { ON_GOOGLE } from '../../../../test/support/service-zones.js'
import { VENDOR_A, VENDOR_B } from '../../../../test/support/situation-zones.js'

const WITH_VENDOR = `${ON_GOOGLE}${GOOGLE_KEY}${VENDOR_A}
  ${spfLine('include:_spf.google.com include:spf.vendor-a.test ~all')}`
const VENDOR_FAILS = { failing: { 'TXT spf.vendor-a.test': 'servfail' } } as const

test('a third party’s include can’t be looked up: the plan comes and keeps it', async () => {
  const plan = await planOf(`${WITH_VENDOR}${policy('p=none')}`, VENDOR_FAILS)
  expect(spfAt(plan).value).toContain('include:spf.vendor-a.test')
  expect(plan.rollout.length).toBeGreaterThan(1)
  expect(plan.warnings.map(({ id }) => id)).toContain('spf.lookup-unavailable')
})

test('a third party’s include two levels down can’t be looked up: the plan comes too', async () => {
  const plan = await planOf(`${WITH_VENDOR}${policy('p=quarantine')}`, {
    failing: { 'TXT 2.vendor-a.test': 'servfail' },
  })
  expect(spfAt(plan).value).toContain('include:spf.vendor-a.test')
})

test('the record must be shortened while a part of it is unknown: the unknown part isn’t dropped', async () => {
  const plan = await planOf(
    `${ON_GOOGLE}${GOOGLE_KEY}${VENDOR_A}${VENDOR_B}${policy('p=none')}
    ${spfLine('include:_spf.google.com include:spf.vendor-a.test include:spf.vendor-b.test -all')}`,
    { failing: { 'TXT 3.vendor-b.test': 'servfail' } },
  )
  const { value } = spfAt(plan)
  expect(value).toContain('include:spf.vendor-b.test')
  expect(value).toContain('include:_spf.google.com')
})

test('the mailbox provider’s own include can’t be looked up: nothing is called missing', async () => {
  const plan = await planOf(
    `${ON_MICROSOFT}${MICROSOFT_KEYS}${policy('p=quarantine')}
    ${spfLine('include:spf.protection.outlook.com -all')}`,
    { failing: { 'TXT spf.protection.outlook.com': 'servfail' } },
  )
  expect(spfAt(plan)).toMatchObject({
    action: 'keep',
    value: 'v=spf1 include:spf.protection.outlook.com -all',
  })
  expect(plan.warnings.map(({ id }) => id)).not.toContain('plan.mailboxes-cannot-send')
})

const LAME = `${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}
  _domainkey.acme.test. NS ns1.dead.test.
`
const DEAD_KEYS = { deadBelow: '_domainkey.acme.test' }

test('_domainkey is delegated to servers that are gone: the score has a range and no verdict', async () => {
  const { range, components } = await scoreOf(`${LAME}${policy('p=reject')}`, DEAD_KEYS)
  expect(components.dkim.deductions.map(({ id }) => id)).not.toContain('dkim.missing')
  expect(range.max).toBeGreaterThan(range.min)
})

test('_domainkey is delegated to servers that are gone: the plan comes, and names the delegation', async () => {
  const plan = await planOf(`${LAME}${policy('p=none')}`, DEAD_KEYS)
  expect(JSON.stringify([plan.steps, plan.warnings])).toContain('_domainkey.acme.test')
  expect(plan.rollout.at(-1)?.record.value).not.toContain('p=reject')
})

test('a guess at a selector fails while Google’s key is found: nothing changes', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=reject')}`, {
    failing: { 'TXT k1._domainkey.acme.test': 'servfail' },
  })
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(plan.rollout).toEqual([])
})
