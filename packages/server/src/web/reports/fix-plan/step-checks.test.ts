import type { FixPlan, PlanRecord } from '@mailgrade/core'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { BUSY_ZONE } from '@mailgrade/testing/plan-zones'
import { expect, test } from 'vitest'
import { planDemoDomain, planZone } from '../../../../test/support/plan-fixtures.js'
import { checkPagePath, stepChecks } from './step-checks.js'

function checksOfStep({ steps, records }: FixPlan, order: number) {
  const step = steps.find((each) => each.order === order)
  if (!step) throw new Error(`no step ${order}`)
  return stepChecks(
    step,
    records.filter((record) => step.records.includes(record.order)),
  )
}

test('compares each record with its own check, below the path of the service', async () => {
  const plan = await planZone(BUSY_ZONE)
  const check = { isDeleted: false, replaces: [], ttl: 3600 }
  const expected = [
    [
      1,
      'mx?domain=acme.test',
      { name: 'acme.test', purpose: 'mx', type: 'MX', value: '5 dead.acme.test', isDeleted: true },
    ],
    [
      3,
      'dkim?domain=acme.test&selector=google2',
      { name: 'google2._domainkey.acme.test', purpose: 'dkim', type: 'TXT', value: null },
    ],
    [
      6,
      'dmarc?domain=acme.test',
      {
        name: '_dmarc.acme.test',
        purpose: 'dmarc',
        type: 'TXT',
        value: 'v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
        replaces: ['v=DMARC1; p=none'],
      },
    ],
    [
      8,
      'dkim?domain=acme.test&selector=google',
      {
        name: 'google._domainkey.acme.test',
        purpose: 'dkim',
        type: 'TXT',
        value: `v=DKIM1; k=rsa; p=${SPKI[1024]}`,
        isDeleted: true,
      },
    ],
    [
      10,
      'check?domain=acme.test',
      {
        name: '_smtp._tls.acme.test',
        purpose: 'tls-rpt',
        type: 'TXT',
        value: 'v=TLSRPTv1; rua=mailto:dmarc@acme.test',
      },
    ],
  ] as const
  for (const [order, query, record] of expected) {
    expect(checksOfStep(plan, order), `step ${order}`).toEqual({
      checks: [{ ...check, ...record, url: `/mail/v1/${query}` }],
      unchecked: [],
    })
  }
})

test('checks every key of a step, and names what cannot be checked', async () => {
  const checks = checksOfStep(await planDemoDomain('lookups.test'), 3)
  expect(checks?.checks.map(({ url, value }) => [url, value])).toEqual([
    ['/mail/v1/dkim?domain=lookups.test&selector=s1', null],
    ['/mail/v1/dkim?domain=lookups.test&selector=s2', null],
  ])
  expect(checks?.unchecked).toEqual(['em{sendgrid-number}.lookups.test'])
})

test('has no check for keys whose selectors are not known', async () => {
  expect(checksOfStep(await planDemoDomain('lookups.test'), 11)).toBeNull()
})

test.each([
  ['without records', 4],
  ['whose record is in the wrong place', 7],
  ['for reports', 9],
])('has no check for a step %s', async (_, order) => {
  expect(checksOfStep(await planZone(BUSY_ZONE), order)).toBeNull()
})

test.each<[string, Partial<PlanRecord>]>([
  ['a CNAME that may lead nowhere', { purpose: 'dkim', type: 'CNAME', value: 'x.test' }],
  ['a key without p=', { purpose: 'dkim', value: 'v=DKIM1; k=rsa' }],
  ['an SPF record that is none', { purpose: 'spf', value: 'spf1 -all' }],
  ['a DMARC record that is none', { purpose: 'dmarc', value: 'DMARC1; p=none' }],
])('cannot see whether %s is deleted', async (_, record) => {
  const { steps, records } = await planZone(BUSY_ZONE)
  const names = { dkim: 's._domainkey.acme.test', spf: 'acme.test', dmarc: '_dmarc.acme.test' }
  const name = names[record.purpose as keyof typeof names]
  const [step, base] = [steps[0], records[0]]
  if (!step || !base) throw new Error('no step')
  const deleted = { ...base, type: 'TXT' as const, name, ...record }
  expect(deleted.action).toBe('delete')
  expect(stepChecks(step, [deleted])).toBeNull()
  expect(stepChecks(step, [{ ...deleted, action: 'create' }])?.checks).toHaveLength(1)
})

test('does not compare text that the page shows with marks', async () => {
  const { steps, records } = await planDemoDomain('nothing.test')
  const [step, record] = [steps[0], records[0]]
  if (!step || !record) throw new Error('no step')
  expect(stepChecks(step, [{ ...record, value: 'v=spf1 ⟨U+200B⟩ -all' }])).toBeNull()
})

test('links to the page of the same check', () => {
  const url = 'https://mailgrade.example/mail/v1/dkim?domain=acme.test&selector=k2'
  expect(checkPagePath(url)).toBe('/mail/?domain=acme.test&selector=k2')
})

test('keeps www. in a check', () => {
  const url = 'https://mailgrade.example/v1/spf?domain=www.acme.test'
  expect(checkPagePath(url)).toBe('/?domain=www.acme.test&exact=true')
})
