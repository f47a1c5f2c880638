/** Plans the DMARC record to publish now and the rollout after it. */
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { isDmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { findDmarcFaults } from '../../../checks/dmarc/dmarc-record-faults.js'
import { isDmarcNearMiss } from '../../../checks/dmarc/rewrite-dmarc-record.js'
import { emptyWalkStep } from '../../../checks/dmarc/tree-walk.js'
import { toDisplayText } from '../../../checks/txt-records.js'
import type { DomainFacts } from '../discover-domain.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { MailUse } from '../plan-context.js'
import {
  createPlannedRecord,
  type PlannedRecord,
  REPORT_MAILBOX_FOLLOW_UP,
} from '../planned-record.js'
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

interface DmarcPlan {
  readonly kind: 'planned'
  /** To publish now. */
  readonly records: readonly PlannedRecord[]
  /** The record that receivers then read, which may be inherited or behind a CNAME. */
  readonly inEffect: RolloutStage['record']
  /** The records after the last rollout stage. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly RolloutStage[]
}

export async function planDmarc(
  facts: DomainFacts,
  mailUse: MailUse,
): Promise<DmarcPlan | DnsUnavailable> {
  const { sends } = mailUse
  const { dmarc } = facts
  const base = findBaseRecord(dmarc)
  const reportAddresses = await planReportAddresses(facts, base, mailUse)
  if (reportAddresses.kind === 'unavailable') return reportAddresses
  const draft: DmarcDraft = {
    facts: dmarc,
    base,
    reportAddresses,
    sends,
    hasMailServers: facts.mx.targets.some(({ kind }) => kind === 'host'),
    isWildcard: isWildcardAnswer(facts),
  }
  const current = findCurrentLevel(dmarc)
  const level = POLICY_LEVELS[current.levelIndex] ?? FINAL_POLICY_LEVEL
  const { removal, record } =
    keepDmarcRecord(draft, current.isComplete) ??
    publishDmarcRecord(
      draft,
      sends ? dmarcValueNow(draft, level) : nonSendingDmarcValue(draft, FINAL_POLICY_LEVEL),
      current.isComplete,
    )
  const now = removal ? [removal, record] : [record]
  const inEffect = readInEffect(record, facts)
  const rollout = sends ? planRollout(draft, current, inEffect) : []
  const last = rollout.at(-1)?.record
  const { placeholders } = reportAddresses
  const final = last
    ? [{ ...createPlannedRecord('dmarc', last.name, last.value), placeholders }]
    : now
  // The report addresses of an inherited record are up to its owner.
  const isOwn = inEffect.name === ownWalkStep(dmarc).name
  const authorizations = isOwn
    ? reportAuthorizationRecords(facts.domain, reportAddresses.unauthorizedHosts)
    : []
  return {
    kind: 'planned',
    records: [...authorizations, ...now],
    inEffect,
    final: [...authorizations, ...final],
    rollout,
  }
}

/** RFC 4592 §2.2: a wildcard gives the same answer for a random name. */
function isWildcardAnswer({ dmarc, wildcard }: DomainFacts): boolean {
  const { cnames, texts } = ownWalkStep(dmarc)
  const hasAnswer = cnames.length + texts.length > 0
  return hasAnswer && haveSameItems(cnames, wildcard.cnames) && haveSameItems(texts, wildcard.texts)
}

function haveSameItems(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join('\n') === [...others].sort().join('\n')
}

/** Behind a CNAME, receivers read the record of its target. */
function readInEffect(
  { name, type, value }: PlannedRecord,
  { dmarc }: DomainFacts,
): RolloutStage['record'] {
  const text = type === 'TXT' ? value : toDisplayText(dmarc.applied?.record.text ?? '')
  return { type: 'TXT', name, value: text }
}

interface DmarcChange {
  /** A CNAME to delete first. */
  readonly removal?: PlannedRecord
  readonly record: PlannedRecord
}

/** Null if a record has to be published now. */
function keepDmarcRecord(draft: DmarcDraft, isComplete: boolean): DmarcChange | null {
  const { facts, reportAddresses, sends } = draft
  const { applied, policy } = facts
  if (!applied || !policy || (!sends && !isComplete)) return null
  const { step, record } = applied
  const own = ownWalkStep(facts)
  const isOwn = step === own
  // An inherited record is kept only if the domain has no broken record of its own.
  const isInherited =
    findInheritedRecord(facts) && !own.texts.some(isDmarcLike) && own.cnames.length === 0
  if (!isOwn && !isInherited) return null
  const isValid =
    findDmarcFaults(record).length === 0 &&
    policy === currentPolicy(facts) &&
    reportAddresses.areDelivered
  // The record of the parent organization is not this domain's to fix while it protects it.
  if (!isValid && (isOwn || !isComplete)) return null
  const [target] = step.cnames
  const why = isComplete
    ? 'It asks receivers to reject forged mail.'
    : 'It is right for the current stage; the rollout shows what comes next.'
  const kept = createPlannedRecord('dmarc', step.name, target ?? toDisplayText(record.text))
  return { record: { ...kept, action: 'keep', type: target ? 'CNAME' : 'TXT', why } }
}

function publishDmarcRecord(draft: DmarcDraft, value: string, isComplete: boolean): DmarcChange {
  const own = ownWalkStep(draft.facts)
  const { name, cnames, texts } = draft.isWildcard ? emptyWalkStep(own.domain) : own
  const [alias] = cnames
  const replaces = alias ? [] : texts.filter(isDmarcLike).map(toDisplayText)
  const record: PlannedRecord = {
    ...createPlannedRecord('dmarc', name, value),
    action: replaces.length > 0 ? 'replace' : 'create',
    replaces,
    otherValues: alias ? [] : texts.filter((text) => !isDmarcLike(text)).map(toDisplayText),
    why: explainDmarc(draft, replaces.length, isComplete),
    placeholders: draft.reportAddresses.placeholders,
  }
  const [old, ...others] = replaces
  if (old === value && others.length === 0) {
    return { record: { ...record, action: 'keep', replaces: [] } }
  }
  const published = { ...record, ...publishingNotes(draft) }
  if (!alias) return { record: published }
  const why = `No TXT record can exist beside a CNAME (RFC 1034 §3.6.2), and the record at ${alias} does not do what is needed. Create the next record right after this.`
  const precondition = `If ${alias} belongs to your DMARC service, keep the CNAME, change the record there, and skip this step and the next.`
  const removal = createPlannedRecord('dmarc', name, alias)
  return {
    removal: { ...removal, action: 'delete', type: 'CNAME', why, precondition },
    record: published,
  }
}

function publishingNotes({
  reportAddresses,
  sends,
  facts,
  hasMailServers,
}: DmarcDraft): Pick<PlannedRecord, 'precondition' | 'followUp'> {
  const isNewMailbox = !reportAddresses.areDelivered && reportAddresses.placeholders.length === 0
  const serverNote = hasMailServers
    ? ' The domain has mail servers: make sure that no one sends from them.'
    : ''
  return {
    ...(!sends && {
      precondition: `This also applies to every name below ${facts.domain}: if one of them sends mail, publish a DMARC record for it first.${serverNote}`,
    }),
    ...(isNewMailbox && { followUp: REPORT_MAILBOX_FOLLOW_UP }),
  }
}

/** A DMARC record, valid or not. */
function isDmarcLike(text: string): boolean {
  return isDmarcRecord(text) || isDmarcNearMiss(text)
}

function explainDmarc(draft: DmarcDraft, replacedCount: number, isComplete: boolean): string {
  const { facts, base } = draft
  const isIgnored = replacedCount === 1 && facts.applied?.step !== ownWalkStep(facts)
  const faults = facts.applied?.record === base ? findDmarcFaults(base) : []
  return [
    ...(replacedCount > 1
      ? ['Receivers ignore all DMARC records if there are several: one remains (RFC 9989 §4.10).']
      : []),
    ...(isIgnored
      ? [
          'Receivers do not read the published record as DMARC: it must begin with exactly v=DMARC1 and a semicolon.',
        ]
      : []),
    ...(faults.length > 0 ? [`Fixed: ${faults.join('; ')}.`] : []),
    explainPolicy(draft, isComplete),
  ].join(' ')
}

function explainPolicy({ facts, sends }: DmarcDraft, isComplete: boolean): string {
  if (!sends) return 'The domain sends no mail, so forged mail can be rejected at once.'
  return facts.policy
    ? `The policy stays "p=${currentPolicy(facts)}"${isComplete ? '.' : ' for now.'}`
    : 'The first stage only asks for reports, so no mail is lost.'
}
