/** What stands and may stay, or what is to be published in its place. */
import { isDmarcRecord } from '../../../checks/dmarc/dmarc-record.js'
import { isNearMiss } from '../../../checks/dmarc/near-miss.js'
import { faultsOf } from '../../../checks/dmarc/record-faults.js'
import { emptyStation } from '../../../checks/dmarc/tree-walk.js'
import { shown } from '../../../checks/txt.js'
import { type PlannedRecord, plannedRecord } from '../planned-record.js'
import { inheritedRecord, ownStation, policyToday } from './base-record.js'
import type { Draft } from './write-dmarc.js'

/** Null where something has to be published now. */
export function standingRecord(draft: Draft, isComplete: boolean): PlannedRecord | null {
  const { facts, reports, sends } = draft
  const { applied, policy } = facts
  if (!applied || !policy || (!sends && !isComplete)) return null
  const { station, record } = applied
  const own = ownStation(facts)
  const isOwn = station === own
  // Nor does what is inherited stay where something of the domain's own has to be cleared away.
  const isPlain = inheritedRecord(facts) && !own.texts.some(isMeant) && own.cnames.length === 0
  if (!isOwn && !isPlain) return null
  const isSound = faultsOf(record).length === 0 && policy === policyToday(facts) && reports.arrive
  // What the organisation publishes is not this domain's to mend, as long as it protects it.
  if (!isSound && (isOwn || !isComplete)) return null
  const [target] = station.cnames
  const why = isComplete
    ? 'It asks receivers to reject whatever only pretends to come from the domain.'
    : 'It is right for the stage at which the domain stands; the rollout says what comes next.'
  const kept = plannedRecord('dmarc', station.name, target ?? shown(record.text))
  return { ...kept, action: 'keep', type: target ? 'CNAME' : 'TXT', why }
}

/** Where a CNAME stands, nothing else can (RFC 1034 §3.6.2). */
export function publication(draft: Draft, value: string, isComplete: boolean): PlannedRecord[] {
  const station = ownStation(draft.facts)
  const { name, cnames, texts } = draft.isWild ? emptyStation(station.domain) : station
  const [alias] = cnames
  const replaces = alias ? [] : texts.filter(isMeant).map(shown)
  const record: PlannedRecord = {
    ...plannedRecord('dmarc', name, value),
    action: replaces.length > 0 ? 'replace' : 'create',
    replaces,
    beside: alias ? [] : texts.filter((text) => !isMeant(text)).map(shown),
    why: whyPublished(draft, replaces.length, isComplete),
    placeholders: draft.reports.placeholders,
  }
  const [old, ...others] = replaces
  if (old === value && others.length === 0) return [{ ...record, action: 'keep', replaces: [] }]
  const noted = { ...record, ...notesOf(draft) }
  if (!alias) return [noted]
  const why = `Beside a CNAME no TXT record can stand (RFC 1034 §3.6.2), and the record at ${alias} does not do what is needed. Create the next record right after this.`
  const before = `If ${alias} belongs to a DMARC service of yours, keep the CNAME, have the record changed there, and leave out this step and the next.`
  const gone = plannedRecord('dmarc', name, alias)
  return [{ ...gone, action: 'delete', type: 'CNAME', why, before }, noted]
}

function notesOf({
  reports,
  sends,
  facts,
  hasServers,
}: Draft): Pick<PlannedRecord, 'before' | 'after'> {
  const isNew = !reports.arrive && reports.placeholders.length === 0
  const doubt = hasServers ? ` It has mail servers: make sure that nobody writes from them.` : ''
  return {
    ...(!sends && {
      before: `This holds for every name below ${facts.domain} as well: give one that does send a DMARC record of its own first.${doubt}`,
    }),
    ...(isNew && { after: 'See that the mailbox in rua exists and that somebody reads it.' }),
  }
}

/** As DMARC, well written or not. */
function isMeant(text: string): boolean {
  return isDmarcRecord(text) || isNearMiss(text)
}

function whyPublished(
  { facts, base, sends }: Draft,
  replaced: number,
  isComplete: boolean,
): string {
  const policy = policyToday(facts)
  const stays = `The policy stays "p=${policy}"${isComplete ? '.' : ' for now.'}`
  const faults = facts.applied?.record === base ? faultsOf(base) : []
  return [
    ...(replaced > 1 ? ['Several records cancel each other: one remains (RFC 9989 §4.10).'] : []),
    ...(replaced === 1 && facts.applied?.station !== ownStation(facts)
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
