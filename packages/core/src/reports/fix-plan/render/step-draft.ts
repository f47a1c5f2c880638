/** A step before it is numbered, and what steps are written from. */
import type { DnsHost, Pitfall } from '../../../catalog/dns-hosts.js'
import { hasPlaceholder } from '../../../catalog/record-template.js'
import type { Finding } from '../../../checks/finding.js'
import type { SenderInUse } from '../../../streams/find-senders.js'
import type { KeyStep } from '../dkim/key-steps.js'
import type { ServiceToTurnOn } from '../dkim/plan-dkim.js'
import type { PlanStep } from '../fix-plan-report.js'
import type { Zone } from '../planned-record.js'
import type { UrgentMail } from '../urgent-mail.js'
import type { PanelRecord } from './panel-record.js'
import type { PanelContext } from './write-record-step.js'

export type StepDraft = Omit<PlanStep, 'order'>

export interface StepsInput extends PanelContext {
  readonly records: readonly PanelRecord[]
  readonly zone: Zone
  /** Null if the host is unknown or only parks domains. */
  readonly host: DnsHost | null
  readonly domain: string
  /** With its Unicode form, if it has one. */
  readonly displayName: string
  /** The zone is hosted by a parking service. */
  readonly isParked: boolean
  /** What to know about the records that are published today at this host. */
  readonly pitfalls: readonly Pick<Pitfall, 'text' | 'about'>[]
  /** Services whose records are right, but that do not sign yet. */
  readonly toTurnOn: readonly ServiceToTurnOn[]
  /** Services that may be leftovers. */
  readonly toConfirm: readonly SenderInUse[]
  /** What to do about keys besides the records. */
  readonly keySteps: readonly KeyStep[]
  /** CNAMEs that the DNS host answers with its own addresses. */
  readonly proxied: readonly string[]
  /** Why not all senders fit into the SPF record, and what to do about it; null if they do. */
  readonly crowdedSpf: Pick<Finding, 'title' | 'detail' | 'fix'> | null
  /** DKIM keys exist, but not at a selector that we know. */
  readonly hasHiddenKeys: boolean
  /** A mail address for reports that may not exist yet. */
  readonly newMailbox: string | null
  readonly mailboxProvider: string | null
  readonly urgent: UrgentMail
  /** DMARC doesn't accept the signature of a subdomain. */
  readonly isExact: boolean
  /** What no record of the plan fixes. */
  readonly faults: readonly Finding[]
  /** Steps after the records: reports, stages, logo. */
  readonly closing: readonly StepDraft[]
  /** The first day on which a replaced key may be deleted. */
  readonly removalDate: string
  readonly baseUrl: string | null
}

export type Group = readonly [PanelRecord, ...PanelRecord[]]

/** A step for today, about no stream and no record, unless it says otherwise. */
export const TODAY: Omit<StepDraft, 'kind' | 'title' | 'where' | 'actions' | 'verify'> = {
  stream: null,
  when: 'today',
  notBefore: null,
  service: null,
  records: [],
  onlyIf: null,
  optional: false,
}

export function checkUrl(
  baseUrl: string | null,
  check: 'check' | 'mx' | 'spf' | 'dkim' | 'dmarc',
  domain: string,
  more: Readonly<Record<string, string>> = {},
): string | null {
  if (baseUrl === null) return null
  return `${baseUrl}/v1/${check}?${new URLSearchParams({ domain, ...more })}`
}

export function selectorOf({ name }: Pick<PanelRecord, 'name'>): string {
  return name.slice(0, name.indexOf('._domainkey'))
}

/** The record of a selector that is known, at the domain itself. */
export function isKeyAt(name: string, domain: string): boolean {
  return name.endsWith(`._domainkey.${domain}`) && !hasPlaceholder(name)
}
