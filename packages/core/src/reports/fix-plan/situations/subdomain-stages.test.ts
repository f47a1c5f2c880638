/** Owners whose subdomains send, under a policy of their own or none. */
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  dmarcAt,
  dmarcValues,
  type ExpertPlan,
  planOf,
  policiesIn,
  stagesOf,
  stepsOf,
} from '../../../../test/support/expert.js'
import {
  GOOGLE_DONE,
  policy,
  SIGNED_BELOW,
  spfLine,
  UNSIGNED_BELOW,
} from '../../../../test/support/expert-zones.js'
import { AT_CLOUDFLARE } from '../../../../test/support/service-zones.js'
import { dmarcTags } from '../../../../test/support/situation.js'
import type { StreamEvidence } from '../../../streams/stream-evidence.js'

const LEVELS = ['none', 'quarantine', 'reject']

/** The policies below the domain, stage by stage; a test doesn't count. */
function below(plan: ExpertPlan): string[] {
  return stagesOf(plan)
    .filter(({ testing }) => !testing)
    .map(({ subdomains }) => subdomains)
}

/** Reject reaches support. only if the plan first has its server sign. */
function expectNoRejectBelow(plan: ExpertPlan): void {
  const signing = stepsOf(plan, 'turn-on-signing').find(({ stream }) =>
    stream?.endsWith('support.acme.test'),
  )
  const rejecting = dmarcValues(plan).filter((value) => policiesIn(value).subdomains === 'reject')
  if (!signing) expect(rejecting).toEqual([])
  expect(policiesIn(dmarcAt(plan).value).subdomains).not.toBe('reject')
}

function expectSmallSteps(policies: readonly string[]): void {
  const levels = policies.map((each) => LEVELS.indexOf(each))
  expect(levels).toEqual([...levels].sort())
  for (const [index, level] of levels.entries()) {
    expect(level - (levels[index - 1] ?? level), policies.join()).toBeLessThanOrEqual(1)
  }
}

test('p=none; sp=none with an unsigned server below: subdomains never get to reject', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=none; sp=none')}`)
  expectNoRejectBelow(plan)
  expect(dmarcTags(dmarcAt(plan).value).sp).toBe('none')
  // The domain itself isn't held back by what happens below it.
  expect(stagesOf(plan).at(-1)?.domain).toBe('reject')
})

test('p=none; sp=none where everything signs: subdomains follow in stages of their own', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${SIGNED_BELOW}${policy('p=none; sp=none')}`)
  const stages = stagesOf(plan).filter(({ testing }) => !testing)
  expect(stages.some(({ domain, subdomains }) => domain !== 'none' && subdomains === 'none')).toBe(
    true,
  )
  expectSmallSteps(below(plan))
  expect(below(plan).at(-1)).toBe('reject')
})

test('p=none; sp=none without any sender below: the owner’s exception ends in a stage, not silently', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=none; sp=none')}`)
  expectSmallSteps(below(plan))
  const [first] = stagesOf(plan)
  expect(first).toMatchObject({ domain: 'none', subdomains: 'none' })
  const changed = stagesOf(plan).find(({ subdomains }) => subdomains !== 'none')
  expect(changed?.domain).not.toBe('none')
})

test('p=reject; sp=none on purpose, with an unsigned server below: the exception stays', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=reject; sp=none')}`)
  expectNoRejectBelow(plan)
  for (const value of dmarcValues(plan)) expect(policiesIn(value).domain).toBe('reject')
})

test('p=reject; sp=none that has to stay: the plan names the server that holds it back', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=reject; sp=none')}`)
  expectNoRejectBelow(plan)
  const told = plan.warnings.filter(({ title, detail, fix }) =>
    `${title} ${detail} ${fix}`.includes('support.acme.test'),
  )
  expect(told.map(({ id }) => id)).toEqual(['plan.subdomains-unsigned'])
})

test('p=reject; sp=none where everything signs: quarantine, then reject, each for a while', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${SIGNED_BELOW}${policy('p=reject; sp=none')}`)
  expect(below(plan)).toEqual(['none', 'quarantine', 'reject'])
  expect(stagesOf(plan).every(({ domain }) => domain === 'reject')).toBe(true)
  const waits = plan.rollout.slice(0, -1).map(({ minimumDays }) => minimumDays)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(7)
})

test('p=quarantine; sp=none with an unsigned server below: the domain moves on, subdomains don’t', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=quarantine; sp=none')}`)
  expect(stagesOf(plan).at(-1)?.domain).toBe('reject')
  expectNoRejectBelow(plan)
  for (const value of dmarcValues(plan)) expect(value).toMatch(/\bsp=/)
})

test('p=none without sp, with an unsigned server below: subdomains don’t inherit reject', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=none')}`)
  expectNoRejectBelow(plan)
})

test('p=reject reaches an unsigned server below that SPF aligns: the plan names it and loosens nothing', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=reject')}`)
  expect(policiesIn(dmarcAt(plan).value)).toMatchObject({ domain: 'reject', subdomains: 'reject' })
  expect(JSON.stringify([plan.steps, plan.warnings])).toContain('support.acme.test')
})

test('p=none; sp=reject: what is stricter below stays in every stage', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=none; sp=reject')}`)
  expect(new Set(stagesOf(plan).map(({ subdomains }) => subdomains))).toEqual(new Set(['reject']))
})

test('np=none under reject: names that don’t exist get a stage before they are rejected', async () => {
  // RFC 9989 §4.7: np is the policy for names that don't exist.
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=reject; np=none')}`)
  const np = plan.rollout.map(({ record }) => dmarcTags(record.value).np ?? 'reject')
  expect(np[0]).toBe('none')
  expect(np.at(-1)).toBe('reject')
  expect(plan.rollout[0]?.minimumDays).toBeGreaterThanOrEqual(7)
})

test('p=none; np=reject: the names that don’t exist stay closed all the way', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${policy('p=none; np=reject')}`)
  for (const value of dmarcValues(plan)) {
    const { p, sp, np = sp ?? p } = dmarcTags(value)
    expect(np, value).toBe('reject')
  }
})

test('sp=none; np=reject with an unsigned server below: its name exists, so np may stay', async () => {
  const plan = await planOf(
    `${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=reject; sp=none; np=reject')}`,
  )
  for (const value of dmarcValues(plan)) {
    const { p, sp, np = sp ?? p } = dmarcTags(value)
    expect({ p, np }, value).toEqual({ p: 'reject', np: 'reject' })
  }
  expectNoRejectBelow(plan)
})

test('a key at the domain doesn’t sign for a server below under strict alignment', async () => {
  // RFC 9989 §4.4: strict alignment wants the same name.
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=none; adkim=s')}
    ${txtZoneLine('default._domainkey.acme.test', GOOD_KEY_RECORD)}`)
  expectNoRejectBelow(plan)
})

test('a policy for a tenth of the mail with open subdomains: they are closed in a stage of their own', async () => {
  // RFC 7489 §6.3: pct applies to sp as well.
  const plan = await planOf(
    `${GOOGLE_DONE}${SIGNED_BELOW}${policy('p=quarantine; sp=none; pct=10')}`,
  )
  const stages = stagesOf(plan).filter(({ testing }) => !testing)
  const closing = stages.findIndex(({ subdomains }) => subdomains !== 'none')
  expect(closing).toBeGreaterThan(0)
  expect(stages[closing]?.domain).toBe(stages[closing - 1]?.domain)
  expectSmallSteps(below(plan))
})

test('a subdomain with the policy none of its own isn’t rejected by the policy above', async () => {
  const unsigned = `news.acme.test. TXT "v=spf1 include:sendgrid.net -all"
    sendgrid.net. TXT "v=spf1 ip4:167.89.0.0/17 -all"
`
  const lost = await planOf(`${GOOGLE_DONE}${unsigned}${policy('p=reject')}`)
  expect(lost.summary).toContain('Mail from Twilio SendGrid (news.acme.test) is rejected today')
  const own = await planOf(
    `${GOOGLE_DONE}${unsigned}${policy('p=reject')}
      ${policy('p=none', 'news.acme.test')}`,
  )
  expect(own.summary).not.toContain('SendGrid')
})

test('a bounce name doesn’t align with strict SPF, so mail without a signature is lost', async () => {
  const ses = `bounce.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    bounce.acme.test. TXT "v=spf1 include:amazonses.com ~all"
    amazonses.com. TXT "v=spf1 ip4:199.255.192.0/22 -all"
    feedback-smtp.eu-west-1.amazonses.com. A 54.240.0.1
    acme.test. TXT "v=spf1 include:amazonses.com -all"
`
  const onlySes = (tags: string) =>
    planOf(`acme.test. NS ada.ns.cloudflare.com.\n${ses}${policy(tags)}`)
  expect((await onlySes('p=reject')).summary).not.toContain('Amazon SES')
  expect((await onlySes('p=reject; aspf=s')).summary).toContain(
    'Mail from Amazon SES is rejected today',
  )
})

const RECEIVES_BELOW = `
  support.acme.test. MX 10 desk.support.acme.test.
  desk.support.acme.test. A 203.0.113.40
`

test('a subdomain that only has mail servers may send, so every later stage asks', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${RECEIVES_BELOW}${policy('p=none')}`)
  const [first, ...later] = plan.rollout
  expect(first?.onlyIf).toBe(null)
  for (const { onlyIf } of later) expect(onlyIf).toContain('support.acme.test')
  // Nothing proves a sender, so nothing holds the policy back or calls for a key.
  expect(stagesOf(plan).at(-1)).toEqual({ domain: 'reject', subdomains: 'reject', testing: false })
  expect(plan.warnings.map(({ id }) => id)).not.toContain('plan.subdomains-unsigned')
})

test('a subdomain with mail servers whose SPF names no one sends nothing', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${RECEIVES_BELOW}${policy('p=none')}
    support.acme.test. TXT "v=spf1 -all"`)
  for (const { onlyIf } of plan.rollout) expect(onlyIf).toBe(null)
  expect(plan.warnings).toEqual([])
})

test('a subdomain that may send keeps its mail servers, whatever becomes of its SPF', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${UNSIGNED_BELOW}${policy('p=reject')}`)
  const warning = plan.warnings.find(({ id }) => id === 'plan.subdomains-unsigned')
  expect(warning?.fix).not.toContain('MX')
})

const MAIL_SERVER_BELOW = `
  mail.acme.test. MX 10 mx.mail.acme.test.
  mx.mail.acme.test. A 203.0.113.5
`
/** By stage, whether it asks about names that only have mail servers. */
function asksBelow({ rollout }: ExpertPlan): boolean[] {
  return rollout.map(({ onlyIf }) => onlyIf?.includes('mail.acme.test') ?? false)
}

test('mail servers below are asked about at the stages that change their policy', async () => {
  const plan = await planOf(`${GOOGLE_DONE}${MAIL_SERVER_BELOW}${policy('p=quarantine; sp=none')}`)
  const changes = stagesOf(plan).map(({ subdomains }) => subdomains !== 'none')
  expect(changes).toContain(true)
  expect(asksBelow(plan)).toEqual(changes)
  const [first, second] = plan.rollout
  expect(first?.proceedWhen.join()).not.toContain('mail.acme.test')
  expect(second?.onlyIf).toBeNull()
  expect(plan.rollout.at(-1)?.onlyIf).toContain('mail.acme.test')
})

const PASSES_IN_REPORTS: StreamEvidence = {
  from: 'reports',
  kind: 'own',
  certainty: 'certain',
  serviceId: null,
  name: 'acme.test',
  addresses: ['203.0.113.5'],
  at: 'mail.acme.test',
  messages: 400,
  spfAligned: 400,
  dkimAligned: 400,
  months: ['2026-10'],
  keys: [{ domain: 'mail.acme.test', selector: 's1' }],
  envelopeDomains: ['mail.acme.test'],
  lastSeen: '2026-11-01T00:00:00Z',
}

test.each([
  ['a policy of their own', `_dmarc.mail.acme.test. TXT "v=DMARC1; p=reject"`, {}],
  ['reports that show them sign', '', { evidence: [PASSES_IN_REPORTS] }],
])('mail servers below with %s are not asked about', async (_, record, options) => {
  const zone = `${GOOGLE_DONE}${MAIL_SERVER_BELOW}${record}\n${policy('p=none')}`
  expect(asksBelow(await planOf(zone, { options }))).toEqual(Array(5).fill(false))
})

test('the policy of a name below the organization covers nothing below it', async () => {
  const plan = await planOf(
    `${GOOGLE_DONE}${policy('p=none')}${policy('p=none', 'shop.acme.test')}
    shop.acme.test. MX 1 smtp.google.com.
    shop.acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${txtZoneLine('google._domainkey.shop.acme.test', GOOD_KEY_RECORD)}
    mail.shop.acme.test. MX 10 mx.mail.acme.test.`,
    { domain: 'shop.acme.test' },
  )
  expect(plan.rollout).toHaveLength(5)
  expect(plan.rollout.filter(({ onlyIf }) => onlyIf !== null)).toEqual([])
})

test.each(['none', 'reject'])(
  'a lock that leaves sp=%s asks nothing about subdomains',
  async (sp) => {
    const plan = await planOf(`${AT_CLOUDFLARE}${spfLine('-all')}${policy(`p=none; sp=${sp}`)}`)
    expect(policiesIn(dmarcAt(plan).value)).toMatchObject({ domain: 'reject', subdomains: sp })
    expect(dmarcAt(plan).onlyIf ?? '').not.toContain('subdomain')
  },
)
