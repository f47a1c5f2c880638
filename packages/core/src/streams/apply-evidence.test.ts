/** Stories of owners who bring their reports, or a message. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { planOf } from '../../test/support/expert.js'
import { GOOGLE_DONE, policy } from '../../test/support/expert-zones.js'
import type { DomainName } from '../names/domain-name.js'
import { createPlanContext } from '../reports/fix-plan/plan-context.js'
import type { StreamEvidence } from './stream-evidence.js'

const SES = `acme.test. TXT "amazonses:0123456789="
  amazonses.com. TXT "v=spf1 ip4:199.255.192.0/22 -all"`

const seen = (given: Partial<StreamEvidence>): StreamEvidence => ({
  from: 'reports',
  kind: 'service',
  certainty: 'certain',
  serviceId: 'ses',
  name: 'Amazon SES',
  addresses: ['199.255.192.10'],
  at: 'acme.test',
  messages: 400,
  spfAligned: 0,
  dkimAligned: 0,
  months: ['2026-10', '2026-11'],
  keys: [],
  envelopeDomains: ['amazonses.com'],
  lastSeen: '2026-11-15T00:00:00Z',
  ...given,
})

async function streamsOf(tags: string, ...evidence: StreamEvidence[]) {
  const dns = zoneDns(`${GOOGLE_DONE}${policy(tags)}\n${SES}`)
  const random = () => ({ randomLabel: () => 'made-up' })
  const created = await createPlanContext(dns, 'acme.test' as DomainName, random, { evidence })
  if (created.kind !== 'report') throw new Error(`no context but ${created.kind}`)
  return created.report.streams
}

const streamOf = async (id: string, tags: string, ...evidence: StreamEvidence[]) =>
  (await streamsOf(tags, ...evidence)).find((stream) => stream.id === id)

test('an ownership token makes a service possible, and reports make it certain', async () => {
  expect(await streamOf('ses', 'p=quarantine')).toMatchObject({
    certainty: 'possible',
    dkim: 'unknown',
    outcome: 'unknown',
  })
  const signed = seen({ dkimAligned: 380 })
  expect(await streamOf('ses', 'p=quarantine', signed)).toMatchObject({
    certainty: 'certain',
    dkim: 'aligned',
    outcome: 'pass',
    evidence: ['TXT amazonses:0123456789=', 'DMARC reports: 400 messages'],
  })
})

test('hundreds of messages without a signature prove that nothing signs', async () => {
  expect(await streamOf('ses', 'p=quarantine', seen({}))).toMatchObject({
    dkim: 'none',
    outcome: 'quarantined',
  })
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=reject')}\n${SES}`, {
    options: { evidence: [seen({})] },
  })
  expect(plan.summary).toContain('Mail from Amazon SES is rejected today.')
})

test('a few messages prove nothing about the rest', async () => {
  expect(await streamOf('ses', 'p=reject', seen({ messages: 3 }))).toMatchObject({
    dkim: 'unknown',
    outcome: 'unknown',
  })
})

test('a key that DNS shows counts, whatever the reports saw before', async () => {
  const google = seen({ serviceId: 'google', name: 'Google Workspace' })
  expect(await streamOf('google', 'p=reject', google)).toMatchObject({
    dkim: 'aligned',
    outcome: 'pass',
  })
})

test('a sender that no record shows is a stream of its own', async () => {
  const payroll = seen({
    kind: 'own',
    serviceId: null,
    name: 'acme.test',
    messages: 60,
    spfAligned: 60,
  })
  expect(await streamOf('acme.test', 'p=reject', payroll)).toMatchObject({
    kind: 'own-server',
    certainty: 'certain',
    spf: 'aligned',
    dkim: 'none',
    outcome: 'pass',
  })
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=quarantine')}`, {
    options: { evidence: [payroll] },
  })
  expect(plan.rollout).toEqual([])
  expect(plan.warnings.map(({ id }) => id)).toContain('plan.reject-not-reached')
  const elsewhere = seen({ at: 'other.test' })
  expect((await streamsOf('p=reject', elsewhere)).map(({ id }) => id)).toEqual(['google', 'ses'])
})
