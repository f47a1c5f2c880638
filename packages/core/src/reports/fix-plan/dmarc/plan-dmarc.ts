/** DMARC from where the domain stands: what to publish now, and the stages after it. */
import type { Unavailable } from '../../../checks/checked.js'
import { shown } from '../../../checks/txt.js'
import type { DomainFacts } from '../domain-facts.js'
import type { Stage } from '../fix-plan-report.js'
import type { MailUse } from '../mail-use.js'
import { type PlannedRecord, plannedRecord } from '../planned-record.js'
import { authorizations } from './authorizations.js'
import { baseRecord, ownStation } from './base-record.js'
import { LADDER, LAST_RUNG } from './ladder.js'
import { publication, standingRecord } from './publish-dmarc.js'
import { reportAddresses } from './report-addresses.js'
import { rolloutFrom } from './rollout.js'
import { standingOf } from './standing.js'
import { type Draft, lockedValue, valueNow } from './write-dmarc.js'

export interface DmarcPlan {
  readonly kind: 'planned'
  /** To be published now. */
  readonly records: readonly PlannedRecord[]
  /** What receivers read then, be it inherited or behind an alias. */
  readonly inEffect: Stage['record']
  /** The records with that of the last stage. */
  readonly final: readonly PlannedRecord[]
  readonly rollout: readonly Stage[]
}

export async function planDmarc(
  facts: DomainFacts,
  use: MailUse,
): Promise<DmarcPlan | Unavailable> {
  const { sends } = use
  const { dmarc } = facts
  const base = baseRecord(dmarc)
  const reports = await reportAddresses(facts, base, use)
  if ('kind' in reports) return reports
  const hasServers = facts.mx.targets.some(({ kind }) => kind === 'host')
  const draft: Draft = { facts: dmarc, base, reports, sends, hasServers, isWild: isWild(facts) }
  const standing = standingOf(dmarc)
  const rung = LADDER[standing.rung] ?? LAST_RUNG
  const kept = standingRecord(draft, standing.isComplete)
  const now = kept
    ? [kept]
    : publication(
        draft,
        sends ? valueNow(draft, rung) : lockedValue(draft, LAST_RUNG),
        standing.isComplete,
      )
  const record = inEffect(now, facts)
  const stages = sends ? rolloutFrom(draft, standing, record) : []
  const last = stages.at(-1)?.record
  const { placeholders } = reports
  const end = last && { ...plannedRecord('dmarc', last.name, last.value), placeholders }
  // Where the reports of an inherited record go is for its owner to see to.
  const isOwn = record.name === ownStation(dmarc).name
  const agreed = isOwn ? authorizations(facts.domain, reports.refusing) : []
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
  const { cnames, texts } = ownStation(dmarc)
  const isAnything = cnames.length + texts.length > 0
  return isAnything && isSame(cnames, wildcard.cnames) && isSame(texts, wildcard.texts)
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join('\n') === [...others].sort().join('\n')
}

/** What stands behind an alias is what receivers read. */
function inEffect(now: readonly PlannedRecord[], { dmarc }: DomainFacts): Stage['record'] {
  const { name, type, value } = now.at(-1) as PlannedRecord
  const text = type === 'TXT' ? value : shown(dmarc.applied?.record.text ?? '')
  return { type: 'TXT', name, value: text }
}
