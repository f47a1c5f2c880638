/** A month of reports as organizations receive them, and what the result must say about them. */
import type { RecordValues } from '@mailgrade/testing/build-aggregate-report'
import { describe, expect, test } from 'vitest'
import { criterionOf, fails, pass, sourceOf, stepsOf, tell } from '../test/tell-story.js'

test('a month in which all mail passes is ready', async () => {
  const { rollout } = await tell({ sends: () => [] })
  expect(rollout.status).toBe('ready')
  expect(rollout.summary).toBe('Ready for p=quarantine; t=y; pct=0: all conditions are met.')
})

describe('mail that may be yours', () => {
  const payroll: RecordValues = {
    ...fails,
    count: 1,
    ip: '198.51.100.7',
    envelopeFrom: 'bounces.payroll.test',
    dkimResults: [pass('payroll.test')],
    spfResults: [pass('bounces.payroll.test')],
  }

  test('a service outside the catalog that sends every week must be checked first', async () => {
    const story = { sends: (day: number) => (day % 7 === 0 ? [payroll] : []) }
    const summary = await tell(story)
    expect(summary.rollout.status).toBe('answer-first')
    expect(criterionOf(summary, 'unknown-sources')?.figures.sources).toBe(1)
  })

  test.each(['unknown', 'payroll.test', 'Payroll.Test'])(
    'it is ready when the owner says: --not-mine %s',
    async (name) => {
      const sends = (day: number) => (day % 7 === 0 ? [payroll] : [])
      const { rollout } = await tell({ sends, notMine: [name] })
      expect(rollout.status).toBe('ready')
    },
  )

  test('a server of your own that passes nothing must be checked first', async () => {
    const erp: RecordValues = {
      ...fails,
      count: 2,
      ip: '203.0.113.9',
      spfResults: [{ domain: 'example.com', result: 'softfail' }],
    }
    const summary = await tell({ sends: (day) => (day % 5 === 0 ? [erp] : []) })
    expect(summary.rollout.status).toBe('answer-first')
    expect(criterionOf(summary, 'unknown-sources')?.text).toContain('203.0.113.0/24')
  })

  test('a burst of forged mail from many networks does not block', async () => {
    const burst = (day: number) =>
      day === 10 || day === 11
        ? Array.from({ length: 50 }, (_, index) => ({
            ...fails,
            ip: `10.${index}.0.1`,
            count: 40,
            spfResults: [{ domain: 'example.com', result: 'fail' }],
          }))
        : []
    const { rollout } = await tell({ sends: burst })
    expect(rollout.status).toBe('ready')
    expect(rollout.lost).toEqual({ yours: 0, forwarded: 0 })
  })

  test('at reject, forged mail that never ends changes nothing', async () => {
    const { rollout } = await tell({ sends: () => [payroll], policy: { p: 'reject' } })
    expect(rollout.summary).toBe('p=reject is in place, and your mail passes.')
  })

  test('a signature of yours that fails is named', async () => {
    const { sources } = await tell({
      sends: () => [
        {
          ...fails,
          dkimResults: [{ domain: 'example.com', selector: 'erp', result: 'permerror' }],
        },
      ],
    })
    expect(sources.flatMap(({ dkim }) => dkim.failedSignatures)).toEqual([
      { domain: 'example.com', selector: 'erp', messages: 35 },
    ])
  })

  test('mail of another of your domains is yours', async () => {
    const brand: RecordValues = { ...fails, count: 5, dkimResults: [pass('mail.brand.test')] }
    const story = { sends: () => [brand] }
    const alone = await tell(story)
    expect(sourceOf(alone, 'brand.test')?.class).toBe('unknown')
    const both = await tell({ ...story, otherDomains: ['brand.test'] })
    expect(sourceOf(both, 'brand.test')?.class).toBe('yours-not-aligned')
    expect(both.rollout.status).toBe('not-ready')
    expect(both.rollout.fixFirst[0]?.reason).toBe(
      'It passes for brand.test, another of your domains, but not for example.com.',
    )
  })

  test('people who send as you from Gmail are yours, and Gmail forwarding is not', async () => {
    const sendAs: RecordValues = {
      ...fails,
      count: 3,
      dkimResults: [pass('gmail.com', '20230601')],
      spfResults: [pass('gmail.com')],
    }
    const summary = await tell({ sends: () => [sendAs] })
    expect(sourceOf(summary, 'Gmail')).toMatchObject({ class: 'yours-not-aligned', messages: 105 })
    expect(summary.rollout.status).toBe('not-ready')
    expect(summary.rollout.fixFirst[0]?.reason).toContain('Send mail as')
    const forwarded = await tell({
      sends: () => [{ ...fails, count: 3, spfResults: [pass('gmail.com')] }],
    })
    expect(forwarded.byClass.forwarded).toBe(105)
  })
})

describe('services', () => {
  const mailchimp = (count: number): RecordValues => ({
    ...fails,
    count,
    dkimResults: [pass('mcsv.net', 'k2')],
    spfResults: [pass('mail1.mcsv.net')],
  })

  test('twelve payslips a month that never pass are not ready', async () => {
    const summary = await tell({ sends: (day) => (day === 2 ? [mailchimp(12)] : []) })
    expect(summary.rollout.status).toBe('not-ready')
    expect(criterionOf(summary, 'known-sources-pass')).toMatchObject({
      holds: false,
      text: '1 of your sources passes DMARC for less than 98% of its messages: Mailchimp',
    })
  })

  test('a stream that is not set up does not hide behind one that is', async () => {
    const sendgrid: RecordValues = {
      count: 5_000,
      spf: 'fail',
      headerFrom: 'news.example.com',
      dkimResults: [pass('news.example.com', 's1'), pass('sendgrid.net', 'smtpapi')],
      spfResults: [pass('u1.sendgrid.net')],
    }
    const hr = { ...fails, count: 2, dkimResults: [pass('sendgrid.net', 'smtpapi')] }
    const summary = await tell({ sends: () => [sendgrid, hr] })
    expect(summary.rollout.status).toBe('not-ready')
    expect(sourceOf(summary, 'Twilio SendGrid', 'failing')).toMatchObject({
      class: 'yours-not-aligned',
      messages: 70,
    })
  })

  test('a stranger at a service that you do not use can be set aside', async () => {
    const sends = (day: number) => (day === 2 ? [mailchimp(300)] : [])
    const before = await tell({ sends })
    expect(stepsOf(before, 'Mailchimp')[0]).toBe(
      'If you don’t use Mailchimp to send as example.com, this mail is forged. Add --not-mine mailchimp, and skip the other steps.',
    )
    const after = await tell({ sends, notMine: ['mailchimp'] })
    expect(after.rollout).toMatchObject({ status: 'ready', fixFirst: [] })
    expect(sourceOf(after, 'Mailchimp')?.class).toBe('unknown')
  })

  test('--not-mine does not set aside a service that passes', async () => {
    const google: RecordValues = { dkimResults: [pass('example.com', 'google')], count: 50 }
    const summary = await tell({ sends: () => [google], notMine: ['google'] })
    expect(sourceOf(summary, 'Google Workspace')?.class).toBe('yours-and-passing')
  })

  test('the Microsoft 365 of a recipient that forwards is not yours', async () => {
    const forwarded: RecordValues = {
      ...fails,
      count: 3,
      envelopeFrom: 'contoso.test',
      dkimResults: [pass('contoso.onmicrosoft.com', 'selector1')],
      spfResults: [pass('contoso.test')],
    }
    const summary = await tell({ sends: () => [forwarded] })
    expect(sourceOf(summary, 'contoso.onmicrosoft.com')?.class).toBe('unknown')
    expect(summary.rollout.fixFirst).toEqual([])
    const intact = { ...forwarded, dkim: 'pass', dkimResults: [pass('example.com')] }
    const passed = await tell({ sends: () => [intact] })
    expect(sourceOf(passed, 'contoso.test')?.class).toBe('forwarded')
  })

  test('mail with your usual signature that a stranger changed is forwarded', async () => {
    const changed = (selector: string): RecordValues => ({
      ...fails,
      count: 3,
      dkimResults: [{ domain: 'example.com', selector, result: 'fail' }],
      spfResults: [pass('contoso.test')],
    })
    const usual = await tell({ sends: () => [changed('s')] })
    expect(sourceOf(usual, 'contoso.test')?.class).toBe('forwarded')
    expect(usual.rollout).toMatchObject({ status: 'ready', lost: { yours: 0, forwarded: 93 } })
    const broken = (day: number): RecordValues => ({
      ...changed('saas'),
      ...(day < 15 ? { dkim: 'pass', dkimResults: [pass('example.com', 'saas')] } : {}),
    })
    const brokeLately = await tell({ sends: (day) => [{ ...broken(day), count: 5 }] })
    expect(brokeLately.rollout.status).toBe('answer-first')
    const halfSetUp = await tell({ sends: () => [changed('new')] })
    expect(sourceOf(halfSetUp, 'contoso.test')?.class).toBe('unknown')
  })

  test.each<[string, RecordValues]>([
    ['the name of the tenant', { dkimResults: [pass('example.onmicrosoft.com', 'selector1')] }],
    [
      'MAIL FROM',
      {
        dkimResults: [pass('contoso.onmicrosoft.com', 'selector1')],
        spfResults: [{ domain: 'example.com', result: 'softfail' }],
      },
    ],
  ])('your own Microsoft 365 is known by %s', async (_, values) => {
    const summary = await tell({ sends: () => [{ ...fails, count: 3, ...values }] })
    expect(sourceOf(summary, 'Microsoft 365 / Exchange Online')?.class).toBe('yours-not-aligned')
  })

  test('an SPF term is advised only where MAIL FROM is yours, with the limit of lookups', async () => {
    const microsoft: RecordValues = {
      ...fails,
      count: 3,
      dkimResults: [pass('example.onmicrosoft.com', 'selector1')],
    }
    const own = await tell({
      sends: () => [{ ...microsoft, spfResults: [{ domain: 'example.com', result: 'fail' }] }],
    })
    expect(stepsOf(own, 'Microsoft 365 / Exchange Online')).toContain(
      'Make sure that the SPF record for example.com contains include:spf.protection.outlook.com. To stay within 10 lookups, run mailgrade plan example.com --uses microsoft365 and publish the record it writes. Over 10, SPF fails for all your mail.',
    )
    const foreign = await tell({ sends: () => [microsoft] })
    expect(stepsOf(foreign, 'Microsoft 365 / Exchange Online').join(' ')).not.toContain('SPF')
  })

  test('no command to copy has text from a report that a shell could run', async () => {
    const hostile = '$(id).example.com'
    const record: RecordValues = {
      ...fails,
      count: 30,
      dkimResults: [
        pass('example.onmicrosoft.com', 'selector1'),
        { domain: hostile, selector: '`id`', result: 'fail' },
      ],
      spfResults: [{ domain: hostile, result: 'fail' }],
    }
    const steps = stepsOf(await tell({ sends: () => [record] }), 'Microsoft 365 / Exchange Online')
    expect(steps.filter((step) => /run mailgrade [^:]*[$`]/i.test(step))).toEqual([])
    expect(steps.join(' ')).toContain('run mailgrade plan <domain> --uses microsoft365 and')
    expect(steps.join(' ')).toContain('Run mailgrade dkim <domain> --selector <selector>,')
  })

  test('steps name the domain in From, not the one of the policy', async () => {
    const news = { ...mailchimp(30), headerFrom: 'news.example.com' }
    const steps = stepsOf(await tell({ sends: () => [news] }), 'Mailchimp')
    expect(steps[1]).toMatch(/^Set up DKIM for news\.example\.com\. /)
    expect(steps.at(-1)).toContain('DKIM: PASS for news.example.com.')
  })

  test('the mailbox domain of a provider does not name a service of yours', async () => {
    const record = (domain: string) => ({ ...fails, count: 3, spfResults: [pass(domain)] })
    const summary = await tell({ sends: () => [record('mailbox.org'), record('emailsrvr.com')] })
    expect(sourceOf(summary, 'mailbox.org')?.class).toBe('unknown')
    expect(sourceOf(summary, 'emailsrvr.com')?.class).toBe('unknown')
  })

  test('a sender is not taken for a list because of one label', async () => {
    const record = { ...fails, count: 3, spfResults: [pass('list.mlsend.com')] }
    const summary = await tell({ sends: () => [record] })
    expect(sourceOf(summary, 'MailerLite')?.class).toBe('yours-not-aligned')
  })

  test('with strict alignment, a small server does not hide behind a large one', async () => {
    const erp: RecordValues = {
      dkim: 'fail',
      spf: 'fail',
      count: 2,
      dkimResults: [],
      spfResults: [pass('erp.example.com')],
    }
    const summary = await tell({ sends: () => [erp], policy: { aspf: 's' } })
    expect(summary.rollout.status).toBe('not-ready')
    expect(summary.rollout.fixFirst[0]).toMatchObject({ name: 'erp.example.com', lost: 62 })
  })
})

describe('time', () => {
  const own = (passes: boolean): RecordValues => ({
    count: 20,
    dkim: passes ? 'pass' : 'fail',
    spf: 'fail',
    dkimResults: [
      passes ? pass('example.com', 'mandrill') : pass('mandrillapp.com', 'mandrill'),
      { domain: 'example.com', selector: 'mandrill', result: passes ? 'pass' : 'fail' },
    ],
    spfResults: [pass('mandrillapp.com')],
  })

  test('two weeks are not enough: monthly mail such as invoices is not in them', async () => {
    const { rollout } = await tell({ sends: () => [], days: 20 })
    expect(rollout.status).toBe('unknown')
  })

  test('a service that was fixed long ago is ready', async () => {
    const summary = await tell({ days: 120, sends: (day) => [own(day > 60)] })
    expect(summary.rollout.status).toBe('ready')
    expect(summary.sources.find(({ serviceId }) => serviceId === 'mandrill')).toMatchObject({
      messages: 2_400,
      passing: 1_200,
      recent: { messages: 620, passing: 620 },
    })
  })

  test('a service that broke lately does not hide behind a year that passed', async () => {
    const { rollout } = await tell({ days: 300, sends: (day) => [own(day < 295)] })
    expect(rollout.status).toBe('not-ready')
    expect(rollout.fixFirst[0]).toMatchObject({ serviceId: 'mandrill', lost: 120 })
    expect(rollout.fixFirst[0]?.steps[0]).toBe(
      'Its signature for example.com with the selector mandrill fails. Run mailgrade dkim example.com --selector mandrill, and make sure that the key is the one that Mailchimp Transactional shows you.',
    )
  })

  test('a quarterly run that failed still counts two months later', async () => {
    const run = (day: number) => (day === 5 ? [{ ...own(false), count: 9 }] : [])
    expect((await tell({ days: 75, sends: run })).rollout.status).toBe('not-ready')
  })

  test('a service that stopped half a year ago counts only if it is still in use', async () => {
    const story = { days: 200, sends: (day: number) => (day < 20 ? [own(false)] : []) }
    expect((await tell(story)).rollout.status).toBe('answer-first')
    expect((await tell({ ...story, notMine: ['mandrill'] })).rollout.status).toBe('ready')
  })

  test('old reports say nothing about today', async () => {
    const summary = await tell({ sends: () => [], age: 60 })
    expect(summary.rollout.status).toBe('unknown')
    expect(criterionOf(summary, 'recent')).toMatchObject({
      holds: false,
      text: 'The latest report ends on 2026-11-23; it can’t be more than 14 days old',
    })
  })

  test('organizations that stopped to report do not count', async () => {
    const reporters = (day: number) =>
      day < 10 ? ['google.com', 'yahoo.com', 'mail.example'] : ['google.com']
    const summary = await tell({ sends: () => [], days: 90, reporters })
    expect(criterionOf(summary, 'reporters')).toMatchObject({
      holds: false,
      figures: { reporters: 1 },
    })
    expect(summary.rollout.status).toBe('unknown')
  })
})

describe('policies that do not apply to all mail', () => {
  test.each<[Record<string, string>, string, string]>([
    [
      { p: 'quarantine', pct: '20' },
      'quarantine',
      'Ready for p=quarantine for all mail: all conditions are met. Remove pct=20.',
    ],
    [
      { p: 'quarantine', testing: 'y' },
      'quarantine',
      'Ready for p=quarantine for all mail, as far as reports can show. Only you know about 1 condition. Remove t=y.',
    ],
    [
      { p: 'reject', pct: '0', testing: 'y' },
      'reject',
      'Ready for p=reject for all mail, as far as reports can show. Only you know about 1 condition. Remove pct=0 and t=y.',
    ],
  ])('%j', async (policy, next, sentence) => {
    const { rollout } = await tell({ sends: () => [], policy })
    expect(rollout).toMatchObject({ status: 'ready', next, summary: sentence })
  })

  test('a weaker policy for subdomains is named', async () => {
    const { rollout } = await tell({ sends: () => [], policy: { p: 'reject', sp: 'none' } })
    expect(rollout.summary).toBe(
      'p=reject is in place, and your mail passes. Subdomains have sp=none, so forged mail from them can reach the inbox.',
    )
  })

  test('a month at quarantine is needed before reject', async () => {
    const policy = { p: 'quarantine' }
    expect((await tell({ sends: () => [], policy, days: 29 })).rollout.status).toBe('unknown')
    expect((await tell({ sends: () => [], policy, days: 31 })).rollout.status).toBe('ready')
  })
})

test('at reject, it says that mail is lost only if mail is lost', async () => {
  const spfOnly = { count: 5_000, dkim: 'fail', dkimResults: [] }
  const { rollout } = await tell({ sends: () => [spfOnly], policy: { p: 'reject' } })
  expect(rollout.summary).toBe(
    'p=reject is in place, but 1 condition isn’t met. None of the messages that are clearly yours are being lost.',
  )
})
