/** What pages and terminals say about the check of a domain. */

import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { checkZone, PROTECTED_ZONE } from '../../test/support/checked-domain.js'
import { describeCheck } from './describe-check.js'
import { type Block, plainText } from './document.js'

/** Its kind, and what it says. */
function outline(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `h${block.level}: ${block.text}`
    case 'paragraph':
      return plainText(block.text)
    case 'findings':
      return block.findings.map(({ id }, index) => `${block.first + index}. ${id}`).join(' ')
    case 'notes':
      return `${block.title}: ${block.findings.map(({ id }) => id).join(' ')}`
    case 'publish':
      return block.records.map(({ type, name, value }) => `${name} ${type} ${value}`).join('; ')
    default:
      return block.kind
  }
}

test('a domain without faults', async () => {
  const { title, result, verdict, tiles, blocks, findings } = describeCheck(
    await checkZone(PROTECTED_ZONE),
  )
  expect({ title, result }).toEqual({ title: 'acme.test', result: 'Protected' })
  expect(verdict).toMatchObject({ status: 'pass', answer: 'Yes, forged mail is refused.' })
  expect(tiles.tiles.map(({ name, status, text }) => `${name}: ${status}, ${text}`)).toEqual([
    'Who may send: pass, 1 of 10 lookups',
    'Signed mail: pass, 1 key: 2048 bits',
    'Blocking forged mail: pass, Policy reject',
    'Receiving mail: pass, 1 server',
  ])
  expect(blocks.map(outline)).toEqual(['verdict', 'path', 'tiles', 'lookups'])
  expect(findings.map(outline)).toEqual(['h2: What to fix', 'Nothing.'])
})

test('the worst fault comes first, and what needs no action last', async () => {
  const zone = PROTECTED_ZONE.replace('p=reject', 'p=none').replace('mx -all', 'mx ~all')
  const faulty = await checkZone(zone.replace('; rua=mailto:d@acme.test', ''))
  const document = describeCheck(faulty)
  expect(document.findings.map(outline)).toEqual([
    'h2: Fix this first',
    '1. dmarc.policy-none',
    'h2: Then fix this',
    '2. dmarc.no-reports',
    'Good to know: spf.softfail-without-dmarc',
  ])
  expect(document.firstFix.map(outline)).toEqual(['h2: Fix this first', '1. dmarc.policy-none'])
})

test('only the owner knows whether a domain without records has mail', async () => {
  const document = describeCheck(await checkZone('acme.test. A 192.0.2.1'))
  expect(document.firstFix).toEqual([])
  expect(document.findings.map(outline)).toEqual([
    'h2: Does acme.test send or receive mail?',
    'h3: No: publish these three records',
    'They tell every mail server to refuse mail that claims to be from acme.test. Before you publish them, make sure that:',
    'list',
    'acme.test TXT v=spf1 -all; _dmarc.acme.test TXT v=DMARC1; p=reject; acme.test MX 0 .',
    'h3: Yes: fix these 4 instead',
    '1. dmarc.missing 2. spf.missing 3. dkim.missing 4. mx.implicit',
  ])
})

test('the ladder has one level where the domain is', async () => {
  const zone = PROTECTED_ZONE.replace('p=reject', 'p=quarantine; t=y')
  const { levels } = describeCheck(await checkZone(zone)).ladder
  expect(
    levels.map(({ name, status, isDone, here, goal }) => [name, status, isDone, here, goal]),
  ).toEqual([
    ['1. No policy', null, true, null, null],
    ['2. Monitor (none)', null, true, null, null],
    ['3. Quarantine', 'warn', false, 'You are here, in test mode', null],
    ['4. Reject', null, false, null, 'Goal'],
  ])
})

test('every mechanism follows, and optional records have no status', async () => {
  const { spf, mechanisms } = describeCheck(await checkZone(PROTECTED_ZONE))
  expect([spf, ...mechanisms].map(({ id, status }) => [id, status])).toEqual([
    ['spf', 'pass'],
    ['dkim', 'pass'],
    ['dmarc', 'pass'],
    ['mx', 'pass'],
    ['transport', null],
  ])
})

describe('the path of a forged message', () => {
  test.each([
    [
      'a domain that refuses it',
      PROTECTED_ZONE,
      [
        'A scammer sends mail as boss@acme.test',
        'pass: SPF fails: this server isn’t on your list',
        'DKIM no valid signature from your domain',
        'pass: DMARC policy “reject”: refuse it',
        'pass: Refused It never arrives',
      ],
    ],
    [
      'a domain without records',
      '',
      [
        'A scammer sends mail as boss@acme.test',
        'fail: SPF no list of allowed servers',
        'DKIM no valid signature from your domain',
        'fail: DMARC no policy: each receiver decides for itself',
        'fail: Delivered It can reach the inbox',
      ],
    ],
    [
      'a policy that is only tested, a soft fail and a short key',
      `acme.test. TXT "v=spf1 ~all"
       s1._domainkey.acme.test. TXT "v=DKIM1; p=${SPKI[512]}"
       _dmarc.acme.test. TXT "v=DMARC1; p=reject; t=y"`,
      [
        'A scammer sends mail as boss@acme.test',
        'warn: SPF soft fail: looks suspicious but isn’t blocked',
        'fail: DKIM someone may crack your short key and sign as you',
        'warn: DMARC policy “reject” in test mode: move it to spam',
        'warn: Spam folder People may still open it',
      ],
    ],
    [
      'a record that lets everyone send',
      'acme.test. TXT "v=spf1 +all"\n_dmarc.acme.test. TXT "v=DMARC1; p=reject"',
      [
        'A scammer sends mail as boss@acme.test',
        'fail: SPF lets every server pass',
        'DKIM no valid signature from your domain',
        'fail: DMARC passes, because SPF passed',
        'fail: Delivered It can reach the inbox',
      ],
    ],
  ])('of %s', async (_, zone, expected) => {
    const { stops } = describeCheck(await checkZone(zone)).path
    expect(
      stops.map(({ name, text, status }) => `${status ? `${status}: ` : ''}${name} ${text}`),
    ).toEqual(expected)
  })
})
