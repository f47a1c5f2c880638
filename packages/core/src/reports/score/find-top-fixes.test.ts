import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { keyZoneLine, txtZoneLine } from '../../../test/support/dkim-fixture.js'
import { planFromZone } from '../../../test/support/plan-fixture.js'
import {
  fullScoreZone,
  runScore,
  scoreFromZone,
  withDmarc,
  withSpf,
} from '../../../test/support/score-fixture.js'
import { ON_GOOGLE } from '../../../test/support/service-zones.js'

const listed = async (changes: Parameters<typeof fullScoreZone>[0]) => {
  const { topFixes } = await scoreFromZone(fullScoreZone(changes))
  return topFixes.map(({ id, pointsGained }) => `${id} ${pointsGained}`)
}

describe('top fixes', () => {
  test('are empty if no points are lost', async () => {
    expect(await listed({})).toEqual([])
  })

  test('have the order of the plan, not that of the points', async () => {
    const changes = { ...withSpf('v=spf1 ip4:192.0.2.1 ?all'), ...withDmarc('p=none') }
    expect(await listed(changes)).toEqual(['spf.neutral-all 12', 'dmarc.policy-none 28'])
  })

  test('put SPF and DKIM before the policy, as the plan does', async () => {
    const { topFixes } = await scoreFromZone(ON_GOOGLE)
    const { records } = await planFromZone(ON_GOOGLE)
    const planned = records
      .filter(({ action, optional }) => action !== 'keep' && !optional)
      .map(({ purpose }) => purpose)
    expect(planned).toEqual(['spf', 'dkim', 'dmarc'])
    expect(topFixes.map(({ component }) => component)).toEqual(planned)
  })

  test('are at most three', async () => {
    const worst = {
      ...withSpf('v=spf1 ip4:192.0.2.1 ptr ?all'),
      dkim: keyZoneLine('default', `v=DKIM1; p=${SPKI[1024]}`),
      dmarc: '',
      mx: 'acme.test. MX 10 gone.acme.test.\nacme.test. MX 20 mx.acme.test.\nmx.acme.test. A 192.0.2.1',
    }
    expect(await listed(worst)).toHaveLength(3)
  })

  test('publish records of the plan', async () => {
    const zone = fullScoreZone({ ...withSpf('v=spf1 ip4:192.0.2.1 ?all'), ...withDmarc('p=none') })
    const { topFixes } = await scoreFromZone(zone)
    const plan = await planFromZone(zone)
    const planned = [...plan.records, ...plan.rollout.map(({ record }) => record)].map(
      ({ type, name, value }) => ({ type, name, value }),
    )
    for (const { record } of topFixes) expect(planned).toContainEqual(record)
  })

  test('say what a record replaces, because a second one would break both', async () => {
    const changes = { ...withSpf('v=spf1 mx -all', 'v=spf1 ip4:192.0.2.9 -all') }
    const { topFixes } = await scoreFromZone(fullScoreZone(changes))
    expect(topFixes[0]?.action).toContain(
      'Replace the TXT record at acme.test ("v=spf1 mx -all" and "v=spf1 ip4:192.0.2.9 -all") with: "v=spf1 ',
    )
  })

  test('go from none to quarantine, never straight to reject, with what must be true first', async () => {
    const { topFixes } = await scoreFromZone(fullScoreZone(withDmarc('p=none')))
    expect(topFixes).toMatchObject([
      {
        id: 'dmarc.policy-none',
        record: { value: 'v=DMARC1; p=quarantine; rua=mailto:d@acme.test' },
        action: expect.stringMatching(
          /^Only if: In the reports, you recognize every service that sends your mail\. .* with: "v=DMARC1; p=quarantine; /,
        ),
      },
    ])
  })

  test('say "Only if" once, however many conditions there are', async () => {
    const { topFixes } = await scoreFromZone('acme.test. A 203.0.113.1')
    expect(topFixes.map(({ action }) => action.replace(/ (?:Add|Replace) .*/, ''))).toEqual([
      'Only if: No web form, device, or service sends mail as acme.test. We found none in DNS, but only you know for sure.',
      'Only if: No web form, device, or service sends mail as acme.test. We found none in DNS, but only you know for sure. No subdomain of acme.test sends mail. The record covers subdomains, too.',
      'Only if: No web form, device, or service sends mail as acme.test. We found none in DNS, but only you know for sure. No one sends mail to addresses at acme.test. We found no mail server for it in DNS.',
    ])
  })

  test('say if a fix lifts more than its own component', async () => {
    const changes = { ...withSpf('v=spf1 ip4:192.0.2.1 ~all'), ...withDmarc('p=none') }
    const { topFixes } = await scoreFromZone(fullScoreZone(changes))
    expect(topFixes).toMatchObject([{ component: 'dmarc', pointsGained: 28 }])
    expect(topFixes[0]?.action).toMatch(/ You also gain 3 points in SPF\.$/)
  })

  test('have no record where a provider knows a part of it', async () => {
    const { topFixes } = await scoreFromZone(`
      acme.test. MX 0 acme-test.mail.protection.outlook.com.
      acme-test.mail.protection.outlook.com. A 192.0.2.9
      acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
      spf.protection.outlook.com. TXT "v=spf1 ip4:192.0.2.128/25 -all"
      ${txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject; rua=mailto:d@acme.test')}
    `)
    expect(topFixes).toMatchObject([{ id: 'dkim.missing', component: 'dkim', record: null }])
    expect(topFixes[0]?.action).toContain('selector1._domainkey.acme.test')
  })

  test('leave what could not be looked up as it is', async () => {
    const zone = fullScoreZone({
      spf: `${withSpf('v=spf1 include:s.test ?all').spf}\ns.test. TXT "v=spf1 ip4:192.0.2.1 -all"`,
    })
    const { checked } = await runScore(zone, { failing: { 'TXT s.test': 'servfail' } })
    expect(checked).toMatchObject({ kind: 'report', report: { score: 85 } })
    if (checked.kind !== 'report') throw new Error(checked.kind)
    expect(checked.report.topFixes.map(({ record }) => record?.value)).toEqual([
      'v=spf1 include:s.test ~all',
    ])
  })
})

describe('a secondary lookup that fails', () => {
  test.each([
    ['TXT s.test', 100, 75, 'spf.lookup-unavailable'],
    ['MX reports.example', 100, 96, 'dmarc.report-destination-unavailable'],
    ['A mx.acme.test', 100, 98, 'mx.host-unavailable'],
  ])('%s costs nothing and widens the range', async (failing, score, min, id) => {
    const zone = `${fullScoreZone({
      ...withSpf('v=spf1 include:s.test -all'),
      dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject; rua=mailto:d@reports.example'),
    })}
      s.test. TXT "v=spf1 ip4:192.0.2.1 -all"
      reports.example. MX 10 mx.acme.test.
      acme.test._report._dmarc.reports.example. TXT "v=DMARC1"`
    const { checked } = await runScore(zone, { failing: { [failing]: 'servfail' } })
    if (checked.kind !== 'report') throw new Error(checked.kind)
    expect([checked.report.score, checked.report.range]).toEqual([score, { min, max: score }])
    expect(checked.report.findings.map((finding) => finding.id)).toContain(id)
  })
})
