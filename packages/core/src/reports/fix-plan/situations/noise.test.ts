/** Owners who have better things to do than what changes nothing. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import { changesOf, checkOf, planOf, stepsOf } from '../../../../test/support/expert.js'
import { GOOGLE_KEY, policy, spfLine } from '../../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE, ON_GOOGLE } from '../../../../test/support/service-zones.js'

test('g=* in a key means any local part and always has: no step', async () => {
  const plan = await planOf(`${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}
    ${keyZoneLine('google', `v=DKIM1; k=rsa; g=*; p=${SPKI[2048]}`)}${policy('p=reject')}`)
  expect(changesOf(plan, 'dkim')).toEqual([])
  expect(plan.steps.filter(({ optional }) => !optional)).toEqual([])
})

test('g=* beside a short key: only the length is worth a step', async () => {
  const plan = await planOf(`${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}
    ${keyZoneLine('google', `v=DKIM1; k=rsa; g=*; p=${SPKI[1024]}`)}${policy('p=reject')}`)
  const replaced = changesOf(plan, 'dkim').filter((line) => line.startsWith('replace'))
  expect(replaced).toEqual([])
})

test('a wildcard CNAME to a web host invents no selectors, not even the given one', async () => {
  const zone = `${ON_GOOGLE}${spfLine('include:_spf.google.com ~all')}${policy('p=none')}
    *.acme.test. CNAME sites.webhost.test.
    sites.webhost.test. A 203.0.113.80`
  const [check, plan] = await Promise.all([
    checkOf(zone),
    planOf(zone, { options: { selectors: ['acme2026'] } }),
  ])
  expect(check.dkim.issues.map(({ id }) => id)).not.toContain('dkim.dangling-cname')
  expect(plan.records.filter(({ action }) => action === 'delete')).toEqual([])
  expect(plan.warnings.map(({ id }) => id)).not.toContain('dkim.dangling-cname')
})

test('a wildcard CNAME below _domainkey that leads nowhere invents none either', async () => {
  const zone = `${ON_GOOGLE}${GOOGLE_KEY}${spfLine('include:_spf.google.com ~all')}
    ${policy('p=reject')}
    *._domainkey.acme.test. CNAME keys.webhost.test.
    www.webhost.test. A 203.0.113.80`
  const [check, plan] = await Promise.all([
    checkOf(zone),
    planOf(zone, { options: { selectors: ['acme2026'] } }),
  ])
  expect(check.dkim.keys.map(({ selector }) => selector)).toEqual(['google'])
  expect(check.dkim.issues.map(({ id }) => id)).not.toContain('dkim.dangling-cname')
  expect(plan.records.filter(({ action }) => action === 'delete')).toEqual([])
  expect(plan.warnings.map(({ id }) => id)).not.toContain('dkim.dangling-cname')
})

test('a CNAME of its own that leads nowhere is a finding even beside a wildcard', async () => {
  const { dkim } = await checkOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com ~all')}
    *._domainkey.acme.test. CNAME keys.webhost.test.
    s1._domainkey.acme.test. CNAME s1.old.vendor.test.
    www.vendor.test. A 203.0.113.80
    www.webhost.test. A 203.0.113.80`)
  expect(dkim.issues.map(({ id }) => id)).toContain('dkim.dangling-cname')
})

test('a wildcard CNAME to a name that doesn’t exist makes no sender below', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}
    acme.test. MX 0 .
    ${spfLine('-all')}${policy('p=reject')}
    *.acme.test. CNAME gone.webhost.test.`)
  expect(plan.rollout).toEqual([])
  expect(plan.senders).toEqual([])
  expect(stepsOf(plan, 'remove')).toEqual([])
})
