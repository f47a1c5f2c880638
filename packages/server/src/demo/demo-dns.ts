/** The sandbox's DNS: demo domains under `.test` from zone files, all others from live DNS. */
import { readdirSync, readFileSync } from 'node:fs'
import { createReportDns } from '@mailgrade/doh'
import { type AbortableDns, failed } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { exampleResults } from '../discovery/example-results.js'
import { memoizeAsync } from '../http/memoize-async.js'
import { OPERATIONS } from '../operations/operations.js'

const ZONES = new URL('../../zones/', import.meta.url)
const PROVIDERS = 'providers.zone'
/** The name that reports and `/readyz` show. */
export const DEMO_RESOLVER = 'demo zones'
const EXAMPLE_DEADLINE_MS = 5_000

/** Chooses the DNS for the domain of a report. */
export function createDemoDns(live: AbortableDns): (subject: string) => AbortableDns {
  const readZone = (file: string) => readFileSync(new URL(file, ZONES), 'utf8')
  const providers = createZoneDns(DEMO_RESOLVER, readZone(PROVIDERS))
  const files = readdirSync(ZONES).filter((file) => file.endsWith('.zone'))
  const demoZones = createZoneDns(DEMO_RESOLVER, ...files.map(readZone))

  return (subject) => ({
    query(name, type, signal) {
      // A report about a real domain must not use the frozen copy of the providers' records.
      const isDemo = isUnderTest(name) || (isUnderTest(subject) && providers.hasName(name))
      return isDemo ? demoZones.query(name, type) : live.query(name, type, signal)
    },
  })
}

/** RFC 6761 §6.2 reserves `.test`, so a demo domain cannot hide a real one. */
function isUnderTest(name: string): boolean {
  return name === 'test' || name.endsWith('.test')
}

/** The reports that the documents show: each operation's example, from the demo zones only. */
export function createDemoExamples(): () => Promise<ReadonlyMap<string, object>> {
  return memoizeAsync(() => {
    const demo = createDemoDns({ query: async () => failed('unreachable', 'not a demo name') })
    return exampleResults(OPERATIONS, (subject) =>
      createReportDns(demo(subject), { deadlineMs: EXAMPLE_DEADLINE_MS }),
    )
  })
}
