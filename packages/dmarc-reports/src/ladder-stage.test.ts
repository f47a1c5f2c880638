import type { DomainName } from '@mailgrade/core'
import { planDomain } from '@mailgrade/core/planning'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import type { PublishedPolicy } from './aggregate-report.js'
import { nextStageOf } from './ladder-stage.js'

const REPORTED: PublishedPolicy = {
  domain: 'acme.test',
  p: 'none',
  sp: null,
  np: null,
  adkim: 'r',
  aspf: 'r',
  pct: null,
  testing: null,
  discoveryMethod: null,
}

/** The tags of the plan's second stage; its first is today's policy. */
async function plannedTags(record: string): Promise<string | undefined> {
  const dns = zoneDns(`
    acme.test. MX 10 aspmx.l.google.com.
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 ~all"
    _dmarc.acme.test. TXT "v=DMARC1; ${record}"`)
  let labels = 0
  const options = { now: new Date('2026-11-16T12:00:00Z'), uses: ['google'] }
  const planned = await planDomain(
    dns,
    'acme.test' as DomainName,
    { randomLabel: () => `made-up-${++labels}` },
    options,
  )
  if (planned.kind !== 'report') throw new Error(planned.kind)
  const { value = '' } = planned.report.rollout[1]?.record ?? {}
  return /\bp=.*?(?=; rua=|$)/.exec(value)?.[0]
}

test.each<[string, Partial<PublishedPolicy>]>([
  ['p=none', {}],
  ['p=quarantine; t=y; pct=0', { p: 'quarantine', sp: 'quarantine', testing: true }],
  ['p=quarantine; t=y; pct=0', { p: 'quarantine', sp: 'quarantine', pct: 0 }],
  ['p=quarantine', { p: 'quarantine', sp: 'quarantine' }],
  ['p=quarantine; pct=20', { p: 'quarantine', sp: 'quarantine', pct: 20 }],
  ['p=reject; t=y; pct=0', { p: 'reject', sp: 'reject', testing: true }],
  ['p=reject; pct=50', { p: 'reject', sp: 'reject', pct: 50 }],
])('after %s, reports and plan name the same stage', async (record, reported) => {
  const planned = await plannedTags(record)
  expect(planned).toMatch(/^p=/)
  expect(nextStageOf({ ...REPORTED, ...reported })?.tags).toBe(planned)
})
