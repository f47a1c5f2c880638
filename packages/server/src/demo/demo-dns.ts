/** The sandbox's DNS: demo domains under `.test` from zone files, everything else from the live DNS. */
import { readdirSync, readFileSync } from 'node:fs'
import type { AbortableDns } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'

const ZONES = new URL('../../zones/', import.meta.url)
const PROVIDERS = 'providers.zone'
const RESOLVER = 'demo zones'

/** Chooses the DNS by the domain that a report is about. */
export function createDemoDns(live: AbortableDns): (subject: string) => AbortableDns {
  const text = (file: string) => readFileSync(new URL(file, ZONES), 'utf8')
  const providers = createZoneDns(RESOLVER, text(PROVIDERS))
  const files = readdirSync(ZONES).filter((file) => file.endsWith('.zone'))
  const world = createZoneDns(RESOLVER, ...files.map(text))

  return (subject) => ({
    query(name, type, signal) {
      // The frozen copy of what providers publish is for demo reports alone: a report about a real
      // domain must not be answered from it.
      const isDemo = isUnderTest(name) || (isUnderTest(subject) && providers.hasName(name))
      return isDemo ? world.query(name, type) : live.query(name, type, signal)
    },
  })
}

/** RFC 6761 §6.2 sets `.test` aside, so no real domain is hidden by a demo one. */
function isUnderTest(name: string): boolean {
  return name === 'test' || name.endsWith('.test')
}
