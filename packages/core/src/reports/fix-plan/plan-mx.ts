/** Plans the MX records: keeps working servers, deletes broken ones, adds a null MX if needed. */
import type { DnsHost } from '../../catalog/dns-hosts.js'
import { fillTemplate } from '../../catalog/record-template.js'
import type { MxTarget } from '../../checks/mx/discover-mx.js'
import type { MailboxProvidersInUse, OwnerAnswers } from '../../streams/find-senders.js'
import type { DomainFacts } from './discover-domain.js'
import {
  findProviderOf,
  isDeliverable,
  isUnknown,
  isWorking,
  type PlanContext,
} from './plan-context.js'
import { createPlannedRecord, type PlannedRecord } from './planned-record.js'

/** RFC 7505 §3. */
const NULL_MX = '0 .'

export interface MxPlan {
  readonly records: readonly PlannedRecord[]
  /** The DNS host that does not accept the null MX which the domain should have. */
  readonly nullMxRefusedBy: DnsHost | null
}

type MxContext = Pick<PlanContext, 'facts' | 'services' | 'mailUse' | 'answers'>

export function planMx(
  { facts, services, mailUse: { sends }, answers }: MxContext,
  takesReports: boolean,
): MxPlan {
  const { mailboxProviders, dnsHosts } = services
  if (facts.mx.targets.length > 0) return planOf(planCurrentMx(facts, answers))
  if (sends) return planOf(mailboxProviders.flatMap((provider) => planProviderMx(facts, provider)))
  // DMARC reports may be sent to the domain itself.
  if (takesReports) return planOf([])
  const host = dnsHosts[0]?.entry
  return host?.panel.nullMx === 'refused'
    ? { records: [], nullMxRefusedBy: host }
    : planOf([planNullMx(facts)])
}

function planOf(records: readonly PlannedRecord[]): MxPlan {
  return { records, nullMxRefusedBy: null }
}

/**
 * Deletes a broken server only if another works; otherwise the owner has to decide. Where not all
 * servers are known, nothing changes: an export that lists some would delete the others.
 */
function planCurrentMx(facts: DomainFacts, { unused }: OwnerAnswers): PlannedRecord[] {
  const { domain, mx } = facts
  if (mx.targets.some(({ kind }) => kind === 'unqueried')) return []
  const hasWorking = mx.targets.some(isWorking)
  const values = mx.targets.map(formatMx)
  return mx.targets.map((target, index) => {
    const otherValues = values.filter((_, other) => other !== index)
    const record = {
      ...createPlannedRecord('mx', domain, formatMx(target)),
      type: 'MX' as const,
      otherValues,
    }
    const service = findProviderOf(target, facts)?.id ?? null
    if (service !== null && unused.includes(service)) {
      return { ...record, action: 'delete', service, why: NO_LONGER_USED }
    }
    const reason = hasWorking ? reasonToDelete(target) : null
    return reason
      ? { ...record, action: 'delete', why: reason }
      : { ...record, action: 'keep', why: whyKept(target) }
  })
}

const NO_LONGER_USED =
  'You no longer use this provider, so mail that arrives there isn’t read. Save what’s left in the mailboxes first. Your other mail servers stay.'

function whyKept(target: MxTarget): string {
  if (target.kind === 'null') return 'It declares that the domain doesn’t accept mail.'
  if (isUnknown(target)) return 'We couldn’t look up its address, so the plan leaves it alone.'
  return isDeliverable(target)
    ? 'Mail is delivered here.'
    : 'Mail can’t be delivered here, and only you know where it should go. Enter a host that has an address.'
}

function reasonToDelete(target: MxTarget): string | null {
  if (target.kind === 'null') {
    return 'With a null MX next to real mail servers, some senders bounce the mail (RFC 7505 §3).'
  }
  if (target.kind === 'ip-literal')
    return 'An MX record has to name a host, not an IP address (RFC 5321 §5.1).'
  return isDeliverable(target) ? null : 'The host has no address, so mail can’t be delivered there.'
}

export function formatMx({ preference, exchange }: MxTarget): string {
  return `${preference} ${exchange}`
}

function planNullMx({ domain }: DomainFacts): PlannedRecord {
  const why =
    'It declares that the domain doesn’t accept mail, so mail to it bounces right away instead of after days of retries (RFC 7505 §3).'
  const onlyIf = `No one sends mail to addresses at ${domain}. We found no mail server for it in DNS.`
  return { ...createPlannedRecord('mx', domain, NULL_MX), type: 'MX', why, onlyIf }
}

/** The domain receives no mail today, so the new records cannot lose any. */
function planProviderMx(
  { domain }: DomainFacts,
  { entry, evidence }: MailboxProvidersInUse[number],
) {
  const why = `Mail to the domain can’t be delivered, because it has neither an MX record nor an address. ${evidence} points to ${entry.name}, which hosts mailboxes.`
  const onlyIf = `Your mailboxes are at ${entry.name}. If they’re elsewhere, publish that provider’s MX records instead.`
  return entry.setup.mx.map((template): PlannedRecord => {
    const record = createPlannedRecord('mx', domain, fillTemplate(template, domain, entry.id))
    return { ...record, type: 'MX', service: entry.id, why, onlyIf }
  })
}
