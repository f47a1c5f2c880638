/** The reports of the four scored checks, and what only all of them together show. */
import { findFacts, findingTitle } from '../../catalog/findings.js'
import { SEVERITIES } from '../../catalog/severities.js'
import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import { isWeakerPolicy } from '../../checks/dmarc/dmarc-policies.js'
import type { DmarcReport } from '../../checks/dmarc/dmarc-report.js'
import type { Finding } from '../../checks/finding.js'
import type { MxReport } from '../../checks/mx/mx-report.js'
import type { SpfReport } from '../../checks/spf/spf-report.js'
import { isCounted, isLost, type StreamReport } from '../../streams/stream.js'

export interface MechanismReports {
  readonly mx: MxReport
  readonly spf: SpfReport
  readonly dmarc: DmarcReport
  readonly dkim: DkimReport
}

export interface CheckReports extends MechanismReports {
  /** Who sends, and what happens to that mail today. */
  readonly streams: readonly StreamReport[]
}

export const SENDING_PROFILES = ['sending', 'non-sending', 'covered'] as const
export type SendingProfile = (typeof SENDING_PROFILES)[number]

/**
 * `non-sending` is declared, not guessed: SPF is exactly `v=spf1 -all`, or there is a null MX and no
 * SPF record that names a sender. A DKIM key contradicts both. `covered` is a name without mail
 * records of its own, to which an enforced policy of a parent domain applies.
 */
export function sendingProfile({ spf, mx, dmarc, dkim }: MechanismReports): SendingProfile {
  if (dkim.presence === 'present') return 'sending'
  if (spf.declaresNoSenders || (mx.nullMx && !spf.namesSenders)) return 'non-sending'
  const hasOwnRecords = mx.records.length + spf.records.length + dkim.keys.length > 0
  const isCovered = dmarc.inherited && effectiveTreatment(dmarc) !== 'none'
  return !hasOwnRecords && isCovered ? 'covered' : 'sending'
}

/** What receivers do with forged mail; `t=y` lowers the policy by one level (RFC 9989 §4.7). */
export function effectiveTreatment({
  policy,
  testing,
}: Pick<DmarcReport, 'policy' | 'testing'>): 'none' | 'quarantine' | 'reject' {
  if (policy === 'reject') return testing ? 'quarantine' : 'reject'
  return policy === 'quarantine' && !testing ? 'quarantine' : 'none'
}

/** The findings of all four checks, most severe first. */
export function findingsBySeverity({ mx, spf, dmarc, dkim }: MechanismReports): Finding[] {
  return [spf, dmarc, dkim, mx].flatMap(({ issues }) => issues).sort(compareSeverity)
}

/** Every summary names the same one. */
export function describeFirstFix(reports: CheckReports): string | null {
  const first = findingsBySeverity(reports).find(isActionable)
  if (!first) return null
  const { dmarc, dkim, streams } = reports
  // Under an enforced policy, a record that no longer lets everyone in loses unsigned mail.
  const isUnsigned = dkim.presence === 'absent' && streams.some(isCounted)
  const signsBefore = first.id === OPEN_SPF && effectiveTreatment(dmarc) !== 'none' && isUnsigned
  const before = signsBefore ? ' Before you close it, have your mail signed with DKIM.' : ''
  return `Fix first: ${findingTitle(first.id)}.${before}`
}

const OPEN_SPF = 'spf.allows-everyone'

export function isActionable({ severity }: Finding): boolean {
  return severity !== 'info'
}

function compareSeverity(left: Finding, right: Finding): number {
  return SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity)
}

export const SPOOFABLE = ['no', 'partly', 'yes'] as const
export type Spoofable = (typeof SPOOFABLE)[number]

export function assessSpoofability(reports: MechanismReports): Spoofable {
  const { policy } = reports.dmarc
  if (policy === null || policy === 'none' || allowsEveryone(reports)) return 'yes'
  const hasGap = isWeakerForSome(reports) || findGaps(reports).length > 0
  return policy === 'quarantine' || hasGap ? 'partly' : 'no'
}

/** SPF passes for every server, so DMARC passes as well. */
export function allowsEveryone({ spf }: Pick<MechanismReports, 'spf'>): boolean {
  return spf.issues.some(({ id }) => id === OPEN_SPF)
}

export function findGaps({ spf, dmarc, dkim }: MechanismReports): Finding[] {
  return [dmarc, spf, dkim].flatMap(({ issues }) => issues).filter(isGap)
}

/**
 * What leaves a gap even with "p=reject". A weak key is one of them and no more: receivers must not
 * accept its signatures (RFC 8301 §3.2), but some do. Whether the public half of a leaked private
 * key is still published somewhere is unknown.
 */
export function isGap({ id }: Pick<Finding, 'id'>): boolean {
  return findFacts(id)?.opensGap ?? false
}

/** Some receivers still follow RFC 7489 and may find a weaker policy. */
function isWeakerForSome({ dmarc: { policy, olderReceivers } }: MechanismReports): boolean {
  if (policy === null || olderReceivers === null) return false
  return olderReceivers.policy === null || isWeakerPolicy(olderReceivers.policy, policy)
}

/** Senders whose mail fails under the policy of today. What may be a leftover does not count. */
export function lostStreams({ streams }: Pick<CheckReports, 'streams'>): StreamReport[] {
  return streams.filter((stream) => isCounted(stream) && isLost(stream))
}
