/** Fix plans of demo domains and of zones that a test writes. */
import type { DomainName, FixPlan } from '@mailgrade/core'
import { planDomain } from '@mailgrade/core/planning'
import type { Dns } from '@mailgrade/doh/dns'
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
