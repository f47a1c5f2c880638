/** What reports and messages prove about streams that DNS leaves open, and streams that it hides. */
import { findServiceById, type MailService } from '../catalog/mail-services.js'
import { type MailZone, outcomeOf, treatmentAt } from './simulate.js'
import { OWN_SERVER, type StreamReport } from './stream.js'
import type { StreamEvidence } from './stream-evidence.js'

type KnownStream = StreamReport & { readonly service: MailService | null }

/** Fewer messages prove that a source passes, but not that it never does. */
const ENOUGH_MESSAGES = 20

export function applyEvidence(
  streams: readonly KnownStream[],
  evidence: readonly StreamEvidence[],
  zone: MailZone,
): KnownStream[] {
  const about = evidence.filter(({ at }) => at === zone.domain || at.endsWith(`.${zone.domain}`))
  const isMatch = (stream: KnownStream, { serviceId, kind, at }: StreamEvidence) =>
    stream.at === at &&
    (serviceId === null
      ? kind === 'own' && stream.id === OWN_SERVER
      : stream.service?.id === serviceId)
  const seen = streams.map((stream) =>
    about
      .filter((each) => isMatch(stream, each))
      .reduce((known, each) => prove(known, each, zone), stream),
  )
  const hidden = about.filter((each) => !streams.some((stream) => isMatch(stream, each)))
  return [...seen, ...hidden.map((each) => prove(unseenStream(each, zone), each, zone))]
}

/** Records decide where they can: a key that is gone today signs nothing, whatever it did. */
function prove(stream: KnownStream, evidence: StreamEvidence, zone: MailZone): KnownStream {
  const { spfAligned, dkimAligned, messages, certainty } = evidence
  const decide = <State>(aligned: number, passes: State, fails: State, unknown: State) =>
    aligned > 0 ? passes : messages >= ENOUGH_MESSAGES ? fails : unknown
  const proven = {
    ...stream,
    spf:
      stream.spf === 'unknown'
        ? decide<StreamReport['spf']>(spfAligned, 'aligned', 'fails', 'unknown')
        : stream.spf,
    dkim:
      stream.dkim === 'unknown'
        ? decide<StreamReport['dkim']>(dkimAligned, 'aligned', 'none', 'unknown')
        : stream.dkim,
    certainty: certainty === 'certain' ? certainty : stream.certainty,
    evidence: [...stream.evidence, sourceOf(evidence)],
  }
  return { ...proven, outcome: outcomeOf([proven.spf, proven.dkim], treatmentAt(stream.at, zone)) }
}

/** DNS does not show it. */
function unseenStream(evidence: StreamEvidence, zone: MailZone): KnownStream {
  const { serviceId, name, at, certainty, kind } = evidence
  const service = serviceId === null ? null : findServiceById(serviceId)
  return {
    id: service?.id ?? name,
    name: service?.name ?? name,
    kind: at !== zone.domain ? 'subdomain' : kind === 'own' ? 'own-server' : 'service',
    at,
    certainty,
    spf: 'unknown',
    dkim: 'unknown',
    outcome: 'unknown',
    evidence: [],
    service,
  }
}

function sourceOf({ from, messages }: StreamEvidence): string {
  return from === 'message' ? 'a message' : `DMARC reports: ${messages} messages`
}
