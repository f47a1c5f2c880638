/** What the reports prove about who sends, for the plan. */
import type { StreamEvidence } from '@mailgrade/core'
import { organizationOf } from './identify-service.js'
import type { DomainSummary, SourceSummary } from './summarize-domain.js'

/** Forwarded and probably forged mail is no one's stream. Most messages first. */
export function streamEvidence({ sources }: DomainSummary): StreamEvidence[] {
  return sources
    .filter((source) => source.kind !== 'others' && (isYours(source) || source.question !== null))
    .map(evidenceOf)
}

function isYours({ class: group }: SourceSummary): boolean {
  return group === 'yours-and-passing' || group === 'yours-not-aligned'
}

function evidenceOf(source: SourceSummary): StreamEvidence {
  const { name, serviceId, at, messages, spf, dkim, months, lastSeen } = source
  return {
    from: 'reports',
    kind: kindOf(source),
    certainty: certaintyOf(source),
    serviceId,
    name,
    addresses: source.addresses.map((address) => address.name),
    at,
    messages,
    spfAligned: spf.aligned,
    dkimAligned: dkim.aligned,
    months,
    keys: ownKeys(source),
    envelopeDomains: source.envelopeFrom.map((domain) => domain.name),
    lastSeen,
  }
}

/** Gmail accounts that people send from have no entry in the catalog. */
function kindOf({ kind, serviceId, isClaimed }: SourceSummary): StreamEvidence['kind'] {
  if (serviceId !== null) return 'service'
  return kind === 'own' || (kind === 'network' && isClaimed) ? 'own' : 'unknown'
}

function certaintyOf(source: SourceSummary): StreamEvidence['certainty'] {
  if (source.passing > 0 || source.isClaimed) return 'certain'
  return isYours(source) ? 'likely' : 'possible'
}

function ownKeys({ at, dkim }: SourceSummary): StreamEvidence['keys'] {
  return dkim.signatures.flatMap(({ domain, selector }) =>
    selector !== null && organizationOf(domain) === organizationOf(at)
      ? [{ domain, selector }]
      : [],
  )
}
