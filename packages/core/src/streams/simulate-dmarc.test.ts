import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { queryWalkSteps, treeWalkDomains } from '../checks/dmarc/tree-walk.js'
import { registrableDomain } from '../names/registrable-domain.js'
import { type AuthenticatedMail, simulateRfc7489, simulateRfc9989 } from './simulate-dmarc.js'

/** `domain: record`, one a line. Names of `missing` don't exist. */
async function simulate(
  records: string,
  mail: Partial<AuthenticatedMail> & Pick<AuthenticatedMail, 'from'>,
  missing: readonly string[] = [],
) {
  const lines = records.trim().split('\n')
  const zone = lines.map((line) => {
    const [domain, text] = line.trim().split(': ')
    return `_dmarc.${domain}. TXT "v=DMARC1; ${text}"`
  })
  const message = { spfDomain: null, dkimDomains: [], ...mail }
  const names = [message.from, message.spfDomain ?? [], ...message.dkimDomains].flat()
  const walked = names.flatMap((name) => [...treeWalkDomains(name), registrableDomain(name)])
  const steps = await queryWalkSteps(zoneDns(zone.join('\n')), [...new Set(walked)])
  const published = { steps, isNonexistent: (name: string) => missing.includes(name) }
  return [simulateRfc9989(published, message), simulateRfc7489(published, message)].map(
    (each) => each && (each.passes ? 'pass' : `${each.policy} ${each.treatment}`),
  )
}

test.each<[string, string, string, string]>([
  ['the policy', 'acme.test: p=reject', 'reject reject', 'reject reject'],
  ['none', 'acme.test: p=none', 'none none', 'none none'],
  // RFC 9989 §4.7; large receivers of the older kind read `t`, too.
  ['a test', 'acme.test: p=reject; t=y', 'reject quarantine', 'reject quarantine'],
  // RFC 7489 §6.3; RFC 9989 §A.6 removed it.
  ['no share', 'acme.test: p=reject; pct=0', 'reject reject', 'reject quarantine'],
  ['half', 'acme.test: p=quarantine; pct=50', 'quarantine quarantine', 'quarantine quarantine'],
  ['a planned test', 'acme.test: p=quarantine; t=y; pct=0', 'quarantine none', 'quarantine none'],
])('mail that fails gets %s', async (_, records, newer, older) => {
  expect(await simulate(records, { from: 'acme.test' })).toEqual([newer, older])
})

test.each<[string, string, string[], string, string]>([
  ['sp', 'acme.test: p=reject; sp=none', [], 'none none', 'none none'],
  ['p without sp', 'acme.test: p=reject', [], 'reject reject', 'reject reject'],
  // RFC 7489 has no `np`.
  [
    'np where the name doesn’t exist',
    'acme.test: p=reject; sp=none; np=reject',
    ['news.acme.test'],
    'reject reject',
    'none none',
  ],
  ['its own record', 'acme.test: p=reject\nnews.acme.test: p=none', [], 'none none', 'none none'],
])('mail from a subdomain gets %s', async (_, records, missing, newer, older) => {
  expect(await simulate(records, { from: 'news.acme.test' }, missing)).toEqual([newer, older])
})

test('a record with psd=n is the end of the walk, and older receivers go on', async () => {
  const records = 'acme.co.uk: p=reject\nshop.acme.co.uk: p=none; psd=n'
  const mail = { from: 'mail.shop.acme.co.uk' }
  expect(await simulate(records, mail)).toEqual(['none none', 'reject reject'])
})

test('a public suffix with a record governs names that older receivers don’t look for', async () => {
  const records = 'co.uk: p=reject; psd=y'
  expect(await simulate(records, { from: 'acme.co.uk' })).toEqual(['reject reject', 'null none'])
})

test.each<[string, Omit<AuthenticatedMail, 'from'>, string, string]>([
  ['its own SPF', { spfDomain: 'acme.test', dkimDomains: [] }, 'p=reject', 'pass'],
  ['a bounce name', { spfDomain: 'b.acme.test', dkimDomains: [] }, 'p=reject', 'pass'],
  ['a bounce name', { spfDomain: 'b.acme.test', dkimDomains: [] }, 'p=reject; aspf=s', 'reject'],
  ['a signature below', { spfDomain: null, dkimDomains: ['m.acme.test'] }, 'p=reject', 'pass'],
  [
    'a signature below',
    { spfDomain: null, dkimDomains: ['m.acme.test'] },
    'p=reject; adkim=s',
    'reject',
  ],
  ['another’s SPF', { spfDomain: 'other.test', dkimDomains: [] }, 'p=reject', 'reject'],
  ['one of two', { spfDomain: 'x.test', dkimDomains: ['y.test', 'acme.test'] }, 'p=reject', 'pass'],
])('with %s (%o) under %s: %s', async (_, authenticated, tags, outcome) => {
  const expected = outcome === 'pass' ? 'pass' : `${outcome} ${outcome}`
  const found = await simulate(`acme.test: ${tags}`, { from: 'acme.test', ...authenticated })
  expect(found).toEqual([expected, expected])
})

test('a failed query leaves both unknown', async () => {
  const dns = zoneDns('', { 'TXT _dmarc.acme.test': 'timeout' })
  const steps = await queryWalkSteps(dns, ['acme.test', 'test'])
  const mail = { from: 'acme.test', spfDomain: null, dkimDomains: [] }
  const published = { steps, isNonexistent: () => false }
  expect(simulateRfc9989(published, mail)).toBe(null)
  expect(simulateRfc7489(published, mail)).toBe(null)
})
