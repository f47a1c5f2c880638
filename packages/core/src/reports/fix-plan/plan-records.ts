/** All records of a plan, in the order in which they are to be published. */
import type { DnsUnavailable } from '../../checks/check-result.js'
import { parseDmarcRecord, REPORT_URI_TAGS } from '../../checks/dmarc/dmarc-record.js'
import { MAX_DOMAIN_LENGTH } from '../../names/name-limits.js'
import { planDmarc } from './dmarc/plan-dmarc.js'
import type { RolloutStage } from './fix-plan-report.js'
import type { PlanContext } from './plan-context.js'
import { type DkimPlan, planDkim } from './plan-dkim.js'
import { planMx } from './plan-mx.js'
import { planTransport } from './plan-transport.js'
import type { PlannedRecord } from './planned-record.js'
import { planSpf, type SpfPlan } from './spf/plan-spf.js'

export interface RecordsPlan {
  readonly kind: 'planned'
  /** To be published now. */
  readonly now: readonly PlannedRecord[]
  /** As they stand when the rollout has come to its end. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
  /** Null where the domain is an alias. */
  readonly spf: SpfPlan | null
  readonly dkim: DkimPlan
  /** Names for which the DNS has no room. */
  readonly namesTooLong: readonly string[]
}

export async function planRecords(situation: PlanContext): Promise<RecordsPlan | DnsUnavailable> {
  const { facts, services, mailUse, usableSpf } = situation
  const [spf, dkim, dmarc, transport] = await Promise.all([
    usableSpf && planSpf(facts, usableSpf, services.mailboxProviders, mailUse.sends),
    planDkim(facts, services, mailUse.sends),
    planDmarc(facts, mailUse),
    planTransport(facts, services, mailUse.receives),
  ])
  if (spf?.kind === 'unavailable') return spf
  if (dkim.kind === 'unavailable') return dkim
  if (dmarc.kind === 'unavailable') return dmarc
  if ('kind' in transport) return transport
  const takesReports = namesMailboxAt(facts.domain, dmarc.inEffect.value)
  const mx = usableSpf ? planMx(facts, services.mailboxProviders, { ...mailUse, takesReports }) : []
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
    namesTooLong: now.filter((record) => !fits(record)).map(({ name }) => name),
  }
}

/** RFC 1035 §2.3.4. */
function fits({ name }: Pick<PlannedRecord, 'name'>): boolean {
  return name.length <= MAX_DOMAIN_LENGTH
}

function namesMailboxAt(domain: string, policy: string): boolean {
  const record = parseDmarcRecord(policy)
  return REPORT_URI_TAGS.some((tag) =>
    record.reportUris(tag).uris.some(({ host }) => host === domain),
  )
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
  const isAfterKeys = spf?.record.precondition !== undefined
  const signed = isAfterKeys ? [...dkim, ...senders] : [...senders, ...dkim]
  const all = [...mx, ...signed, ...policy, ...transport]
  const isKept = ({ action }: PlannedRecord) => action === 'keep'
  return [...all.filter((record) => !isKept(record)), ...all.filter(isKept)]
}
