import { createReportDns } from '@mailgrade/doh'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { createOverlayDns } from '../overlay-dns.js'
import { checkDomain } from './check-domain.js'
import { assessSpoofability } from './check-reports.js'
import { hasNoMailRecords, noMailRecords } from './no-mail.js'

const DOMAIN = 'acme.test' as DomainName

async function check(zone: string, records: ReturnType<typeof noMailRecords> = []) {
  const dns = createOverlayDns(zoneDns(`acme.test. NS ns.acme.test.\n${zone}`), records)
  const lookup = createReportDns(dns, { deadlineMs: 600_000 })
  const checked = await checkDomain(lookup, DOMAIN, { randomLabel: () => 'random' })
  lookup.close()
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  return checked.report
}

describe('hasNoMailRecords', () => {
  test.each([
    ['nothing at all', ''],
    ['a web server', 'acme.test. A 192.0.2.1'],
    ['other TXT records', 'acme.test. TXT "site-verification=1"'],
  ])('is true for a domain with %s', async (_, zone) => {
    expect(hasNoMailRecords(await check(zone))).toBe(true)
  })

  test.each([
    ['an MX record', 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'],
    ['a null MX', 'acme.test. MX 0 .'],
    ['an SPF record', 'acme.test. TXT "v=spf1 mx ~all"'],
    ['a misspelled SPF record', 'acme.test. TXT "v=spf1include:_spf.google.com ~all"'],
    ['a DMARC record', '_dmarc.acme.test. TXT "v=DMARC1; p=none"'],
    ['a misspelled DMARC record', '_dmarc.acme.test. TXT "DMARC1; p=none"'],
    ['a DKIM key', 'google._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"'],
    ['a name below _domainkey', 'mystery._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"'],
  ])('is false for a domain with %s', async (_, zone) => {
    expect(hasNoMailRecords(await check(zone))).toBe(false)
  })
})

test('the records for a domain without mail leave nothing to fix', async () => {
  const report = await check('acme.test. A 192.0.2.1', noMailRecords(DOMAIN))
  expect(report.profile).toBe('non-sending')
  expect(assessSpoofability(report)).toBe('no')
  expect([report.mx, report.spf, report.dmarc, report.dkim].map(({ status }) => status)).toEqual([
    'pass',
    'pass',
    'pass',
    'pass',
  ])
})

test('asks for a key only if the domain sends mail', async () => {
  const { dkim } = await check('acme.test. A 192.0.2.1')
  expect(dkim.issues).toMatchObject([
    {
      id: 'dkim.missing',
      fix: expect.stringMatching(
        /^If acme.test sends mail, .*<selector>._domainkey.acme.test".* doesn’t need a key\.$/,
      ),
    },
  ])
})
