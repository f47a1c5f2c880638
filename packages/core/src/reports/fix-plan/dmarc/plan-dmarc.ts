/** DMARC from where the domain stands: what to publish now, and the stages after it. */
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { isDmarcNearMiss } from '../../../checks/dmarc/dmarc-near-miss.js'
import { isDmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { findDmarcFaults } from '../../../checks/dmarc/dmarc-record-faults.js'
import { emptyWalkStep } from '../../../checks/dmarc/tree-walk.js'
import { toDisplayText } from '../../../checks/txt-records.js'
import type { DomainFacts } from '../discover-domain.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { MailUse } from '../plan-context.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import {
  currentPolicy,
  type DmarcDraft,
  dmarcValueNow,
  findBaseRecord,
  findInheritedRecord,
  nonSendingDmarcValue,
  ownWalkStep,
} from './dmarc-draft.js'
import { FINAL_POLICY_LEVEL, findCurrentLevel, POLICY_LEVELS, planRollout } from './plan-rollout.js'
import { planReportAddresses, reportAuthorizationRecords } from './report-addresses.js'

export interface DmarcPlan {
  readonly kind: 'planned'
  /** To be published now. */
  readonly records: readonly PlannedRecord[]
  /** What receivers read then, be it inherited or behind an alias. */
  readonly inEffect: RolloutStage['record']
  /** The records with that of the last stage. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
}

export async function planDmarc(
  facts: DomainFacts,
  use: MailUse,
): Promise<DmarcPlan | DnsUnavailable> {
  const { sends } = use
  const { dmarc } = facts
  const base = findBaseRecord(dmarc)
  const reports = await planReportAddresses(facts, base, use)
  if ('kind' in reports) return reports
  const hasServers = facts.mx.targets.some(({ kind }) => kind === 'host')
  const draft: DmarcDraft = {
    facts: dmarc,
    base,
    reportAddresses: reports,
    sends,
    hasMailServers: hasServers,
    isWildcard: isWild(facts),
  }
  const standing = findCurrentLevel(dmarc)
  const rung = POLICY_LEVELS[standing.levelIndex] ?? FINAL_POLICY_LEVEL
  const kept = keptDmarcRecord(draft, standing.isComplete)
  const now = kept
    ? [kept]
    : plannedDmarcRecords(
        draft,
        sends ? dmarcValueNow(draft, rung) : nonSendingDmarcValue(draft, FINAL_POLICY_LEVEL),
        standing.isComplete,
      )
  const record = inEffect(now, facts)
  const stages = sends ? planRollout(draft, standing, record) : []
  const last = stages.at(-1)?.record
  const { placeholders } = reports
  const end = last && { ...createPlannedRecord('dmarc', last.name, last.value), placeholders }
  // Where the reports of an inherited record go is for its owner to see to.
  const isOwn = record.name === ownWalkStep(dmarc).name
  const agreed = isOwn ? reportAuthorizationRecords(facts.domain, reports.unauthorizedHosts) : []
  return {
    kind: 'planned',
    records: [...agreed, ...now],
    inEffect: record,
    final: [...agreed, ...(end ? [end] : now)],
    rollout: stages,
  }
}

/** RFC 4592 §2.2: a wildcard answers for names that do not exist, and like for one made up. */
function isWild({ dmarc, wildcard }: DomainFacts): boolean {
  const { cnames, texts } = ownWalkStep(dmarc)
  const isAnything = cnames.length + texts.length > 0
  return isAnything && isSame(cnames, wildcard.cnames) && isSame(texts, wildcard.texts)
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join('\n') === [...others].sort().join('\n')
}

/** What stands behind an alias is what receivers read. */
function inEffect(now: readonly PlannedRecord[], { dmarc }: DomainFacts): RolloutStage['record'] {
  const { name, type, value } = now.at(-1) as PlannedRecord
  const text = type === 'TXT' ? value : toDisplayText(dmarc.applied?.record.text ?? '')
  return { type: 'TXT', name, value: text }
}

/** Null where something has to be published now. */
export function keptDmarcRecord(draft: DmarcDraft, isComplete: boolean): PlannedRecord | null {
  const { facts, reportAddresses, sends } = draft
  const { applied, policy } = facts
  if (!applied || !policy || (!sends && !isComplete)) return null
  const { step, record } = applied
  const own = ownWalkStep(facts)
  const isOwn = step === own
  // Nor does what is inherited stay where something of the domain's own has to be cleared away.
  const isPlain = findInheritedRecord(facts) && !own.texts.some(isMeant) && own.cnames.length === 0
  if (!isOwn && !isPlain) return null
  const isSound =
    findDmarcFaults(record).length === 0 &&
    policy === currentPolicy(facts) &&
    reportAddresses.areDelivered
  // What the organisation publishes is not this domain's to mend, as long as it protects it.
  if (!isSound && (isOwn || !isComplete)) return null
  const [target] = step.cnames
  const why = isComplete
    ? 'It asks receivers to reject whatever only pretends to come from the domain.'
    : 'It is right for the stage at which the domain stands; the rollout says what comes next.'
  const kept = createPlannedRecord('dmarc', step.name, target ?? toDisplayText(record.text))
  return { ...kept, action: 'keep', type: target ? 'CNAME' : 'TXT', why }
}

/** Where a CNAME stands, nothing else can (RFC 1034 §3.6.2). */
export function plannedDmarcRecords(
  draft: DmarcDraft,
  value: string,
  isComplete: boolean,
): PlannedRecord[] {
  const station = ownWalkStep(draft.facts)
  const { name, cnames, texts } = draft.isWildcard ? emptyWalkStep(station.domain) : station
  const [alias] = cnames
  const replaces = alias ? [] : texts.filter(isMeant).map(toDisplayText)
  const record: PlannedRecord = {
    ...createPlannedRecord('dmarc', name, value),
    action: replaces.length > 0 ? 'replace' : 'create',
    replaces,
    otherValues: alias ? [] : texts.filter((text) => !isMeant(text)).map(toDisplayText),
    why: whyPublished(draft, replaces.length, isComplete),
    placeholders: draft.reportAddresses.placeholders,
  }
  const [old, ...others] = replaces
  if (old === value && others.length === 0) return [{ ...record, action: 'keep', replaces: [] }]
  const noted = { ...record, ...notesOf(draft) }
  if (!alias) return [noted]
  const why = `Beside a CNAME no TXT record can stand (RFC 1034 §3.6.2), and the record at ${alias} does not do what is needed. Create the next record right after this.`
  const before = `If ${alias} belongs to a DMARC service of yours, keep the CNAME, have the record changed there, and leave out this step and the next.`
  const gone = createPlannedRecord('dmarc', name, alias)
  return [{ ...gone, action: 'delete', type: 'CNAME', why, precondition: before }, noted]
}

function notesOf({
  reportAddresses,
  sends,
  facts,
  hasMailServers,
}: DmarcDraft): Pick<PlannedRecord, 'precondition' | 'followUp'> {
  const isNew = !reportAddresses.areDelivered && reportAddresses.placeholders.length === 0
  const doubt = hasMailServers
    ? ` It has mail servers: make sure that nobody writes from them.`
    : ''
  return {
    ...(!sends && {
      precondition: `This holds for every name below ${facts.domain} as well: give one that does send a DMARC record of its own first.${doubt}`,
    }),
    ...(isNew && { followUp: 'See that the mailbox in rua exists and that somebody reads it.' }),
  }
}

/** As DMARC, well written or not. */
function isMeant(text: string): boolean {
  return isDmarcRecord(text) || isDmarcNearMiss(text)
}

function whyPublished(
  { facts, base, sends }: DmarcDraft,
  replaced: number,
  isComplete: boolean,
): string {
  const policy = currentPolicy(facts)
  const stays = `The policy stays "p=${policy}"${isComplete ? '.' : ' for now.'}`
  const faults = facts.applied?.record === base ? findDmarcFaults(base) : []
  return [
    ...(replaced > 1 ? ['Several records cancel each other: one remains (RFC 9989 §4.10).'] : []),
    ...(replaced === 1 && facts.applied?.step !== ownWalkStep(facts)
      ? [
          'What stands there is not read as DMARC: a record begins with exactly v=DMARC1 and a semicolon.',
        ]
      : []),
    ...(faults.length > 0 ? [`Mended: ${faults.join('; ')}.`] : []),
    sends
      ? facts.policy
        ? stays
        : 'The first stage asks for reports and for nothing else, so that no mail is lost.'
      : 'The domain sends no mail, so whatever pretends to come from it can be rejected at once.',
  ].join(' ')
}
