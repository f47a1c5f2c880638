/** All records of a plan, in the order in which they are to be published. */
import type { Unavailable } from '../../checks/checked.js'
import { parseDmarcRecord, URI_TAGS } from '../../checks/dmarc/dmarc-record.js'
import { MAX_NAME_OCTETS } from '../../names/name-limits.js'
import { type DkimPlan, planDkim } from './dkim/plan-dkim.js'
import { planDmarc } from './dmarc/plan-dmarc.js'
import type { Stage } from './fix-plan-report.js'
import { planMx } from './plan-mx.js'
import { planTransport } from './plan-transport.js'
import type { PlannedRecord } from './planned-record.js'
import type { Situation } from './situation.js'
import { planSpf, type SpfPlan } from './spf/plan-spf.js'

export interface RecordsPlan {
  readonly kind: 'planned'
  /** To be published now. */
  readonly now: readonly PlannedRecord[]
  /** As they stand when the rollout has come to its end. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly Stage[]
  /** Null where the domain is an alias. */
  readonly spf: SpfPlan | null
  readonly dkim: DkimPlan
  /** Names for which the DNS has no room. */
  readonly tooLong: readonly string[]
}

export async function planRecords(situation: Situation): Promise<RecordsPlan | Unavailable> {
  const { facts, parties, use, left } = situation
  const [spf, dkim, dmarc, transport] = await Promise.all([
    left && planSpf(facts, left, parties.mailboxes, use.sends),
    planDkim(facts, parties, use.sends),
    planDmarc(facts, use),
    planTransport(facts, parties, use.receives),
  ])
  if (spf?.kind === 'unavailable') return spf
  if (dkim.kind === 'unavailable') return dkim
  if (dmarc.kind === 'unavailable') return dmarc
  if ('kind' in transport) return transport
  const takesReports = namesMailboxAt(facts.domain, dmarc.inEffect.value)
  const mx = left ? planMx(facts, parties.mailboxes, { ...use, takesReports }) : []
  const inOrder = (policy: readonly PlannedRecord[]) =>
    ordered({ mx, spf, dkim: dkim.records, policy, transport })
  const now = inOrder(dmarc.records)
  return {
    kind: 'planned',
    now: now.filter(fits),
    final: inOrder(dmarc.final).filter(fits),
    rollout: dmarc.rollout.every(({ record }) => fits(record)) ? dmarc.rollout : [],
    spf,
    dkim,
    tooLong: now.filter((record) => !fits(record)).map(({ name }) => name),
  }
}

/** RFC 1035 §2.3.4. */
function fits({ name }: Pick<PlannedRecord, 'name'>): boolean {
  return name.length <= MAX_NAME_OCTETS
}

function namesMailboxAt(domain: string, policy: string): boolean {
  const record = parseDmarcRecord(policy)
  return URI_TAGS.some((tag) => record.urisOf(tag).read.some(({ host }) => host === domain))
}

interface Pieces {
  readonly mx: readonly PlannedRecord[]
  readonly spf: SpfPlan | null
  readonly dkim: readonly PlannedRecord[]
  readonly policy: readonly PlannedRecord[]
  readonly transport: readonly PlannedRecord[]
}

/**
 * So that no mail is lost in between: first where mail goes and who may send, then who signs, and the
 * policy, which rests on both, after them. Where somebody loses a place in SPF, keys come first.
 * What stays comes last.
 */
function ordered({ mx, spf, dkim, policy, transport }: Pieces): PlannedRecord[] {
  const senders = spf ? [spf.record] : []
  const isAfterKeys = spf?.record.before !== undefined
  const signed = isAfterKeys ? [...dkim, ...senders] : [...senders, ...dkim]
  const all = [...mx, ...signed, ...policy, ...transport]
  const isKept = ({ action }: PlannedRecord) => action === 'keep'
  return [...all.filter((record) => !isKept(record)), ...all.filter(isKept)]
}
