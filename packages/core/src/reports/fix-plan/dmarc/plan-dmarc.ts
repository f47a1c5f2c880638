/** DMARC from where the domain stands: what to publish now, and the stages after it. */
import type { DnsUnavailable } from '../../../checks/check-result.js'
import { toDisplayText } from '../../../checks/txt-records.js'
import type { DomainFacts } from '../discover-domain.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { MailUse } from '../mail-use.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import { findBaseRecord, ownWalkStep } from './base-record.js'
import { findCurrentLevel } from './current-level.js'
import { type DmarcDraft, dmarcValueNow, nonSendingDmarcValue } from './dmarc-draft.js'
import { planRollout } from './plan-rollout.js'
import { keptDmarcRecord, plannedDmarcRecords } from './planned-dmarc-records.js'
import { FINAL_POLICY_LEVEL, POLICY_LEVELS } from './policy-levels.js'
import { planReportAddresses } from './report-addresses.js'
import { reportAuthorizationRecords } from './report-authorizations.js'

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
