/** Owners whose mail is lost today, and don’t know it. */
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  changesOf,
  dmarcValues,
  planOf,
  policiesIn,
  severeWarnings,
  signsBeforeRollout,
  spfAt,
  stagesOf,
  stepsOf,
  stepWith,
  unconditionalDeletes,
  urgentSteps,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_INCLUDE,
  GOOGLE_KEY,
  MICROSOFT_KEYS,
  movedToMicrosoft,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  FASTMAIL,
  MAILCHIMP,
  ON_GOOGLE,
} from '../../../../test/support/service-zones.js'
import { signedCname } from '../../../../test/support/situation-zones.js'

test('mailboxes moved to Microsoft under reject: today Microsoft gets into SPF, then its keys', async () => {
  const plan = await planOf(movedToMicrosoft('p=reject'))
  const spf = spfAt(plan)
  expect(spf.value).toBe('v=spf1 include:_spf.google.com include:spf.protection.outlook.com -all')
  // The first thing in the plan saves mail at once.
  expect(plan.steps[0]).toMatchObject({ kind: 'publish', when: 'today', records: [spf.order] })
  expect(changesOf(plan, 'dkim')).toEqual([
    'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
    'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
  ])
  expect(stepsOf(plan, 'turn-on-signing', 'microsoft365')).toMatchObject([{ when: 'today' }])
  expect(severeWarnings(plan, 'Microsoft')).not.toEqual([])
  expect(plan.summary).toContain('Microsoft')
  expect(unconditionalDeletes(plan)).toEqual([])
})

test('mailboxes moved to Microsoft under reject: the policy isn’t weakened meanwhile', async () => {
  const plan = await planOf(movedToMicrosoft('p=reject'))
  expect(dmarcValues(plan).map((value) => policiesIn(value).domain)).not.toContain('none')
  expect(changesOf(plan, 'dmarc')).toEqual([])
})

test('mailboxes moved to Microsoft under quarantine: mail is saved before reject comes near', async () => {
  const plan = await planOf(movedToMicrosoft('p=quarantine'))
  expect(spfAt(plan).value).toContain('include:spf.protection.outlook.com')
  expect(stepWith(plan, spfAt(plan)).when).toBe('today')
  expect(signsBeforeRollout(plan, 'microsoft365')).toBe(true)
  expect(severeWarnings(plan, 'Microsoft')).not.toEqual([])
})

test('mailboxes moved to Microsoft in monitoring mode: no stage before Microsoft signs', async () => {
  const plan = await planOf(movedToMicrosoft('p=none'))
  expect(signsBeforeRollout(plan, 'microsoft365')).toBe(true)
  expect(spfAt(plan).value).toContain('include:spf.protection.outlook.com')
  expect(stagesOf(plan).map((stage) => stage.domain)).toEqual([
    'none',
    'quarantine',
    'quarantine',
    'reject',
    'reject',
  ])
})

test('mailboxes moved to Fastmail under quarantine: its three keys need no placeholder', async () => {
  const plan = await planOf(`${AT_CLOUDFLARE}${FASTMAIL}${GOOGLE_INCLUDE}${GOOGLE_KEY}
    acme.test. MX 10 in1-smtp.messagingengine.com.
    acme.test. MX 20 in2-smtp.messagingengine.com.
    ${spfLine('include:_spf.google.com -all')}${policy('p=quarantine')}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    'create CNAME fm1._domainkey.acme.test fm1.acme.test.dkim.fmhosted.com',
    'create CNAME fm2._domainkey.acme.test fm2.acme.test.dkim.fmhosted.com',
    'create CNAME fm3._domainkey.acme.test fm3.acme.test.dkim.fmhosted.com',
  ])
  expect(spfAt(plan).value).toContain('include:spf.messagingengine.com')
  const urgent = urgentSteps(plan).flatMap(({ records }) => records)
  const saving = plan.records.filter(({ purpose }) => purpose === 'spf' || purpose === 'dkim')
  for (const { order, action } of saving) if (action !== 'keep') expect(urgent).toContain(order)
  expect(severeWarnings(plan, 'Fastmail')).not.toEqual([])
})

const NAMES_MICROSOFT = spfLine('include:spf.protection.outlook.com -all')

test('SPF names Microsoft, but only Google’s old key is there: forwarded mail is at risk', async () => {
  const plan = await planOf(
    `${ON_MICROSOFT}${GOOGLE_KEY}${NAMES_MICROSOFT}${policy('p=quarantine')}`,
  )
  // Nothing is lost on the direct way, so this is severe, but not critical.
  expect(plan.warnings[0]).toMatchObject({
    id: 'plan.mail-at-risk',
    severity: 'high',
    title: expect.stringContaining('Microsoft 365'),
    detail: expect.stringContaining('goes to spam'),
  })
  expect(plan.steps[0]).toMatchObject({
    title: expect.stringMatching(/^Urgent: /),
    stream: 'microsoft365',
  })
  expect(changesOf(plan, 'spf')).toEqual([])
  expect(changesOf(plan, 'dkim').filter((line) => line.startsWith('create'))).toEqual([
    'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
    'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
  ])
  expect(signsBeforeRollout(plan, 'microsoft365')).toBe(true)
  // Google isn’t in the MX or in SPF, so a key proves no mailbox there.
  expect(unconditionalDeletes(plan)).toEqual([])
})

test('keys of a newsletter service sign nothing of the mailboxes', async () => {
  const keys = ['2', '3'].map((each) => signedCname(`k${each}`, `dkim${each}.mcsv.net`)).join('\n')
  const plan = await planOf(`${ON_MICROSOFT}${keys}${NAMES_MICROSOFT}${policy('p=reject')}`)
  expect(plan.warnings[0]).toMatchObject({
    id: 'plan.mail-at-risk',
    title: expect.stringContaining('Microsoft 365'),
    detail: expect.stringContaining('is rejected'),
  })
  expect(plan.summary).toContain('may get lost')
  expect(stepsOf(plan, 'turn-on-signing', 'microsoft365')[0]?.title).toMatch(/^Urgent: /)
})

test('mailboxes are unsigned while a newsletter is lost: a warning for each, the newsletter first', async () => {
  const plan = await planOf(`${ON_MICROSOFT}${GOOGLE_KEY}${MAILCHIMP}${policy('p=reject')}
    ${spfLine('include:spf.protection.outlook.com include:servers.mcsv.net -all')}`)
  const [first, second] = plan.warnings
  expect(first).toMatchObject({ id: 'plan.sender-at-risk', severity: 'critical' })
  expect(second).toMatchObject({ id: 'plan.mail-at-risk', severity: 'high' })
  const urgent = plan.steps.filter(({ title }) => title.startsWith('Urgent: '))
  expect(new Set(urgent.map(({ stream }) => stream))).toEqual(new Set(['mailchimp']))
  expect(stepsOf(plan, 'turn-on-signing', 'microsoft365')).toMatchObject([{ when: 'today' }])
})

test('nothing is enforced, or the mailboxes sign: a key that is missing is no alarm', async () => {
  const alarms = async (zone: string) =>
    (await planOf(zone)).warnings.filter(({ id }) => id === 'plan.mail-at-risk')
  expect(await alarms(`${ON_MICROSOFT}${GOOGLE_KEY}${NAMES_MICROSOFT}${policy('p=none')}`)).toEqual(
    [],
  )
  expect(
    await alarms(`${ON_MICROSOFT}${MICROSOFT_KEYS}${NAMES_MICROSOFT}${policy('p=reject')}`),
  ).toEqual([])
})

test('a mistyped term makes SPF permerror and nothing signs: the repaired record comes first', async () => {
  const plan = await planOf(`${ON_GOOGLE}
    ${spfLine('include:_spf.google.com ipv4:192.0.2.10 -all')}${policy('p=reject')}`)
  expect(spfAt(plan).value).toBe('v=spf1 include:_spf.google.com ip4:192.0.2.10 -all')
  expect(stepWith(plan, spfAt(plan))).toMatchObject({ order: 1, when: 'today', kind: 'publish' })
  expect(stepsOf(plan, 'turn-on-signing', 'google')).toMatchObject([{ when: 'today' }])
  expect(severeWarnings(plan, 'acme.test')).not.toEqual([])
})

test('a macro and nine hosts use up SPF before Microsoft’s turn: the new record is urgent', async () => {
  const hosts = Array.from({ length: 9 }, (_, index) => `host${index}.acme.test`)
  const plan = await planOf(`${ON_MICROSOFT}
    ${hosts.map((host, index) => `${host}. A 192.0.2.${index + 1}`).join('\n')}
    ${spfLine(`exists:%{i}._spf.vendor.test ${hosts.map((host) => `a:${host}`).join(' ')} include:spf.protection.outlook.com -all`)}
    ${GOOGLE_KEY}${policy('p=reject')}`)
  expect(plan.safety.tested).toContainEqual(
    expect.objectContaining({
      sender: expect.stringContaining('Microsoft'),
      before: 'permerror',
      after: 'pass',
    }),
  )
  expect(plan.steps[0]).toMatchObject({
    title: 'Urgent: Correct the SPF record',
    records: [spfAt(plan).order],
  })
  expect(plan.warnings[0]?.title).toContain('Mail from Microsoft')
})

test('Mailchimp can pass only by its signature and has no keys under reject: keys today', async () => {
  const plan = await planOf(`${ON_GOOGLE}${MAILCHIMP}${GOOGLE_KEY}${policy('p=reject')}
    ${spfLine('include:_spf.google.com include:servers.mcsv.net ~all')}`)
  expect(changesOf(plan, 'dkim')).toEqual([
    'create CNAME k2._domainkey.acme.test dkim2.mcsv.net',
    'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
  ])
  const [publish] = stepsOf(plan, 'publish', 'mailchimp')
  expect(publish?.when).toBe('today')
  expect(severeWarnings(plan, 'Mailchimp')).not.toEqual([])
})

test('mail is lost and a harmless fault exists too: the mail comes first', async () => {
  const plan = await planOf(`${movedToMicrosoft('p=reject')}
    ${keyZoneLine('default', 'v=DKIM1; g=*; p=')}`)
  expect(plan.steps[0]?.records).toEqual([spfAt(plan).order])
  expect(plan.steps.slice(0, 3).every(({ when }) => when === 'today')).toBe(true)
})

test('quarantine for none of the mail: what is lost at strict receivers is saved first', async () => {
  // RFC 9989 dropped pct, so its receivers quarantine all of it.
  const plan = await planOf(movedToMicrosoft('p=quarantine; pct=0'))
  expect(plan.steps[0]?.records).toEqual([spfAt(plan).order])
  expect(signsBeforeRollout(plan, 'microsoft365')).toBe(true)
  for (const value of dmarcValues(plan)) expect(policiesIn(value).domain).not.toBe('none')
})

test('only the steps that save mail are urgent, and their keys come before others', async () => {
  // Postmark may sign with a key that no one can guess, and Mailchimp certainly has none.
  const plan = await planOf(`${ON_GOOGLE}${GOOGLE_KEY}${MAILCHIMP}
    spf.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ~all"
    ${spfLine('include:_spf.google.com include:spf.mtasv.net include:servers.mcsv.net ~all')}
    ${policy('p=quarantine')}`)
  const urgent = plan.steps.filter(({ title }) => title.startsWith('Urgent: '))
  expect(urgent.map(({ stream }) => stream)).toEqual(['mailchimp', 'mailchimp', 'mailchimp'])
  expect(urgent.map(({ order }) => order)).toEqual([1, 2, 3])
  expect(plan.summary).toContain('Mail from Mailchimp goes to spam today.')
  expect(plan.warnings[0]).toMatchObject({
    id: 'plan.sender-at-risk',
    title: 'Mail from Mailchimp goes to spam today',
  })
})

test('keys that only have to be turned on are urgent before keys that are a guess', async () => {
  // Microsoft’s CNAMEs lead nowhere until its switch is on.
  const waiting = ['selector1', 'selector2']
    .map(
      (selector) =>
        `${selector}._domainkey.acme.test. CNAME ${selector}-acme-test._domainkey.acme.onmicrosoft.com.`,
    )
    .join('\n')
  const plan = await planOf(`${ON_MICROSOFT}${waiting}
    pm-bounces.acme.test. CNAME pm.mtasv.net.
    pm.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ~all"
    ${spfLine('include:spf.protection.outlook.com -all')}
    ${policy('p=reject')}`)
  const [first, ...others] = plan.steps
  expect(first).toMatchObject({ stream: 'microsoft365', kind: 'turn-on-signing' })
  expect(first?.title).toBe('Urgent: Turn on DKIM signing in Microsoft 365 / Exchange Online')
  expect(others.filter(({ title }) => title.startsWith('Urgent'))).toEqual([])
})

test('a key that is no longer used says nothing about keys that no one can guess', async () => {
  const zone = `acme.test. MX 10 inbound-smtp.us-east-1.amazonaws.com.
    inbound-smtp.us-east-1.amazonaws.com. A 52.95.48.1
    amazonses.com. TXT "v=spf1 ip4:199.255.192.0/22 ~all"
    ${txtZoneLine('resend._domainkey.acme.test', GOOD_KEY_RECORD)}
    ${spfLine('include:amazonses.com ~all')}${policy('p=quarantine')}`
  const plan = await planOf(zone, { options: { unused: ['resend'] } })
  expect(plan.warnings.map(({ id }) => id)).not.toContain('plan.mail-at-risk')
})
