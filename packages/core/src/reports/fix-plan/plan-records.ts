/** Plans all records, in the order to publish them. */
import type { DnsUnavailable } from '../../checks/check-result.js'
import { parseDmarcRecord, REPORT_URI_TAGS } from '../../checks/dmarc/dmarc-record.js'
import type { TransportReport } from '../../checks/transport/transport-report.js'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { planDmarc } from './dmarc/plan-dmarc.js'
import type { RolloutStage } from './fix-plan-report.js'
import type { PlanContext } from './plan-context.js'
import { type DkimPlan, planDkim } from './plan-dkim.js'
import { type MxPlan, planMx } from './plan-mx.js'
import { planTransport } from './plan-transport.js'
import type { PlannedRecord } from './planned-record.js'
import { planSpf, type SpfPlan } from './spf/plan-spf.js'

export interface RecordsPlan {
  readonly kind: 'planned'
  /** To publish now. */
  readonly now: readonly PlannedRecord[]
  /** As published after the last rollout stage. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
  /** Both are null if the domain is an alias. */
  readonly mx: MxPlan | null
  readonly spf: SpfPlan | null
  readonly dkim: DkimPlan
  /** Names over the length limit of DNS. */
  readonly namesTooLong: readonly string[]
}

/** `published` is null when only the records that count for the score are wanted. */
export async function planRecords(
  context: PlanContext,
  published: TransportReport | null,
): Promise<RecordsPlan | DnsUnavailable> {
  const { facts, services, mailUse, usableSpf } = context
  const [spf, dkim, dmarc, transport] = await Promise.all([
    usableSpf && planSpf(facts, usableSpf, services.mailboxProviders, mailUse.sends),
    planDkim(facts, services, mailUse.sends),
    planDmarc(facts, mailUse),
    published ? planTransport(facts, published, services, mailUse.receives) : [],
  ])
  if (spf?.kind === 'unavailable') return spf
  if (dkim.kind === 'unavailable') return dkim
  if (dmarc.kind === 'unavailable') return dmarc
  const takesReports = namesMailboxAt(facts.domain, dmarc.inEffect.value)
  const mx = usableSpf && planMx(facts, services, { ...mailUse, takesReports })
  const inOrder = (policy: readonly PlannedRecord[]) =>
    orderRecords({ mx: mx?.records ?? [], spf, dkim: dkim.records, policy, transport })
  const now = inOrder(dmarc.records)
  return {
    kind: 'planned',
    now: now.filter(hasValidLength),
    final: inOrder(dmarc.final).filter(hasValidLength),
    rollout: dmarc.rollout.every(({ record }) => hasValidLength(record)) ? dmarc.rollout : [],
    mx,
    spf,
    dkim,
    namesTooLong: now.filter((record) => !hasValidLength(record)).map(({ name }) => name),
  }
}

/** RFC 1035 §2.3.4. */
function hasValidLength({ name }: Pick<PlannedRecord, 'name'>): boolean {
  return name.length <= MAX_DOMAIN_LENGTH
}

function namesMailboxAt(domain: string, policy: string): boolean {
  const record = parseDmarcRecord(policy)
  return REPORT_URI_TAGS.some((tag) =>
    record.reportUris(tag).uris.some(({ host }) => host === domain),
  )
}

interface RecordGroups {
  readonly mx: readonly PlannedRecord[]
  readonly spf: SpfPlan | null
  readonly dkim: readonly PlannedRecord[]
  readonly policy: readonly PlannedRecord[]
  readonly transport: readonly PlannedRecord[]
}

/**
 * The order that loses no mail: MX, SPF, DKIM, and then the DMARC policy, which depends on both. If
 * SPF drops a sender, its DKIM key comes first. Kept records come last.
 */
function orderRecords({ mx, spf, dkim, policy, transport }: RecordGroups): PlannedRecord[] {
  const spfRecords = spf ? [spf.record] : []
  const authentication = spf?.keysFirst ? [...dkim, ...spfRecords] : [...spfRecords, ...dkim]
  const all = [...mx, ...authentication, ...policy, ...transport]
  const isKept = ({ action }: PlannedRecord) => action === 'keep'
  return [...all.filter((record) => !isKept(record)), ...all.filter(isKept)]
}
