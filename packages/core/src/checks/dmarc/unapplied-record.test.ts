import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkDmarc } from './check-dmarc.js'

async function check(
  zone: string,
  { domain = 'acme.test', failing = {} as Record<string, FailureReason> } = {},
) {
  const dns = zoneDns(zone, failing)
  const checked = await checkDmarc(dns, domain as DomainName)
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  const { issues } = checked.report
  const find = (id: string) => issues.find((issue) => issue.id === id)
  return { report: checked.report, ids: issues.map(({ id }) => id), find, queries: dns.queries }
}

const MX = 'acme.test. MX 10 mx.acme.test.\n'
const RUA = 'rua=mailto:d@acme.test'
const NONE = `v=DMARC1; p=none; ${RUA}`
const DOUBLED = '_dmarc.acme.test.acme.test'

describe('DMARC record in the wrong place', () => {
  test('at the domain itself is to be moved', async () => {
    const { report, ids, find } = await check(`${MX}acme.test. TXT "${NONE}"`)
    expect(report).toMatchObject({ status: 'fail', record: null, policy: null })
    expect(ids).toEqual(['dmarc.missing', 'dmarc.record-at-domain'])
    expect(find('dmarc.record-at-domain')).toEqual({
      id: 'dmarc.record-at-domain',
      severity: 'medium',
      title: 'The DMARC record at acme.test is in the wrong place',
      detail: expect.stringContaining('only at _dmarc.acme.test.'),
      fix: `Publish this TXT record at _dmarc.acme.test, with a mailbox you read: "${NONE}". Delete the record at acme.test.`,
      evidence: [{ name: 'acme.test', type: 'TXT', value: NONE }],
      reference: 'RFC 9989 §4.5',
    })
    expect(find('dmarc.missing')).toMatchObject({
      detail: expect.stringContaining('The record at acme.test is in the wrong place'),
      fix: expect.stringMatching(
        /^Move the record to _dmarc.acme.test, .*"dmarc.record-at-domain"/,
      ),
    })
  })

  test('at the doubled name is to be moved', async () => {
    const { ids, find } = await check(`${MX}${DOUBLED}. TXT "${NONE}"`)
    expect(ids).toEqual(['dmarc.missing', 'dmarc.record-at-doubled-name'])
    expect(find('dmarc.record-at-doubled-name')).toMatchObject({
      detail: expect.stringContaining(`The record is at ${DOUBLED}, where receivers don’t look`),
      fix: `Publish this TXT record at _dmarc.acme.test, with a mailbox you read. At your DNS host, enter only "_dmarc" as the name, and this as the value: "${NONE}". Delete the record at ${DOUBLED}.`,
      evidence: [{ name: DOUBLED, type: 'TXT', value: NONE }],
    })
  })

  test.each([
    ['p=reject', `p=reject; ${RUA}`],
    ['sp=reject', `p=none; sp=reject; ${RUA}`],
  ])('is to start with p=none if it enforces %s', async (_, tags) => {
    const { find } = await check(`${MX}acme.test. TXT "v=DMARC1; ${tags}"`)
    for (const id of ['dmarc.missing', 'dmarc.record-at-domain']) {
      expect(find(id)).not.toHaveProperty('record')
    }
    expect(find('dmarc.missing')?.fix).toContain('with "p=none" at first')
    const fix = find('dmarc.record-at-domain')?.fix
    expect(fix).toContain(
      `Publish this TXT record at _dmarc.acme.test, with a mailbox you read: "${NONE}". Delete the record at acme.test. Stay at "p=none" for now.`,
    )
    expect(fix).toContain(
      `or right away if acme.test and its subdomains send no mail, publish what you meant: "v=DMARC1; ${tags}"`,
    )
  })

  test('is not proposed with a fault in it', async () => {
    const { find } = await check(`${MX}acme.test. TXT "v=DMARC1; p=none; t=x; ${RUA}"`)
    expect(find('dmarc.record-at-domain')).toMatchObject({
      fix: expect.stringContaining(`"${NONE}"`),
    })
    expect(find('dmarc.record-at-domain')).not.toHaveProperty('record')
  })

  test('is not proposed if there are several to choose from', async () => {
    const { find } = await check(
      `${MX}acme.test. TXT "${NONE}"\n${DOUBLED}. TXT "v=DMARC1; p=none"`,
    )
    for (const id of ['dmarc.missing', 'dmarc.record-at-domain', 'dmarc.record-at-doubled-name']) {
      expect(find(id)).not.toHaveProperty('record')
      expect(find(id)?.fix).toMatch(/ to _dmarc.acme.test, with "p=none" at first\./)
    }
  })

  test('is only superfluous beside a usable record', async () => {
    const { report, ids, find, queries } = await check(
      `${MX}acme.test. TXT "${NONE}"\n_dmarc.acme.test. TXT "v=DMARC1; p=reject; ${RUA}"`,
    )
    expect(report.status).toBe('pass')
    expect(ids).toEqual(['dmarc.unused-record-at-domain'])
    expect(find('dmarc.unused-record-at-domain')).toMatchObject({
      severity: 'info',
      fix: expect.stringMatching(
        /keep the one at _dmarc.acme.test as it is\. Delete the record at acme.test\.$/,
      ),
    })
    expect(queries).not.toContain(`TXT ${DOUBLED}`)
  })

  test('does not weaken an inherited policy', async () => {
    const { ids, find } = await check(
      `${MX}_dmarc.acme.test. TXT "v=DMARC1; p=reject; ${RUA}"
      mail.acme.test. TXT "v=DMARC1; p=none"`,
      { domain: 'mail.acme.test' },
    )
    expect(ids).toEqual(['dmarc.record-at-domain'])
    expect(find('dmarc.record-at-domain')?.fix).toBe(
      'Delete the record at mail.acme.test. The policy that applies is reject, from _dmarc.acme.test. If mail.acme.test needs its own policy, publish a record at _dmarc.mail.acme.test instead.',
    )
  })

  test('beside a broken record has to give way', async () => {
    const { find } = await check(
      `${MX}acme.test. TXT "${NONE}"\n_dmarc.acme.test. TXT " v=DMARC1; p=none"`,
    )
    expect(find('dmarc.record-at-domain')?.fix).toBe(
      'Correct the record at _dmarc.acme.test. That’s the one receivers read. Delete the record at acme.test.',
    )
  })

  test('replaces a CNAME at the right place', async () => {
    const { find } = await check(
      `${MX}acme.test. TXT "${NONE}"\n_dmarc.acme.test. CNAME gone.test.`,
    )
    expect(find('dmarc.record-at-domain')?.fix).toContain(
      'at _dmarc.acme.test (a CNAME, so replace it with a TXT record), with',
    )
    expect(find('dmarc.record-at-domain')).not.toHaveProperty('record')
  })

  test('stays unknown if its query fails', async () => {
    const { ids } = await check(MX, {
      failing: { 'TXT acme.test': 'servfail', [`TXT ${DOUBLED}`]: 'timeout' },
    })
    expect(ids).toEqual(['dmarc.missing'])
  })
})
