/** Services that host the DMARC or SPF record of a domain, found by the records that lead to them. */
import type { DmarcService } from './dmarc-service-schema.js'
import { DMARC_SERVICES } from './generated/dmarc-services.js'
import { createHostMatcher, normalizeHost } from './host-pattern.js'
import type { Screen } from './schema-parts.js'

/** A service that hosts a record, and the screen where customers change it, if known. */
export interface RecordHost {
  readonly service: Pick<DmarcService, 'id' | 'name'>
  readonly screen: Screen | null
}

const byTarget = createHostMatcher(
  DMARC_SERVICES,
  ({ hostedDmarc }) => hostedDmarc?.cnameTargets ?? [],
)
const byNameServer = createHostMatcher(
  DMARC_SERVICES,
  ({ hostedDmarc }) => hostedDmarc?.nameServers ?? [],
)
const bySpfHost = createHostMatcher(DMARC_SERVICES, ({ hostedSpf }) => hostedSpf?.hosts ?? [])

/** Who hosts the record at `_dmarc`, by its CNAMEs and its own name servers; null when unknown. */
export function findDmarcHost(
  targets: readonly string[],
  nameServers: readonly string[],
): RecordHost | null {
  const byAlias = targets.map((host) => byTarget(normalizeHost(host)))
  const byDelegation = nameServers.map((host) => byNameServer(normalizeHost(host)))
  const service = [...byAlias, ...byDelegation].find((each) => each !== null)
  return service ? { service, screen: service.hostedDmarc?.screen ?? null } : null
}

/** Who hosts the SPF record that an own term of the domain leads to; null when unknown. */
export function findSpfHost(host: string): RecordHost | null {
  const service = bySpfHost(normalizeHost(host))
  return service && { service, screen: service.hostedSpf?.screen ?? null }
}
