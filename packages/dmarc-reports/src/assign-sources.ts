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
  const usual = usualSignatures([...totals.sources.values()])
  const assign = (source: SourceTotals): SourceTotals => {
    const { origin, identity } = source
    if (isNamed(source, names)) return { ...source, origin: 'unknown', isNotMine: true }
    if (origin !== 'unknown' || identity.kind !== 'domain') return source
    if (ownDomains.has(identity.name)) return { ...source, origin: 'yours' }
    return isChangedOnTheWay(source, usual) ? { ...source, origin: 'forwarded' } : source
  }
  const sources = [...totals.sources].map(([key, source]) => [key, assign(source)] as const)
  return { ...totals, sources: new Map(sources) }
}

/** The names of the sources where a signature, as `domain selector`, passes. */
function usualSignatures(sources: readonly SourceTotals[]): ReadonlyMap<string, Set<string>> {
  const usual = new Map<string, Set<string>>()
  for (const { signatures, passing, identity } of sources) {
    if (passing === 0) continue
    for (const signature of signatures.counts.keys()) {
      usual.set(signature, (usual.get(signature) ?? new Set()).add(identity.name))
    }
  }
  return usual
}

/** All its mail has a signature that passes at other sources, so it was changed on the way. */
function isChangedOnTheWay(
  { failedSignatures: { counts, others }, messages, identity }: SourceTotals,
  usual: ReadonlyMap<string, Set<string>>,
): boolean {
  const signed = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const passesElsewhere = (signature: string) =>
    [...(usual.get(signature) ?? [])].some((name) => name !== identity.name)
  return others === 0 && signed >= messages && [...counts.keys()].every(passesElsewhere)
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
