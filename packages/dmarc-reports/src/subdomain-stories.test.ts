/** Mail from names below the domain, judged by the policy that governs it. */
import type { RecordValues } from '@mailgrade/testing/build-aggregate-report'
import { describe, expect, test } from 'vitest'
import { criterionOf, fails, pass, sourceOf, tell } from '../test/tell-story.js'

const newsletter: RecordValues = {
  ...fails,
  count: 30,
  headerFrom: 'news.example.com',
  dkimResults: [pass('mcsv.net', 'k2')],
  spfResults: [pass('mail1.mcsv.net')],
}

const signed: RecordValues = {
  ...newsletter,
  dkim: 'pass',
  dkimResults: [pass('news.example.com', 'k2'), pass('mcsv.net', 'k2')],
}

describe('under a deliberate sp=none', () => {
  test('a newsletter that fails keeps sp=none, and the domain moves on', async () => {
    const policy = { p: 'quarantine', sp: 'none' }
    const { rollout, subdomains } = await tell({ sends: () => [newsletter], policy })
    expect(rollout).toMatchObject({
      status: 'ready',
      nextTags: 'p=reject; sp=none; t=y; pct=0',
      lost: { yours: 0, forwarded: 0 },
    })
    expect(subdomains).toMatchObject({
      status: 'not-ready',
      current: 'none',
      next: 'quarantine',
      nextTags: 'p=quarantine',
      summary: 'Not ready for sp=quarantine: 2 conditions aren’t met.',
      lost: { yours: 930, forwarded: 0 },
    })
    expect(subdomains?.fixFirst.map(({ name }) => name)).toEqual(['Mailchimp'])
    expect(subdomains?.criteria.find(({ id }) => id === 'known-sources-pass')?.text).toContain(
      ': Mailchimp (news.example.com)',
    )
  })

  test('once all of it passes, sp goes up one level at a time', async () => {
    const policy = { p: 'reject', sp: 'none' }
    const first = await tell({ sends: () => [signed], policy })
    expect(first.rollout.next).toBeNull()
    expect(first.subdomains).toMatchObject({
      status: 'ready',
      nextTags: 'p=reject; sp=quarantine',
      summary: 'Ready for sp=quarantine: all conditions are met.',
    })
    const second = await tell({ sends: () => [signed], policy: { p: 'reject', sp: 'quarantine' } })
    expect(second.subdomains).toMatchObject({ status: 'ready', nextTags: 'p=reject' })
  })

  test('where no one sends from below, nothing holds it back', async () => {
    const { subdomains } = await tell({ sends: () => [], policy: { p: 'reject', sp: 'none' } })
    expect(subdomains).toMatchObject({ status: 'ready', knownMessages: 0 })
  })

  test('a source below the domain that may be yours is asked about there', async () => {
    const payroll: RecordValues = {
      ...fails,
      count: 48,
      headerFrom: 'hr.example.com',
      dkimResults: [pass('payroll.test')],
    }
    const sends = (day: number) => (day === 8 ? [payroll] : [])
    const { rollout, subdomains } = await tell({ sends, policy: { p: 'quarantine', sp: 'none' } })
    expect(rollout.status).toBe('ready')
    expect(subdomains?.status).toBe('answer-first')
  })

  test('a month at sp=quarantine comes before reject', async () => {
    const days = 20
    const policy = { p: 'reject', sp: 'quarantine' }
    const { subdomains } = await tell({ sends: () => [signed], policy, days })
    expect(subdomains?.criteria.find(({ id }) => id === 'time-at-quarantine')).toMatchObject({
      holds: null,
      figures: { days, required: 30 },
    })
  })
})

describe('where one policy governs all names', () => {
  test('a newsletter below the domain that fails holds the domain back', async () => {
    const summary = await tell({ sends: () => [newsletter] })
    expect(summary.subdomains).toBeNull()
    expect(summary.rollout.status).toBe('not-ready')
    expect(criterionOf(summary, 'known-sources-pass')?.text).toContain(
      ': Mailchimp (news.example.com)',
    )
  })

  test('a name that fails does not hide behind one that passes at the same service', async () => {
    const shop = { ...newsletter, headerFrom: 'shop.example.com', count: 2 }
    const summary = await tell({ sends: () => [{ ...signed, count: 5_000 }, shop] })
    expect(criterionOf(summary, 'known-sources-pass')).toMatchObject({
      holds: false,
      figures: { failing: 1 },
    })
    expect(sourceOf(summary, 'Mailchimp', 'failing')).toMatchObject({
      at: 'shop.example.com',
      messages: 70,
    })
  })

  test('mail that a stricter sp stops today holds the domain back', async () => {
    const { rollout } = await tell({
      sends: () => [newsletter],
      policy: { p: 'none', sp: 'reject' },
    })
    expect(rollout.status).toBe('not-ready')
  })

  test('a service with a name for each customer stays one source beyond the first names', async () => {
    const names = Array.from({ length: 400 }, (_, index) => ({
      ...signed,
      count: 3,
      headerFrom: `shop${index}.example.com`,
    }))
    const { sources } = await tell({ sends: (day) => (day === 5 ? names : []) })
    const mailchimp = sources.filter(({ serviceId }) => serviceId === 'mailchimp')
    expect(mailchimp).toHaveLength(21)
    expect(mailchimp[0]).toMatchObject({ at: '*.example.com', messages: 1_140 })
  })
})
