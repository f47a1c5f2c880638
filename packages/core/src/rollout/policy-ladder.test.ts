import { expect, test } from 'vitest'
import { describeCondition } from './condition-words.js'
import {
  conditionsBefore,
  findPosition,
  levelsAfter,
  POLICY_LEVELS,
  type PublishedLevel,
  type SubdomainPolicies,
  subdomainPoliciesAfter,
} from './policy-ladder.js'

const NONE: PublishedLevel = { policy: 'none', testing: false, percent: 100, below: [] }
const NO_TAGS: SubdomainPolicies = { sp: null, np: null }
const NOT_STRICT = { id: 'exact-domain', domain: 'acme.test', tags: [] } as const

const namesAfter = (published: PublishedLevel, tags = NO_TAGS) =>
  levelsAfter(findPosition(published), tags).map(
    ({ policy, testing }) => `${policy}${testing ? ' t=y' : ''}`,
  )

test.each<[string, Partial<PublishedLevel>, string[]]>([
  ['p=none', {}, ['quarantine t=y', 'quarantine', 'reject t=y', 'reject']],
  ['p=none; t=y', { testing: true }, ['quarantine t=y', 'quarantine', 'reject t=y', 'reject']],
  [
    'p=quarantine; t=y; pct=0',
    { policy: 'quarantine', testing: true, percent: 0 },
    ['quarantine', 'reject t=y', 'reject'],
  ],
  ['p=quarantine', { policy: 'quarantine' }, ['reject t=y', 'reject']],
  [
    'p=quarantine; pct=20',
    { policy: 'quarantine', percent: 20 },
    ['quarantine', 'reject t=y', 'reject'],
  ],
  ['p=reject; sp=none', { policy: 'reject', below: ['none'] }, ['reject']],
  ['p=reject', { policy: 'reject' }, []],
])('after %s', (_, published, levels) => {
  expect(namesAfter({ ...NONE, ...published })).toEqual(levels)
})

test('a test never lowers the policy that subdomains have already', () => {
  const tags = { sp: 'reject', np: null } as const
  expect(namesAfter(NONE, tags)).toEqual(['quarantine', 'reject'])
})

test.each([
  ['none', 'reject', ['quarantine', 'reject']],
  ['none', 'quarantine', ['quarantine']],
  ['quarantine', 'reject', ['reject']],
  ['reject', 'quarantine', []],
] as const)('sp=%s under p=%s is raised to %j', (sp, policy, later) => {
  expect(subdomainPoliciesAfter(sp, policy)).toEqual(later)
})

test('reject without a test has the conditions of the test', () => {
  const [, , quarantine, , reject] = POLICY_LEVELS
  if (!quarantine || !reject) throw new Error('no such levels')
  expect(conditionsBefore(quarantine, reject, NOT_STRICT).map(describeCondition)).toEqual([
    'In the reports, you recognize every service that sends your mail.',
    'Each of them passes DMARC with DKIM, because SPF alone breaks when mail is forwarded (RFC 9989 §7.4).',
    'You’ve asked staff and customers, and no mail has gone missing in the past month.',
    'None of your mail has failed DMARC in the reports for a week.',
    'No one at your domain posts to mailing lists that change messages, for example by adding a footer. If someone does, stay at p=quarantine (RFC 9989 §7.4).',
  ])
})

test('strict alignment is a condition of every stage', () => {
  const [none, quarantineTest] = POLICY_LEVELS
  if (!none || !quarantineTest) throw new Error('no such levels')
  const strict = { ...NOT_STRICT, tags: ['adkim', 'aspf'] } as const
  expect(conditionsBefore(none, quarantineTest, strict).map(describeCondition).at(-1)).toBe(
    'Every sender passes for exactly the domain in its From address, such as acme.test, because adkim=s and aspf=s accept no other.',
  )
})

test.each<[string, Partial<PublishedLevel>, number, string[]]>([
  [
    'a test of reject that no plan led to asks for signatures first',
    { policy: 'reject', testing: true },
    30,
    ['senders-known', 'senders-sign', 'none-missing', 'none-fails', 'no-complaints', 'no-lists'],
  ],
  [
    'the test of a plan, which has asked',
    { policy: 'reject', testing: true, percent: 0 },
    7,
    ['none-fails', 'no-complaints', 'no-lists'],
  ],
  [
    'reject for half of the mail asks what a test would have shown',
    { policy: 'reject', percent: 50 },
    30,
    ['senders-known', 'senders-sign', 'failures-not-yours', 'no-complaints', 'no-lists'],
  ],
])('%s', (_, published, days, ids) => {
  const { level } = findPosition({ ...NONE, ...published })
  expect(level.minimumDays).toBe(days)
  expect(level.conditions.map(({ id }) => id)).toEqual(ids)
})

test('a test with a share has no test after it, which would lower the share', () => {
  const published = { policy: 'reject', testing: true, percent: 25 } as const
  expect(namesAfter({ ...NONE, ...published })).toEqual(['reject'])
})
