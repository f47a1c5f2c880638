/** The color and the words of a verdict agree with the score and with each other. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { keyZoneLine, txtZoneLine } from '../../../test/support/dkim-fixture.js'
import {
  fullScoreZone,
  scoreFromZone,
  withDmarc,
  withSpf,
} from '../../../test/support/score-fixture.js'
import type { DomainName } from '../../names/domain-name.js'
import { checkDomain } from '../check/check-domain.js'
import { describeVerdict, verdictStatus } from './verdict.js'

async function judge(zone: string, domain = 'acme.test', selectors: string[] = []) {
  let count = 0
  const random = { randomLabel: () => `random${count++}` }
  const checked = await checkDomain(zoneDns(zone), domain as DomainName, random, { selectors })
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  return describeVerdict(checked.report)
}

const SILENT = { mx: 'acme.test. MX 0 .\n', ...withSpf('v=spf1 -all'), dkim: '' }

const NO_KEY_FOUND = { dkim: '*.acme.test. A 192.0.2.9\n' }

const CASES: readonly [string, Parameters<typeof fullScoreZone>[0], string, string][] = [
  ['p=reject', {}, 'pass Protected', 'Yes, forged mail is refused.'],
  ['no mail, p=reject', SILENT, 'pass Protected', 'Yes, forged mail is refused.'],
  [
    'p=quarantine',
    withDmarc('p=quarantine'),
    'warn Partly protected',
    'Almost: forged mail goes to spam.',
  ],
  [
    'p=reject in test mode',
    withDmarc('p=reject; t=y'),
    'warn Partly protected',
    'Almost: forged mail goes to spam.',
  ],
  [
    'p=quarantine in test mode',
    withDmarc('p=quarantine; t=y'),
    'fail Exposed',
    'Not yet: your policy is in test mode.',
  ],
  [
    'open subdomains',
    withDmarc('p=reject; sp=none'),
    'warn Partly protected',
    'Almost: some forged mail still gets through.',
  ],
  ['p=none', withDmarc('p=none'), 'fail Exposed', 'No, you’re not protected yet.'],
  ['no DMARC', { dmarc: '' }, 'fail Exposed', 'No, you’re not protected yet.'],
  ['+all under p=reject', withSpf('v=spf1 +all'), 'fail Exposed', 'No, you’re not protected yet.'],
  [
    'broken SPF under p=reject',
    withSpf('v=spf1 mx ipv4:192.0.2.1 -all'),
    'warn Needs repair',
    'Forged mail is refused, but your own mail is at risk.',
  ],
  [
    'broken SPF under p=quarantine',
    { ...withSpf('v=spf1 mx', 'v=spf1 a'), ...withDmarc('p=quarantine') },
    'fail Needs repair',
    'Forged mail goes to spam, but your own mail is at risk.',
  ],
  [
    'a mail server without an address',
    { mx: 'acme.test. MX 10 gone.acme.test.\n' },
    'warn Needs repair',
    'Forged mail is refused, but your own mail is at risk.',
  ],
  [
    'no key found',
    NO_KEY_FOUND,
    'warn DKIM unknown',
    'Forged mail is refused, but we don’t know your DKIM key.',
  ],
  [
    'a published private key',
    {
      dkim:
        keyZoneLine('default') + keyZoneLine('mail', 'v=DKIM1; p=-----BEGIN PRIVATE KEY-----MIIE'),
    },
    'warn Partly protected',
    'Almost: some forged mail still gets through.',
  ],
  [
    'no mail and no SPF',
    { ...SILENT, spf: '' },
    'fail Needs repair',
    'Forged mail is refused, but some settings need work.',
  ],
  [
    'a broken SPF record and open subdomains',
    { ...withSpf('v=spf1 mx ipv4:192.0.2.1 -all'), ...withDmarc('p=reject; sp=none') },
    'fail Needs repair',
    'Most forged mail is refused, but your own mail is at risk.',
  ],
  [
    'a neutral default and no reports',
    {
      ...withSpf('v=spf1 ip4:192.0.2.1 ?all'),
      dmarc: txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject'),
    },
    'warn Needs work',
    'Forged mail is refused, but some settings need work.',
  ],
  [
    'a weak key',
    { dkim: keyZoneLine('default', `v=DKIM1; p=${SPKI[512]}`) },
    'fail Needs repair',
    'Almost: some forged mail still gets through.',
  ],
]

describe('describeVerdict', () => {
  test.each(CASES)('%s', async (_, changes, mark, answer) => {
    const verdict = await judge(fullScoreZone(changes))
    expect(`${verdict.status} ${verdict.label}`).toBe(mark)
    expect(verdict.answer).toBe(answer)
    expect(verdict.statement).not.toMatch(/\byou/i)
  })

  test.each(CASES)(
    '%s: the score has the same color, and no better grade',
    async (_, changes, mark) => {
      const score = await scoreFromZone(fullScoreZone(changes))
      const isKeyUnknown = score.bulkSender.unknown.includes('dkim') && score.profile === 'sending'
      const status = verdictStatus({ ...score, isKeyUnknown })
      expect(mark.split(' ')[0]).toBe(status)
      expect(GRADES[status]).toContain(score.grade)
    },
  )

  test.each([
    ['p=none', withDmarc('p=none'), 'Your DMARC policy is “none”, which only asks for reports.'],
    ['no DMARC', { dmarc: '' }, 'No DMARC policy asks receivers to stop it.'],
    ['+all', withSpf('v=spf1 +all'), 'SPF lets every server send as @acme.test'],
    ['no mail', SILENT, 'This domain sends no mail'],
    [
      'no mail by SPF, but mail servers',
      { ...SILENT, mx: 'acme.test. MX 10 mail.acme.test.\nmail.acme.test. A 192.0.2.1\n' },
      'Your SPF record declares that the domain sends no mail, so if you do send from it, that mail is refused, too.',
    ],
    ['open subdomains', withDmarc('p=reject; sp=none'), 'one gap is left: “'],
    ['no key found', NO_KEY_FOUND, 'We couldn’t tell whether your own mail is signed (DKIM).'],
    [
      'two gaps',
      withDmarc('p=reject; sp=none; t=y'),
      'Some still gets through because of this gap: “',
    ],
    [
      'open subdomains and a wide range',
      { ...withDmarc('p=reject; sp=none'), ...withSpf('v=spf1 ip4:8.0.0.0/8 -all') },
      '2 gaps are left, starting with this one: “',
    ],
    [
      'an open quarantine',
      withDmarc('p=quarantine; sp=none'),
      'Some still gets through because of this gap: “',
    ],
    ['a tested quarantine', withDmarc('p=quarantine; t=y'), 'as if there were no policy'],
    [
      'two records',
      withSpf('v=spf1 mx', 'v=spf1 a'),
      'Your list of allowed senders (SPF) needs work, so mail you send may land in spam or be refused. Fix this first: “',
    ],
  ])('%s: says why', async (_, changes, text) => {
    expect((await judge(fullScoreZone(changes))).meaning).toContain(text)
  })

  test('a name that its parent domain covers', async () => {
    const zone = `${fullScoreZone({})}\nwww.acme.test. A 192.0.2.9\n`
    expect(await judge(zone, 'www.acme.test')).toEqual({
      status: 'pass',
      spoofable: 'no',
      label: 'Protected',
      answer: 'Yes, forged mail is refused.',
      statement: 'Forged mail is refused.',
      meaning:
        'acme.test’s policy covers this name, so receivers refuse mail that claims to come from it.',
    })
  })

  test('a policy that only newer receivers find', async () => {
    const zone = [
      fullScoreZone({ dmarc: '' }),
      txtZoneLine('_dmarc.test', 'v=DMARC1; p=reject; psd=n; rua=mailto:d@acme.test'),
    ].join('\n')
    const { status, answer } = await judge(zone)
    expect(`${status}: ${answer}`).toBe('warn: Almost: some forged mail still gets through.')
  })
})

/** The grades that a color may come with: a D never looks safe, and an A never looks broken. */
const GRADES = { pass: ['A'], warn: ['A', 'B', 'C'], fail: ['B', 'C', 'D', 'F'] }

test('a wrong guess of a selector says nothing against a domain with a usable key', async () => {
  const guessed = await judge(fullScoreZone({}), 'acme.test', ['nope'])
  expect(guessed).toEqual(await judge(fullScoreZone({})))
})
