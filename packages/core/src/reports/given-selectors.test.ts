import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../test/support/dkim-fixture.js'
import { fullScoreZone } from '../../test/support/score-fixture.js'
import type { CheckResult } from '../checks/check-result.js'
import type { DomainName } from '../names/domain-name.js'
import { checkDomain } from './check/check-domain.js'
import { planDomain } from './fix-plan/plan-domain.js'
import { scoreDomain } from './score/score-domain.js'

/** The only key is at a selector that no one can guess. */
const ZONE = fullScoreZone({ dkim: keyZoneLine('mine-2019') })
const DOMAIN = 'acme.test' as DomainName
const RANDOM = { randomLabel: () => 'made-up' }
const NOW = new Date('2026-11-16T12:00:00Z')
const GIVEN = { selectors: ['mine-2019'] }

function reportOf<Report>(checked: CheckResult<Report>): Report {
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  return checked.report
}

test('checkDomain queries a given selector besides the usual ones', async () => {
  const without = reportOf(await checkDomain(zoneDns(ZONE), DOMAIN, RANDOM))
  expect(without.dkim).toMatchObject({ presence: 'unknown', keys: [] })
  const { dkim } = reportOf(await checkDomain(zoneDns(ZONE), DOMAIN, RANDOM, GIVEN))
  expect(dkim).toMatchObject({ presence: 'present', keys: [{ selector: 'mine-2019' }] })
  expect(dkim.selectorsTried).toContain('mine-2019')
  expect(new Set(dkim.selectorsTried)).toEqual(
    new Set(['mine-2019', ...without.dkim.selectorsTried]),
  )
})

test('a given selector that is also a usual one is queried once', async () => {
  const dns = zoneDns(ZONE)
  const selectors = ['google', 'fm1']
  await checkDomain(dns, DOMAIN, RANDOM, { selectors })
  for (const selector of selectors) {
    const name = `TXT ${selector}._domainkey.acme.test`
    expect(dns.queries.filter((query) => query === name)).toHaveLength(1)
  }
})

test('scoreDomain counts the key at a given selector', async () => {
  const score = async (options: typeof GIVEN | undefined) =>
    reportOf(await scoreDomain(zoneDns(ZONE), DOMAIN, RANDOM, options)).components.dkim.points
  expect(await score(undefined)).toBe(18)
  expect(await score(GIVEN)).toBe(25)
})

test('planDomain keeps the key at a given selector', async () => {
  const plan = reportOf(await planDomain(zoneDns(ZONE), DOMAIN, RANDOM, { ...GIVEN, now: NOW }))
  expect([plan.current.score, plan.projected.score]).toEqual([100, 100])
  expect(plan.records.filter(({ purpose }) => purpose === 'dkim')).toMatchObject([
    { action: 'keep', name: 'mine-2019._domainkey.acme.test' },
  ])
})
