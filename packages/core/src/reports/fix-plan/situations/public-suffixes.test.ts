/** Owners of a name directly below a public suffix that has DMARC itself. */
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  dmarcAt,
  dmarcValues,
  type ExpertPlan,
  planOf,
  policiesIn,
} from '../../../../test/support/expert.js'
import { spfLine } from '../../../../test/support/expert-zones.js'
import { GOOGLE } from '../../../../test/support/service-zones.js'
import { dmarcTags } from '../../../../test/support/situation.js'

function atGoogle(domain: string): string {
  return `${GOOGLE}
    ${domain}. NS ns1.host.test.
    ${domain}. NS ns2.host.test.
    ${domain}. MX 1 smtp.google.com.
    ${spfLine('include:_spf.google.com ~all', domain)}
    ${txtZoneLine(`google._domainkey.${domain}`, GOOD_KEY_RECORD)}`
}

function dmarc(name: string, tags: string): string {
  return txtZoneLine(`_dmarc.${name}`, `v=DMARC1; ${tags}`)
}

/** Nothing may be published, changed or deleted outside the owner's own domain. */
function expectOnlyOwnNames({ records, rollout, exports, domain }: ExpertPlan, suffix: string) {
  const changed = records.filter(({ action }) => action !== 'keep').map(({ name }) => name)
  const staged = rollout.map(({ record }) => record.name)
  for (const name of [...changed, ...staged]) {
    expect(name === domain || name.endsWith(`.${domain}`), name).toBe(true)
  }
  expect(exports.zoneFile).not.toMatch(new RegExp(`(?:^|\\s)_dmarc\\.${suffix}\\.?\\s`))
}

const GOV = dmarc('gov.uk', 'p=reject; np=reject; rua=mailto:d@reports.gov.uk')

test('a council with its own record says psd=n, so that gov.uk isn’t its organization', async () => {
  // RFC 9989 §4.7 and §4.10: psd=n ends the tree walk at the council's own name.
  const plan = await planOf(
    `${GOV}${atGoogle('anytown.gov.uk')}
    ${dmarc('anytown.gov.uk', 'p=none; rua=mailto:d@anytown.gov.uk')}`,
    { domain: 'anytown.gov.uk' },
  )
  expectOnlyOwnNames(plan, 'gov.uk')
  for (const value of dmarcValues(plan)) expect(dmarcTags(value).psd, value).toBe('n')
  expect(plan.rollout.length).toBeGreaterThan(1)
})

test('a council under reject needs psd=n too, and its policy stays', async () => {
  const plan = await planOf(
    `${GOV}${atGoogle('anytown.gov.uk')}
    ${dmarc('anytown.gov.uk', 'p=reject; rua=mailto:d@anytown.gov.uk')}`,
    { domain: 'anytown.gov.uk' },
  )
  expectOnlyOwnNames(plan, 'gov.uk')
  expect(dmarcTags(dmarcAt(plan).value)).toMatchObject({ p: 'reject', psd: 'n' })
  expect(plan.rollout).toEqual([])
})

test('a council without a record gets its own, with psd=n and in stages', async () => {
  const plan = await planOf(`${GOV}${atGoogle('anytown.gov.uk')}`, { domain: 'anytown.gov.uk' })
  expectOnlyOwnNames(plan, 'gov.uk')
  const own = dmarcAt(plan)
  expect(own).toMatchObject({ action: 'create', name: '_dmarc.anytown.gov.uk' })
  expect(dmarcTags(own.value).psd).toBe('n')
  // Receivers of RFC 7489 know no policy for it today.
  expect(plan.rollout.length).toBeGreaterThan(1)
})

test('a school district below a state’s suffix publishes at its own name', async () => {
  const plan = await planOf(
    `${dmarc('k12.ca.us', 'p=quarantine; rua=mailto:d@k12.ca.us')}${atGoogle('riverside.k12.ca.us')}
    ${dmarc('riverside.k12.ca.us', 'p=none; rua=mailto:d@riverside.k12.ca.us')}`,
    { domain: 'riverside.k12.ca.us' },
  )
  expectOnlyOwnNames(plan, 'k12.ca.us')
  for (const value of dmarcValues(plan)) expect(dmarcTags(value).psd, value).toBe('n')
})

test('an office below a council never gets a record of gov.uk to change', async () => {
  const plan = await planOf(`${GOV}${atGoogle('planning.anytown.gov.uk')}`, {
    domain: 'planning.anytown.gov.uk',
  })
  const changed = plan.records.filter(({ action }) => action !== 'keep').map(({ name }) => name)
  const staged = plan.rollout.map(({ record }) => record.name)
  expect([...changed, ...staged]).not.toContain('_dmarc.gov.uk')
})

test('a ministry that already says psd=n has nothing to add', async () => {
  const plan = await planOf(
    `${dmarc('gov.za', 'p=none; rua=mailto:d@gov.za')}${atGoogle('roads.gov.za')}
    ${dmarc('roads.gov.za', 'p=reject; psd=n; rua=mailto:d@roads.gov.za')}`,
    { domain: 'roads.gov.za' },
  )
  expect(dmarcAt(plan)).toMatchObject({ action: 'keep' })
  expect(plan.rollout).toEqual([])
})

test('a ministry below a suffix without DMARC needs no psd tag', async () => {
  const plan = await planOf(
    `${atGoogle('roads.gov.za')}
    ${dmarc('roads.gov.za', 'p=reject; rua=mailto:d@roads.gov.za')}`,
    { domain: 'roads.gov.za' },
  )
  expect(dmarcAt(plan)).toMatchObject({ action: 'keep' })
})

const BANK = dmarc('bank', 'p=reject; psd=y; rua=mailto:d@reports.bank')

test('a new bank keeps its registry’s reject, and starts milder for older receivers', async () => {
  const plan = await planOf(`${BANK}${atGoogle('newtown.bank')}`, { domain: 'newtown.bank' })
  expectOnlyOwnNames(plan, 'bank')
  const own = dmarcAt(plan)
  expect(own.action).toBe('create')
  // RFC 9989 receivers reject already and read no pct; those of RFC 7489 §6.6.4 only quarantine.
  expect(dmarcTags(own.value)).toMatchObject({ p: 'reject', pct: '0' })
  expect(plan.rollout.map(({ record }) => record.value)).toEqual([
    own.value,
    own.value.replace('; pct=0', ''),
  ])
  expect(plan.rollout[0]?.proceedWhen.join()).toContain('passes DMARC with DKIM')
})

test('a bank’s own record needs no psd tag: psd=y above already ends the walk', async () => {
  const plan = await planOf(
    `${BANK}${atGoogle('newtown.bank')}
    ${dmarc('newtown.bank', 'p=reject; rua=mailto:d@newtown.bank')}`,
    { domain: 'newtown.bank' },
  )
  expect(dmarcAt(plan)).toMatchObject({ action: 'keep' })
  expect(plan.rollout).toEqual([])
})

test('a bank’s name that declares no mail is locked at once', async () => {
  const plan = await planOf(
    `${BANK}
    parked.bank. NS ns1.host.test.
    parked.bank. MX 0 .
    ${spfLine('-all', 'parked.bank')}`,
    { domain: 'parked.bank' },
  )
  expect(policiesIn(dmarcAt(plan).value).domain).toBe('reject')
  expect(plan.rollout).toEqual([])
})
