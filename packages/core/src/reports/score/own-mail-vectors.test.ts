import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../test/support/dkim-fixture.js'
import { planOf, scoreOf } from '../../../test/support/expert.js'
import {
  GOOGLE_DONE,
  GOOGLE_KEY,
  halfAtMicrosoft,
  MICROSOFT_KEYS,
  movedToMicrosoft,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  FASTMAIL,
  GOOGLE,
  MAILCHIMP,
  ON_GOOGLE,
} from '../../../test/support/service-zones.js'
import { VENDOR_A } from '../../../test/support/situation-zones.js'

const points = async (zone: string) => {
  const { score, grade } = await scoreOf(zone)
  return `${score} ${grade}`
}

describe('vectors', () => {
  test('mailboxes moved to Microsoft under reject, SPF and key of Google: 68 D', async () => {
    expect(await points(movedToMicrosoft('p=reject'))).toBe('68 D')
  })

  test('Google and Microsoft under reject, SPF and key of Google: 68 D', async () => {
    expect(await points(halfAtMicrosoft('p=reject'))).toBe('68 D')
  })

  test('the same in monitoring mode, where nothing is lost yet: 52 F', async () => {
    expect(await points(halfAtMicrosoft('p=none', '-all'))).toBe('52 F')
  })

  test('mailboxes moved to Microsoft under quarantine: 62 D', async () => {
    expect(await points(movedToMicrosoft('p=quarantine'))).toBe('62 D')
  })
})

test('the deduction for lost mail names its finding and is worth 20', async () => {
  const { components, findings } = await scoreOf(movedToMicrosoft('p=reject'))
  expect(components.dkim.deductions).toContainEqual({ id: 'dkim.sender-unsigned', points: 20 })
  // It stands in for the smaller one.
  expect(components.dkim.deductions.map(({ id }) => id)).toEqual(['dkim.sender-unsigned'])
  expect(components.spf.deductions).toEqual([{ id: 'spf.mailbox-provider-missing', points: 12 }])
  const finding = findings.find(({ id }) => id === 'dkim.sender-unsigned')
  expect(['critical', 'high']).toContain(finding?.severity)
})

test('mail at risk under p=none costs the small deduction only', async () => {
  const { components } = await scoreOf(movedToMicrosoft('p=none'))
  const ids = components.dkim.deductions.map(({ id }) => id)
  expect(ids).toEqual(['dkim.mailbox-provider-key-not-found'])
})

test('the sentence about the score begins with the lost mail', async () => {
  const { summary } = await scoreOf(movedToMicrosoft('p=reject'))
  expect(summary).toContain('Microsoft')
})

test('a domain that loses its newsletter never gets more than a C', async () => {
  const report = await scoreOf(`${ON_GOOGLE}${MAILCHIMP}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com include:servers.mcsv.net ~all')}`)
  expect(report.score).toBeLessThan(80)
  expect(report.components.dkim.deductions.map(({ id }) => id)).toContain('dkim.sender-unsigned')
})

test('a domain whose mailboxes at Fastmail go to spam never gets more than a C', async () => {
  const report = await scoreOf(`${AT_CLOUDFLARE}${FASTMAIL}${keyZoneLine('default')}
    acme.test. MX 10 in1-smtp.messagingengine.com.
    ${spfLine('ip4:192.0.2.25 -all')}${policy('p=quarantine')}`)
  expect(report.score).toBeLessThan(80)
  expect(report.components.dkim.deductions.map(({ id }) => id)).toContain('dkim.sender-unsigned')
})

test('a leftover key of the former provider earns what no key earns', async () => {
  const zone = `${ON_MICROSOFT}${GOOGLE}${policy('p=reject')}${spfLine('include:_spf.google.com -all')}`
  const [bare, leftover] = await Promise.all([scoreOf(zone), scoreOf(`${zone}${GOOGLE_KEY}`)])
  expect(leftover.score).toBeLessThanOrEqual(79)
  expect(leftover.grade).not.toBe('B')
  expect(bare.score).toBeLessThanOrEqual(leftover.score)
})

test('two mailbox providers that both pass keep the full score', async () => {
  const zone = `${ON_GOOGLE}${ON_MICROSOFT}${MICROSOFT_KEYS}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com include:spf.protection.outlook.com ~all')}`
  expect(await points(zone)).toBe('100 A')
})

test('the first fix of lost mail is the one that saves it', async () => {
  const { topFixes } = await scoreOf(movedToMicrosoft('p=reject'))
  expect(topFixes[0]?.record?.value).toContain('include:spf.protection.outlook.com')
  // The former provider isn't dropped before the owner has said so.
  expect(topFixes[0]?.record?.value).toContain('include:_spf.google.com')
  expect(topFixes[0]?.pointsGained).toBeGreaterThan(0)
})

test('the fixes of the score are steps of the plan, in its order', async () => {
  const zone = halfAtMicrosoft('p=reject')
  const [{ topFixes }, plan] = await Promise.all([scoreOf(zone), planOf(zone)])
  const planned = plan.records.map(({ name, value }) => `${name} ${value}`)
  for (const { record } of topFixes) {
    if (record) expect(planned).toContain(`${record.name} ${record.value}`)
  }
  expect(topFixes.length).toBeGreaterThan(0)
})

test('reject for none of the mail is no better than quarantine', async () => {
  const { spoofable } = await scoreOf(`${GOOGLE_DONE}${policy('p=reject; pct=0')}`)
  expect(spoofable).toBe('partly')
})

test('an exists term that any address satisfies leaves a gap', async () => {
  const { spoofable, findings } = await scoreOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com exists:%{l}.users.acme.test -all')}
    ann.users.acme.test. A 127.0.0.2`)
  // RFC 7208 §7.2: %{l} is the local part of the sender, which the sender chooses.
  expect(spoofable).not.toBe('no')
  const severe = findings.filter(({ severity }) => severity !== 'info' && severity !== 'low')
  expect(severe.flatMap(({ evidence }) => evidence.map(({ value }) => value)).join()).toContain(
    '%{l}',
  )
})

test('an exists term bound to the address of the server is no gap', async () => {
  const { spoofable, findings } = await scoreOf(`${ON_GOOGLE}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com exists:%{ir}.%{l}.users.acme.test -all')}`)
  expect(spoofable).toBe('no')
  expect(findings.filter(({ severity }) => /critical|high|medium/.test(severity))).toEqual([])
})

test('a third party’s broken DNS costs no points and widens the range', async () => {
  const zone = `${ON_GOOGLE}${GOOGLE_KEY}${VENDOR_A}${policy('p=reject')}
    ${spfLine('include:_spf.google.com include:spf.vendor-a.test ~all')}`
  const failing = { 'TXT spf.vendor-a.test': 'servfail' } as const
  const { score, range, components } = await scoreOf(zone, { failing })
  expect(score).toBe(100)
  expect(components.spf.deductions).toEqual([])
  expect(range.min).toBeLessThan(100)
  expect(range.max).toBe(100)
})

test('empty lookups over IPv6 are never the first thing to fix', async () => {
  const v4Only = [1, 2, 3].map((n) => `relay${n}.acme.test. A 192.0.2.${n}`).join('\n')
  const { topFixes } = await scoreOf(`${ON_GOOGLE}${policy('p=none')}
    ${spfLine('include:_spf.google.com a:relay1.acme.test a:relay2.acme.test a:relay3.acme.test -all')}
    ${txtZoneLine('google._domainkey.acme.test', GOOD_KEY_RECORD)}
    ${v4Only}`)
  expect(topFixes[0]?.id).not.toBe('spf.void-lookups-one-family')
})

test('a short key behind the provider’s CNAME has a fix, and it isn’t a record', async () => {
  const target = 'selector1-acme-test._domainkey.acme.onmicrosoft.com'
  const { topFixes } = await scoreOf(`${ON_MICROSOFT}${policy('p=reject')}
    ${spfLine('include:spf.protection.outlook.com -all')}
    selector1._domainkey.acme.test. CNAME ${target}.
    ${txtZoneLine(target, `v=DKIM1; k=rsa; p=${SPKI[1024]}`)}`)
  const fix = topFixes.find(({ id }) => id === 'dkim.short-key')
  expect(fix).toMatchObject({ component: 'dkim', record: null, pointsGained: 6 })
  expect(fix?.action).toContain('-KeySize 2048')
})
