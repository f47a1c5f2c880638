/** The sandbox's DNS: demo domains under `.test` from zone files, all others from live DNS. */
import { readdirSync, readFileSync } from 'node:fs'
import type { DomainReport } from '@mailgrade/core'
import { createReportDns } from '@mailgrade/doh'
import { type AbortableDns, failed } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { check } from '@mailgrade/operations/check'
import type { Operation, OperationResult } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { EXAMPLE_RUNTIME, exampleResults, runExample } from '../discovery/example-results.js'
import { ZONES_FOLDER } from '../server-files.js'
import { memoizeAsync } from '../state/memoize-async.js'

const PROVIDERS = 'providers.zone'
/** The name that reports and `/readyz` show. */
export const DEMO_RESOLVER = 'demo zones'
const EXAMPLE_DEADLINE_MS = 5_000
const SAMPLE_DOMAIN = 'monitoring.test'

/** Chooses the DNS for the domain of a report. */
export function createDemoDns(live: AbortableDns): (subject: string) => AbortableDns {
  const readZone = (file: string) => readFileSync(new URL(file, ZONES_FOLDER), 'utf8')
  const providers = createZoneDns(DEMO_RESOLVER, readZone(PROVIDERS))
  const files = readdirSync(ZONES_FOLDER).filter((file) => file.endsWith('.zone'))
  const demoZones = createZoneDns(DEMO_RESOLVER, ...files.map(readZone))

  return (subject) => ({
    query(name, type, signal) {
      // A report about a real domain must not use the frozen copy of the providers' records.
      const isProvider = isUnderTest(subject) && providers.hasName(withoutSmtpService(name))
      const isDemo = isUnderTest(name) || isProvider
      return isDemo ? demoZones.query(name, type) : live.query(name, type, signal)
    },
  })
}

/** The copy has no TLSA records, so these names of its servers are absent in the demo, too. */
function withoutSmtpService(name: string): string {
  return name.replace(/^_25\._tcp\./, '')
}

/** RFC 6761 §6.2 reserves `.test`, so a demo domain cannot hide a real one. */
function isUnderTest(name: string): boolean {
  return name === 'test' || name.endsWith('.test')
}

/** The reports that the documents show: each operation's example, from the demo zones only. */
export function createDemoExamples(): () => Promise<ReadonlyMap<string, object>> {
  return memoizeAsync(() => exampleResults(OPERATIONS, openDemoDns()))
}

/** What the home page shows before anyone enters a domain. */
export function createDemoSample(): () => Promise<OperationResult<DomainReport>> {
  return memoizeAsync(() => runExample(check, { domain: SAMPLE_DOMAIN }, openDemoDns()))
}

type MakeSampleReport = (operation: Operation, now: Date) => Promise<OperationResult>

/** The sample pages show reports of today, so the dates of later stages make sense. */
export function createDemoReports(baseUrl: string): MakeSampleReport {
  return (operation, now) => {
    const runtime = { ...EXAMPLE_RUNTIME, baseUrl, currentTime: () => now }
    return runExample(operation, operation.example, openDemoDns(), runtime)
  }
}

function openDemoDns() {
  const demo = createDemoDns({ query: async () => failed('unreachable', 'not a demo name') })
  return (subject: string) => createReportDns(demo(subject), { deadlineMs: EXAMPLE_DEADLINE_MS })
}
