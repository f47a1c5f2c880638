/** Which sources are the owner's, by what no single record shows. */
import type { DomainTotals } from './collect-domains.js'
import { organizationOf } from './identify-service.js'
import type { SourceTotals } from './source-totals.js'

export interface Ownership {
  /** Names or ids of sources; `unknown` for all unknown ones. */
  readonly notMine: readonly string[]
  /** Every domain that the reports are about. */
  readonly domains: readonly string[]
}

export function assignSources(totals: DomainTotals, { notMine, domains }: Ownership): DomainTotals {
  const names = new Set(notMine.map((name) => name.toLowerCase()))
  const ownDomains = new Set(domains.map(organizationOf))
  const sources = [...totals.sources].map(([key, source]) => {
    if (isNamed(source, names)) return [key, { ...source, origin: 'unknown', isNotMine: true }]
    const { origin, identity } = source
    const isOwn =
      origin === 'unknown' && identity.kind === 'domain' && ownDomains.has(identity.name)
    return [key, isOwn ? { ...source, origin: 'yours' } : source]
  }) satisfies [string, SourceTotals][]
  return { ...totals, sources: new Map(sources) }
}

/** What passes is signed or authorized by the owner, whatever they say. */
function isNamed({ identity, origin, passing }: SourceTotals, names: Set<string>): boolean {
  if (passing > 0 || origin === 'forwarded') return false
  return (
    (origin === 'unknown' && names.has('unknown')) ||
    names.has(identity.name.toLowerCase()) ||
    names.has(identity.serviceId ?? '')
  )
}
