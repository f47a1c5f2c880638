/** The words of a check, for pages and the command line. */

import { expect, test } from 'vitest'
import { checkZone, PROTECTED_ZONE } from '../../../test/support/checked-domain.js'
import { summarizeDomain } from './domain-summary.js'
import { findingsCsv } from './domains-csv.js'
import { hasUncountedLookups, summarizeMechanisms } from './mechanism-words.js'
import { isUndecided } from './no-mail.js'

test('says what was found for each mechanism', async () => {
  expect(summarizeMechanisms(await checkZone(PROTECTED_ZONE))).toEqual({
    spf: { status: 'pass', words: '1 of 10 lookups' },
    dkim: { status: 'pass', words: '1 key: 2048 bits' },
    dmarc: { status: 'pass', words: 'Policy reject' },
    mx: { status: 'pass', words: '1 server' },
  })
})

test('does not call a key missing that it could not look up by name', async () => {
  const zone = `${PROTECTED_ZONE.replace('default._domainkey', 'own-name._domainkey')}`
  const { dkim } = summarizeMechanisms(await checkZone(zone))
  expect(dkim).toEqual({ status: 'unknown', words: 'No key at the usual selectors' })
})

test('counts lookups as a minimum if a part depends on the sender', async () => {
  const { spf } = await checkZone('acme.test. TXT "v=spf1 include:%{i}.acme.test -all"')
  expect(hasUncountedLookups(spf.tree)).toBe(true)
  expect(hasUncountedLookups((await checkZone(PROTECTED_ZONE)).spf.tree)).toBe(false)
})

test('asks whether a domain has mail only at a registrable domain', async () => {
  expect(isUndecided(await checkZone(''))).toBe(true)
  expect(isUndecided(await checkZone('www.acme.test. A 192.0.2.1', 'www.acme.test'))).toBe(false)
  expect(isUndecided(await checkZone('acme.test. TXT "v=spf1 -all"'))).toBe(false)
})

test('writes the findings as a table, the worst first', async () => {
  const [heading, ...rows] = findingsCsv(await checkZone(''))
    .trimEnd()
    .split('\r\n')
  expect(heading).toBe('\ufeffdomain,severity,id,title,fix,reference')
  expect(rows[0]).toMatch(/^acme\.test,critical,dmarc\.missing,acme\.test has no DMARC policy,/)
})

test('summarizes a domain in one row', async () => {
  const report = await checkZone('')
  const { domain, status, label, answer, checked } = summarizeDomain(report, '2026-11-07T09:05Z')
  expect([domain, status, label, answer]).toEqual([
    'acme.test',
    'fail',
    'Exposed',
    'Anyone can send email as this domain.',
  ])
  expect(checked?.checkedAt).toBe('2026-11-07T09:05Z')
  expect(checked?.isForgeryRefused).toBe(false)
  expect(checked?.spf.words).toBe('No record')
})
