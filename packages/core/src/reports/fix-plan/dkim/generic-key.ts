/** Plans a key for mailboxes or servers that no catalog entry describes. */

import { LISTS } from '../../../catalog/generated/lists.js'
import type { MailService } from '../../../catalog/mail-services.js'
import { determinePresence } from '../../../checks/dkim/dkim-facts.js'
import { collectStreams, overlap } from '../../../streams/collect-streams.js'
import { isMailboxHost } from '../../../streams/find-senders.js'
import { findUnknownMailHost, hasOwnMailServers } from '../../../streams/own-servers.js'
import { findServerTerms } from '../../../streams/server-terms.js'
import { OWN_SERVER, type Stream } from '../../../streams/stream.js'
import type { DomainFacts } from '../discover-domain.js'
import { isLeaving, type PlanContext } from '../plan-context.js'
import { createPlannedRecord, findPlaceholders, type PlannedRecord } from '../planned-record.js'
import { type Condition, type Said, say, sayIf } from '../say.js'
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
  if (!provider && hasOwnMailServers(facts)) return planServerKey(context, onlyIf, records)
  const operator = findUnknownOperator(context)
  if (operator) {
    const through = operator === GATEWAY && provider ? unlessThrough(provider.entry) : []
    return [planUnknownMailboxKey(domain, [...through, ...onlyIf], operator)]
  }
  if (provider) return planServerBeside(provider.entry, context, records)
  const isServer = hasNoRecord && facts.below.names.length === 0 && hasOwnServer(context)
  return isServer ? planOwnServerKey(context, onlyIf, records) : []
}

/** Whose servers have a name of the domain: SPF names them by an include that no one else needs. */
function findWebHost(context: PlanContext): string | null {
  const streams = plannedStreams(context)
  const server = streams.find(({ id }) => id === OWN_SERVER)
  const host = streams.find(
    ({ service, kind, addresses }) =>
      service === null &&
      kind === 'service' &&
      addresses !== null &&
      server?.addresses &&
      overlap(addresses, server.addresses),
  )
  return host?.id ?? null
}

/**
 * With the SPF record as the plan leaves it: receivers may not be able to read that of today, and an
 * open include says nothing about a server.
 */
function plannedStreams({ facts, services, usableSpf }: PlanContext): Stream[] {
  const spf = usableSpf?.composed.facts ?? facts.spf
  return collectStreams({ ...facts, spf }, services.senders, false)
}

function planServerKey(
  context: PlanContext,
  onlyIf: readonly Condition[],
  records: readonly PlannedRecord[],
): PlannedRecord[] {
  const host = findWebHost(context)
  if (host === null) return planOwnServerKey(context, onlyIf, records)
  // The host creates the key and chooses its selector.
  const panels = LISTS.controlPanels.flatMap(({ name, screen }) =>
    screen ? [`${name} (${screen.path})`] : [],
  )
  const whereToFind = say('dkim.web-host-where', { host: [host], panels })
  const why = say('dkim.web-host', { host: [host] })
  return [planUnknownKey(context.facts.domain, onlyIf, why, whereToFind)]
}

/** A key for a server that SPF names beside the mailbox provider: no other step makes it sign. */
function planServerBeside(
  { id, name }: Pick<MailService, 'id' | 'name'>,
  context: PlanContext,
  records: readonly PlannedRecord[],
): PlannedRecord[] {
  const isSender = context.services.senders.some(({ entry }) => entry.id === id)
  const servers = isSender ? findOwnServers(context) : []
  if (servers.length === 0 || servers.length > MAX_SERVERS) return []
  const { domain } = context.facts
  const onlyIf = isLeaving({ id }, context)
    ? sayIf(OWN_SERVER, 'when.server-unsigned-itself', { servers, domain })
    : sayIf(OWN_SERVER, 'when.server-unsigned', { servers, domain, name })
  return planOwnServerKey(context, [onlyIf], records)
}

/** A record with more addresses lists those of services. */
const MAX_SERVERS = 4

const GATEWAY = 'gateway'

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

function unlessSigned({ domain, dkim }: DomainFacts): readonly Condition[] {
  const isProven = determinePresence(dkim) === 'absent'
  return isProven ? [] : [sayIf(null, 'when.mail-unsigned', { domain })]
}

/** A gateway that outgoing mail passes through signs last, so no other signature is needed. */
function unlessThrough({ id, name, setup }: MailService): readonly Condition[] {
  return setup.dkim ? [sayIf(id, 'when.outgoing-not-through', { name })] : []
}

function planUnknownMailboxKey(
  domain: string,
  onlyIf: readonly Condition[],
  operator: string,
): PlannedRecord {
  const whereToFind =
    operator === GATEWAY
      ? say('dkim.behind-gateway-where', {})
      : say('dkim.unknown-mailboxes-where', { operator: [operator] })
  return planUnknownKey(domain, onlyIf, say('dkim.unknown-mailboxes', {}), whereToFind)
}

/** Only who runs the mailboxes knows the selector and the key. */
function planUnknownKey(
  domain: string,
  onlyIf: readonly Condition[],
  why: Said,
  whereToFind: Said,
): PlannedRecord {
  const name = `{mailbox-provider-selector}._domainkey.${domain}`
  const value = '{mailbox-provider-dkim-record}'
  const placeholders = findPlaceholders([name, value], whereToFind)
  return createPlannedRecord('dkim', name, value, { why: [why], placeholders, onlyIf })
}

/** Selectors that checks commonly query. */
const OWN_SELECTORS = ['mail', 'dkim', 'default', 'smtp', 'dkim1', 'dkim2']

function planOwnServerKey(
  { facts, services }: PlanContext,
  onlyIf: readonly Condition[],
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
  const why = [say('dkim.own-server', {})]
  const placeholders = findPlaceholders([value], newKeySource(null))
  return [createPlannedRecord('dkim', nameOf(free), value, { why, placeholders, onlyIf })]
}

/** The addresses and hosts of their own that SPF names, without those of the MX records. */
function findOwnServers({ facts: { domain }, usableSpf }: PlanContext): string[] {
  const terms = usableSpf ? findServerTerms(usableSpf.composed.facts) : []
  const servers = terms
    .filter(({ kind }) => OWN_MECHANISMS.has(kind))
    .map(({ text }) => text.replace(TERM_NAME, '').replace(/\/(?:32|128)$/, '') || domain)
  return [...new Set(servers)]
}

const TERM_NAME = /^\+?(?:ip[46]|a):?/i

const OWN_MECHANISMS: ReadonlySet<string> = new Set(['a', 'ip4', 'ip6'])

/** Whether some of the mail comes from a server of the owner's, which may sign. */
export function hasOwnServer(context: PlanContext): boolean {
  return [...context.streams, ...plannedStreams(context)].some(
    ({ kind }) => kind === 'own-server' || kind === 'web-host',
  )
}
