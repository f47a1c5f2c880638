/** The report of a check, for tests of what is said about it. */
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import type { DomainName } from '../../src/names/domain-name.js'
import { checkDomain } from '../../src/reports/check/check-domain.js'
import { keyZoneLine } from './dkim-fixture.js'

export async function checkZone(zone: string, domain = 'acme.test') {
  const dns = zoneDns(`acme.test. NS ns.acme.test.\n${zone}`)
  const checked = await checkDomain(dns, domain as DomainName, { randomLabel: () => 'random' })
  if (checked.kind !== 'report') throw new Error(`no report but ${checked.kind}`)
  return checked.report
}

export const PROTECTED_ZONE = `
  acme.test. MX 10 mx.acme.test.
  mx.acme.test. A 192.0.2.1
  acme.test. TXT "v=spf1 mx -all"
  ${keyZoneLine('default')}
  _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@acme.test"
`
