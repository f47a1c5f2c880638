/** Fix plans of demo domains and of zones that a test writes. */
import { type DomainName, type FixPlan, planDomain } from '@mailgrade/core'
import type { Dns } from '@mailgrade/doh/dns'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { createDemoDns } from '../../src/demo/demo-dns.js'

const PLAN_TIME = new Date('2026-11-16T12:00:00Z')

export function planDemoDomain(domain: string): Promise<FixPlan> {
  return makePlan(createDemoDns(zoneDns(''))(domain), domain)
}

export function planZone(zone: string, domain = 'acme.test'): Promise<FixPlan> {
  return makePlan(zoneDns(zone), domain)
}

async function makePlan(dns: Dns, domain: string): Promise<FixPlan> {
  const checked = await planDomain(
    dns,
    domain as DomainName,
    { randomLabel: () => 'made-up' },
    { now: PLAN_TIME, baseUrl: 'https://mailgrade.example/mail' },
  )
  if (checked.kind !== 'report') throw new Error(`no plan but ${checked.kind}`)
  return checked.report
}

/** A weak key to replace and later delete, a dead mail server, and a DMARC record too many. */
export const BUSY_ZONE = `
  acme.test. NS ns.acme.test.
  acme.test. MX 1 smtp.google.com.
  acme.test. MX 5 dead.acme.test.
  smtp.google.com. A 192.0.2.1
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/24 -all"
  acme.test. TXT "v=DMARC1; p=reject"
  google._domainkey.acme.test. TXT "v=DKIM1; k=rsa; p=${SPKI[1024]}"
  _dmarc.acme.test. TXT "v=DMARC1; p=none"
`
