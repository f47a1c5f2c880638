import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressReportFromZone } from '../../../test/support/address-fixture.js'
import { randomMailAddress } from '../../../test/support/random-addresses.js'
import { ADDRESS_REASONS } from '../../catalog/address-lists.js'
import { parseMailAddress } from '../../names/mail-address.js'

const ZONE = `
  acme.test. MX 1 mx.acme.test.
  mx.acme.test. A 192.0.2.1
  xn--bcher-kva.test. MX 1 mail.mailinator.com.
  mail.mailinator.com. A 192.0.2.2
  null.test. MX 0 .
  web.test. A 192.0.2.3
  dark.test. MX 1 gone.dark.test.
  gmail.com. MX 1 mx.acme.test.
  test.com. MX 1 mail.h-email.net.
  mail.h-email.net. A 192.0.2.4
`

test('returns the same report for the normalized address', async () => {
  const numRuns = propertyRuns(1_000)
  const verdicts = new Set<string>()
  let changed = 0
  await fc.assert(
    fc.asyncProperty(randomMailAddress, async (text) => {
      const parsed = parseMailAddress(text)
      if (parsed.kind === 'refused') return
      const { email, ...report } = await addressReportFromZone(text, ZONE)
      const { email: normalized, ...again } = await addressReportFromZone(parsed.normalized, ZONE)
      expect([email, normalized]).toEqual([text, report.normalized])
      expect(again).toEqual(report)
      verdicts.add(report.verdict)
      if (email !== normalized) changed += 1
    }),
    // A fixed seed: whether every verdict occurs must not depend on luck.
    { numRuns, seed: 5322 },
  )
  expect(verdicts.size).toBe(3)
  expect(changed).toBeGreaterThan(numRuns / 10)
})

test('derives the verdict from the reasons and the reasons from the checks', async () => {
  await fc.assert(
    fc.asyncProperty(randomMailAddress, async (text) => {
      if (parseMailAddress(text).kind === 'refused') return
      const { verdict, reasons, checks, suggestion } = await addressReportFromZone(text, ZONE)
      const leadsTo = reasons.map((code) => ADDRESS_REASONS[code].verdict)
      const worst = leadsTo.includes('undeliverable') ? 'undeliverable' : (leadsTo[0] ?? 'ok')
      expect(verdict).toBe(worst)
      expect(new Set(reasons).size).toBe(reasons.length)
      expect(checks.mx.acceptsMail).toBe(verdict !== 'undeliverable')
      expect(checks.disposable.disposable).toBe(reasons.includes('disposable'))
      expect(checks.disposable.matched !== null).toBe(checks.disposable.disposable)
      expect(checks.role.role).toBe(reasons.includes('role_account'))
      expect(checks.parking.parked === true).toBe(reasons.includes('parked_domain'))
      expect(checks.placeholder.name !== null).toBe(reasons.includes('placeholder_name'))
      expect(checks.placeholder.domain !== null).toBe(reasons.includes('placeholder_domain'))
      expect(checks.placeholder.name !== null && checks.role.role).toBe(false)
      expect(suggestion !== null).toBe(reasons.includes('possible_typo'))
      expect(checks.syntax.quoted).toBe(reasons.includes('quoted_local_part'))
      expect(checks.syntax.smtpUtf8).toBe(reasons.includes('smtp_utf8'))
    }),
    { numRuns: propertyRuns(1_000) },
  )
})
