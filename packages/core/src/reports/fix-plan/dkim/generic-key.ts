/** Plans a key for mailboxes or servers that no catalog entry describes. */
import { findServiceBySpfHost, type MailService } from '../../../catalog/mail-services.js'
import { determinePresence } from '../../../checks/dkim/dkim-facts.js'
import { formatAlternatives } from '../../../checks/format-list.js'
import {
  isDirective,
  namingTerms,
  parseSpf,
  type SpfRecord,
} from '../../../checks/spf/spf-record.js'
import { isMailboxHost } from '../../../streams/find-senders.js'
import { findUnknownMailHost, hasOwnMailServers } from '../../../streams/own-servers.js'
import type { DomainFacts } from '../discover-domain.js'
import { findUnusedReceivers, type PlanContext } from '../plan-context.js'
import { createPlannedRecord, findPlaceholders, type PlannedRecord } from '../planned-record.js'
import { newKeySource, newKeyValue } from './plan-current-key.js'

/** A key for mailboxes or servers that no catalog entry describes. */
export function planGenericKey(
  context: PlanContext,
  records: readonly PlannedRecord[],
): PlannedRecord[] {
  const { facts, services } = context
  const { domain, dkim } = facts
  const hasUnknownKey = dkim.keys.some((key) => services.ownerOf(key) === null)
  if (dkim.wildcard || hasUnknownKey) return []
  const hasNoRecord = records.length === 0
  if (hasNoRecord && dkim.domainKeyState === 'exists') return []
  const onlyIf = unlessSigned(facts)
  const [provider] = services.mailboxProviders
  if (!provider && hasOwnMailServers(facts)) return planOwnServerKey(context, onlyIf, records)
  const operator = findUnknownOperator(context)
  if (operator) {
    const through = operator === GATEWAY && provider ? unlessThrough(provider.entry) : []
    const conditions = [...through, onlyIf].filter((text) => text !== null)
    return [planUnknownMailboxKey(domain, conditions.join(' ') || null, operator)]
  }
  if (provider) return planServerBeside(provider.entry, context, records)
  const isElsewhere = facts.below.names.length > 0 || findUnusedReceivers(context).length > 0
  return hasNoRecord && !isElsewhere ? planOwnServerKey(context, onlyIf, records) : []
}

/** An optional key for a server that SPF names beside the mailbox provider. */
function planServerBeside(
  { id, name }: Pick<MailService, 'id' | 'name'>,
  context: PlanContext,
  records: readonly PlannedRecord[],
): PlannedRecord[] {
  const isSender = context.services.senders.some(({ entry }) => entry.id === id)
  const servers = isSender ? findOwnServers(context) : []
  if (servers.length === 0 || servers.length > MAX_SERVERS) return []
  const onlyIf = `The server at ${formatAlternatives(servers)} sends mail as ${context.facts.domain} without a DKIM signature, and you can’t have it send through ${name} instead.`
  return planOwnServerKey(context, onlyIf, records).map((key) => ({ ...key, isOptional: true }))
}

/** A record with more addresses lists those of services. */
const MAX_SERVERS = 4

const GATEWAY = 'the gateway'

/** Who runs the mailboxes, if it is not known how they sign; null otherwise. */
function findUnknownOperator({ facts, services }: PlanContext): string | null {
  const [provider] = services.mailboxProviders
  if (provider?.entry.kind === 'mailbox') {
    return provider.entry.setup.dkim ? null : provider.entry.name
  }
  const hasMailboxHost = services.senders.some(
    ({ entry, inUse }) => isMailboxHost(entry) && inUse !== 'unsure',
  )
  const isHidden = provider?.entry.kind === 'gateway' && !hasMailboxHost
  return findUnknownMailHost(facts) ?? (isHidden ? GATEWAY : null)
}

function unlessSigned({ domain, dkim }: DomainFacts): string | null {
  return determinePresence(dkim) === 'absent'
    ? null
    : `Your mail isn’t signed as ${domain} yet. To find out, send a message to a Gmail address, open it there, and choose Show original. If DKIM says PASS with ${domain}, skip this step.`
}

/** A gateway that outgoing mail passes through signs last, so no other signature is needed. */
function unlessThrough({ name, setup }: Pick<MailService, 'name' | 'setup'>): string[] {
  return setup.dkim ? [`Your outgoing mail doesn’t go through ${name}.`] : []
}

function planUnknownMailboxKey(
  domain: string,
  onlyIf: string | null,
  operator: string,
): PlannedRecord {
  const name = `{mailbox-provider-selector}._domainkey.${domain}`
  const value = '{mailbox-provider-dkim-record}'
  const place = operator === GATEWAY ? 'behind the gateway' : `at the company behind ${operator}`
  const whereToFind = `Open the DKIM settings for your mailboxes, ${place}. If you see a CNAME there instead, publish that.`
  return {
    ...createPlannedRecord('dkim', name, value),
    why: 'Without a DKIM key, mail from your mailboxes fails DMARC when it’s forwarded.',
    placeholders: findPlaceholders([name, value], whereToFind),
    onlyIf,
  }
}

/** Selectors that checks commonly query. */
const OWN_SELECTORS = ['mail', 'dkim', 'default', 'smtp', 'dkim1', 'dkim2']

function planOwnServerKey(
  { facts, services }: PlanContext,
  onlyIf: string | null,
  records: readonly PlannedRecord[],
): PlannedRecord[] {
  const { domain, dkim } = facts
  const nameOf = (selector: string) => `${selector}._domainkey.${domain}`
  const taken = new Set([...dkim.keys, ...dkim.danglingCnames, ...records].map(({ name }) => name))
  const free = OWN_SELECTORS.filter((selector) => !taken.has(nameOf(selector))).find(
    (selector) => !services.senders.some(({ entry }) => entry.selectors.includes(selector)),
  )
  if (free === undefined) return []
  const value = newKeyValue(null)
  return [
    {
      ...createPlannedRecord('dkim', nameOf(free), value),
      why: 'We didn’t find a DKIM key for your own server. Without one, its mail fails DMARC when it’s forwarded.',
      placeholders: findPlaceholders([value], newKeySource(null)),
      onlyIf,
    },
  ]
}

/** The addresses and hosts that SPF names beside services, without those of the MX records. */
function findOwnServers({ usableSpf }: PlanContext): string[] {
  const own = (usableSpf?.composed.facts.nodes ?? []).filter(({ isOwn }) => isOwn)
  const servers = own.flatMap(({ domain, followed }) =>
    followed
      .flatMap(({ terms }) => terms.filter(isDirective))
      .filter(({ kind, qualifier }) => qualifier === '+' && OWN_MECHANISMS.has(kind))
      .map(({ text }) => text.replace(TERM_NAME, '').replace(/\/(?:32|128)$/, '') || domain),
  )
  return [...new Set(servers)]
}

const TERM_NAME = /^\+?(?:ip[46]|a):?/i

const OWN_MECHANISMS: ReadonlySet<string> = new Set(['a', 'ip4', 'ip6'])

/** Whether a server that no catalog entry describes may sign; false if only known services send. */
export function mayHaveOwnServer(context: PlanContext): boolean {
  const { facts, services } = context
  const hasUnknownInclude = spfOf(context).terms.some(
    (term) =>
      (term.kind === 'include' || term.kind === 'redirect') &&
      findServiceBySpfHost(term.target?.text ?? '') === null,
  )
  return (
    services.mailboxProviders.length === 0 ||
    namingTerms(spfOf(context)).length === 0 ||
    services.mailboxProviders.some(({ entry }) => entry.setup.dkim === null) ||
    hasOwnMailServers(facts) ||
    findUnknownMailHost(facts) !== null ||
    findOwnServers(context).length > 0 ||
    hasUnknownInclude
  )
}

/** The record as the plan leaves it. */
function spfOf({ usableSpf }: PlanContext): SpfRecord {
  return parseSpf(usableSpf?.composed.value ?? 'v=spf1')
}
