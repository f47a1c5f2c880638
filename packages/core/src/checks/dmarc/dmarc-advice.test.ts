/** The advice of each finding can be carried out and does no harm. */

import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkDmarc } from './check-dmarc.js'

async function check(zone: string, domain = 'acme.test') {
  const checked = await checkDmarc(zoneDns(zone), domain as DomainName)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  const { issues } = checked.report
  const fixOf = (id: string) => issues.find((issue) => issue.id === id)?.fix
  return { issues, ids: issues.map(({ id }) => id), fixOf }
}

const MX = 'acme.test. MX 10 mx.acme.test.\n'
const REPORTS = 'rua=mailto:d@acme.test'

describe('first record', () => {
  test('rejects all mail only at the domain itself, not at its parent', async () => {
    const { fixOf } = await check(`${MX} s.acme.test. A 192.0.2.1`, 's.acme.test')
    expect(fixOf('dmarc.missing')).toMatch(
      /TXT record at _dmarc.acme.test, .*: "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"\. .*If s.acme.test and its subdomains send no mail, publish this at _dmarc.s.acme.test instead: "v=DMARC1; p=reject"\.$/,
    )
  })

  test('replaces a dangling CNAME', async () => {
    const { issues, fixOf } = await check(`${MX} _dmarc.acme.test. CNAME gone.test.`)
    expect(issues.filter(({ record }) => record)).toEqual([])
    const fix = fixOf('dmarc.missing')
    const place = '_dmarc.acme.test (a CNAME, so replace it with a TXT record)'
    expect(fix).toContain(`Publish this TXT record at ${place}, with`)
    expect(fix).toContain(`send no mail, publish this at ${place} instead: "v=DMARC1; p=reject"`)
  })
})

describe('a stricter policy', () => {
  test.each([
    ['p=quarantine; sp=none', 'dmarc.policy-quarantine', 'p=reject; sp=none'],
    ['p=quarantine; np=none', 'dmarc.policy-quarantine', 'p=reject; np=none'],
  ])('leaves a weaker one below as it is: %s', async (tags, id, stricter) => {
    const { fixOf, issues } = await check(
      `${MX} _dmarc.acme.test. TXT "v=DMARC1; ${tags}; ${REPORTS}"`,
    )
    expect(fixOf(id)).toContain(`to: "v=DMARC1; ${stricter}; ${REPORTS}"`)
    expect(issues.find((issue) => issue.id === id)?.record).toBeUndefined()
  })

  test.each([
    ['p=reject; sp=quarantine', 'dmarc.policy-quarantine', 'p=reject'],
    ['p=none', 'dmarc.policy-none', 'p=quarantine'],
  ])('applies to the name that was asked about alone: %s', async (tags, id, stricter) => {
    const zone = `${MX} _dmarc.acme.test. TXT "v=DMARC1; ${tags}; ${REPORTS}"
      s.acme.test. MX 10 mx.acme.test.`
    const fix = (await check(zone, 's.acme.test')).fixOf(id) ?? ''
    expect(fix).toContain(`at _dmarc.s.acme.test: "v=DMARC1; ${stricter}; ${REPORTS}"`)
    expect(fix).not.toContain('record at _dmarc.acme.test')
  })
})

describe('record at a CNAME', () => {
  const aliased = (record: string) =>
    `${MX} _dmarc.acme.test. CNAME d.vendor.test.\nd.vendor.test. TXT "${record}"\n`
  const REPLACE =
    '_dmarc.acme.test (a CNAME, so replace it with a TXT record, or ask the owner of d.vendor.test to make the change)'

  test.each([
    ['dmarc.policy-none', `p=none; ${REPORTS}`],
    ['dmarc.policy-quarantine', `p=quarantine; ${REPORTS}`],
    ['dmarc.testing', `p=reject; t=y; ${REPORTS}`],
    ['dmarc.partial', `p=reject; pct=5; ${REPORTS}`],
    ['dmarc.subdomains-open', `p=reject; sp=none; ${REPORTS}`],
    ['dmarc.nonexistent-weaker', `p=reject; np=none; ${REPORTS}`],
    ['dmarc.bad-tags', `p=reject; t=x; ${REPORTS}`],
    ['dmarc.unknown-tags', `p=reject; x=y; ${REPORTS}`],
    ['dmarc.obsolete-tags', `p=reject; ri=1; ${REPORTS}`],
    ['dmarc.no-reports', 'p=reject'],
  ])('%s advises replacing the CNAME', async (id, tags) => {
    const { issues, fixOf } = await check(aliased(`v=DMARC1; ${tags}`))
    expect(issues.filter(({ record }) => record)).toEqual([])
    expect(fixOf(id)).toContain(REPLACE)
  })

  test('no provider is asked to change the record of all its customers', async () => {
    const { fixOf } = await check(`${MX} _dmarc.acme.test. CNAME dmarc.ionos.de.
      dmarc.ionos.de. TXT "v=DMARC1; p=none"`)
    expect(fixOf('dmarc.policy-none')).toContain('(a CNAME, so replace it with a TXT record)')
    expect(fixOf('dmarc.policy-none')).not.toContain('ask the owner')
  })

  test.each([
    ['dmarc.near-miss', 'v=DMARC2; p=reject'],
    ['dmarc.multiple-records', `v=DMARC1; p=none"\nd.vendor.test. TXT "v=DMARC1; p=reject`],
    ['dmarc.report-target-without-mx', 'v=DMARC1; p=reject; rua=mailto:d@in.acme.test'],
  ])('%s names the owner of the target', async (id, text) => {
    const { fixOf } = await check(aliased(text))
    expect(fixOf(id)).toContain(REPLACE)
  })

  test('a separate record replaces a CNAME', async () => {
    const { fixOf } = await check(
      `
        _dmarc.acme.test.     TXT   "v=DMARC1; p=none; ${REPORTS}"
        _dmarc.lab.acme.test. TXT   "v=DMARC1; p=reject; psd=n; ${REPORTS}"
        _dmarc.w.lab.acme.test. CNAME gone.test.
        w.lab.acme.test.      A     192.0.2.1
      `,
      'w.lab.acme.test',
    )
    expect(fixOf('dmarc.old-receivers-differ')).toContain(
      `at _dmarc.w.lab.acme.test (a CNAME, so replace it with a TXT record) to: "v=DMARC1; p=reject; ${REPORTS}"`,
    )
  })
})

describe('proposed report mailbox', () => {
  const PLACEHOLDER = 'rua=mailto:<a mailbox that receives mail>"'

  test.each([
    ['dmarc.missing', ''],
    ['dmarc.missing', '_dmarc.acme.test. TXT "v=DMARC1; adkim=s"'],
    ['dmarc.near-miss', '_dmarc.acme.test. TXT " v=DMARC1; p=none"'],
    ['dmarc.record-at-domain', 'acme.test. TXT "v=DMARC1; p=none"'],
    ['dmarc.no-reports', '_dmarc.acme.test. TXT "v=DMARC1; p=reject"'],
  ])('is a placeholder for a domain that accepts no mail: %s', async (id, record) => {
    for (const mail of ['acme.test. MX 0 .', 'acme.test. TXT "neither MX nor address"']) {
      const { issues, fixOf } = await check(`${mail}\n${record}`)
      expect(fixOf(id)).toContain(PLACEHOLDER)
      expect(fixOf(id)).not.toContain('@acme.test')
      expect(issues.filter((issue) => issue.record)).toEqual([])
    }
  })

  test('may be at the parent domain, if that accepts mail', async () => {
    const { fixOf } = await check(`${MX} s.acme.test. MX 0 .`, 's.acme.test')
    expect(fixOf('dmarc.missing')).toContain('rua=mailto:dmarc@acme.test"')
    const parked = await check('acme.test. MX 0 .\ns.acme.test. A 192.0.2.1', 's.acme.test')
    expect(parked.fixOf('dmarc.missing')).toContain(PLACEHOLDER)
  })

  test('may be at a domain whose addresses are unknown', async () => {
    const failing = { 'A acme.test': 'servfail', 'AAAA acme.test': 'servfail' } as const
    const checked = await checkDmarc(
      zoneDns('acme.test. TXT "x"', failing),
      'acme.test' as DomainName,
    )
    expect(checked).toMatchObject({
      report: { issues: [{ fix: expect.stringContaining('rua=mailto:dmarc@acme.test"') }] },
    })
  })

  test('may be at a domain without MX', async () => {
    const { fixOf } = await check('acme.test. A 192.0.2.1')
    expect(fixOf('dmarc.missing')).toContain('rua=mailto:dmarc@acme.test"')
  })
})

test.each([
  ['of the owner', 'in.acme.test'],
  ['of someone else', 'gone.example'],
])('reports to a name %s that receives no mail are lost', async (_, host) => {
  const { issues } = await check(
    `${MX} _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@${host}"
      acme.test._report._dmarc.${host}. TXT "v=DMARC1"`,
  )
  expect(issues.find(({ id }) => id === 'dmarc.report-target-without-mx')).toMatchObject({
    title: `Reports go to ${host}, but it doesn’t receive mail`,
    fix: expect.stringMatching(`at _dmarc.acme.test, .* publish MX records for ${host}\\.`),
  })
})

describe('conflicting tags', () => {
  test('p starts as none again', async () => {
    const { issues, fixOf } = await check(
      `${MX} _dmarc.acme.test. TXT "v=DMARC1; p=reject; p=none; x=y; ${REPORTS}"`,
    )
    expect(fixOf('dmarc.bad-tags')).toMatch(
      /Set the record at _dmarc.acme.test to: "v=DMARC1; p=none; rua=mailto:d@acme.test"\. .*If the policy itself was unclear, start over with "p=none"/,
    )
    expect(issues[0]).toMatchObject({
      id: 'dmarc.policy-none',
      detail: expect.stringContaining('"p=" more than once with different values'),
      fix: expect.stringMatching(/^Correct the record first\..*"dmarc.bad-tags"\.$/),
    })
  })

  test.each([
    ['p=reject; p=bogus', `p=none; ${REPORTS}`],
    ['p=reject; p=Reject', `p=reject; ${REPORTS}`],
    ['p=reject; aspf=r; aspf=s', `p=reject; ${REPORTS}; aspf=<the value you want>`],
  ])('%s', async (tags, repaired) => {
    const { fixOf } = await check(`${MX} _dmarc.acme.test. TXT "v=DMARC1; ${tags}; ${REPORTS}"`)
    expect(fixOf('dmarc.bad-tags')).toContain(`"v=DMARC1; ${repaired}"`)
  })

  test('become a placeholder, after p=none, in an unusable record', async () => {
    const { fixOf } = await check(`${MX} _dmarc.acme.test. TXT "v=DMARC2; p=reject; p=none"`)
    expect(fixOf('dmarc.near-miss')).toContain('"v=DMARC1; p=none; rua=mailto:dmarc@acme.test"')
    expect(fixOf('dmarc.near-miss')).toContain('"v=DMARC1; p=<the value you want>"')
  })
})

describe('record without p', () => {
  test('counts as none and gets the next step', async () => {
    const { issues } = await check(`${MX} _dmarc.acme.test. TXT "v=DMARC1; ${REPORTS}"`)
    expect(issues).toMatchObject([
      {
        id: 'dmarc.policy-none',
        detail: expect.stringContaining('or with no "p=" at all'),
        fix: expect.stringContaining(`"v=DMARC1; p=quarantine; ${REPORTS}"`),
      },
    ])
  })

  test('leaves out a subdomain policy that was never in effect', async () => {
    const { ids, fixOf } = await check(
      `s.acme.test. A 192.0.2.1\n${MX} _dmarc.acme.test. TXT "v=DMARC1; sp=reject; ${REPORTS}"`,
      's.acme.test',
    )
    expect(ids).toEqual(['dmarc.policy-none'])
    expect(fixOf('dmarc.policy-none')).toContain(`"v=DMARC1; p=quarantine; ${REPORTS}"`)
  })

  test.each([
    ['adkim=s', 'p=none; adkim=s; rua=mailto:dmarc@acme.test'],
    ['rua=d@acme.test', 'p=none; rua=mailto:d@acme.test'],
  ])('with %s and no reports counts as missing', async (tag, repaired) => {
    const { fixOf } = await check(`${MX} _dmarc.acme.test. TXT "v=DMARC1; ${tag}"`)
    expect(fixOf('dmarc.missing')).toContain(
      `Set the record at _dmarc.acme.test to this, with that mailbox’s address: "v=DMARC1; ${repaired}". When the reports show that all your mail passes, move to "p=quarantine"`,
    )
  })
})
