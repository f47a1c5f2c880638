/** Plans a good DKIM key for every service that signs; good keys stay unchanged. */

import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import { findServiceByDkimTarget, type MailService } from '../../../catalog/mail-services.js'
import { findProviderById } from '../../../catalog/mailbox-providers.js'
import type { DkimRecordTemplate } from '../../../catalog/service-setup.js'
import { type DnsUnavailable, dnsUnavailable } from '../../../checks/check-result.js'
import { type DkimFacts, determinePresence } from '../../../checks/dkim/dkim-facts.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/host-problem.js'
import type { DomainFacts } from '../discover-domain.js'
import { findUnknownMailHost, hasOwnMailServers, type PlanContext } from '../plan-context.js'
import {
  createPlannedRecord,
  fillTemplate,
  findPlaceholders,
  hasPlaceholder,
  type PlannedRecord,
} from '../planned-record.js'
import { isMailboxHost, type SenderInUse, type ServicesInUse } from '../services-in-use.js'
import {
  newKeySource,
  newKeyValue,
  planCurrentKey,
  planNonSendingKey,
  singleRecordKeys,
} from './plan-current-key.js'
import { describeScreen } from './service-screen.js'

export interface DkimPlan {
  readonly kind: 'planned'
  readonly records: readonly PlannedRecord[]
  /** Services whose records are right, but that do not sign yet. */
  readonly toTurnOn: readonly ServiceToTurnOn[]
  /** Services that may be leftovers, for which nothing is planned unless they are in use. */
  readonly toConfirm: readonly SenderInUse[]
  /** Records left out because another service uses the selector. */
  readonly selectorConflicts: readonly { readonly service: string; readonly name: string }[]
  /** CNAMEs that the DNS host answers with its own addresses. */
  readonly proxied: readonly string[]
}

export interface ServiceToTurnOn {
  readonly service: MailService
  readonly onlyIf: string | null
}

const NO_RECORDS: Omit<DkimPlan, 'records'> = {
  kind: 'planned',
  toTurnOn: [],
  toConfirm: [],
  selectorConflicts: [],
  proxied: [],
}

export async function planDkim(context: PlanContext): Promise<DkimPlan | DnsUnavailable> {
  const { facts, services, mailUse, answers, usableSpf } = context
  const { dns, dkim } = facts
  const keys = singleRecordKeys(dkim.keys)
  if (!mailUse.sends) return { ...NO_RECORDS, records: keys.map(planNonSendingKey) }
  const signers = services.senders.filter(
    ({ entry, setUpAt }) =>
      entry.setup.dkim && canSend(entry) && !(setUpAt && signsAt(setUpAt, facts)),
  )
  const isAsked = (sender: SenderInUse) => isLeftover(sender, context)
  const active = signers.filter((sender) => !isAsked(sender))
  const signing = new Set(active.map(({ entry }) => entry.id))
  const required = active.flatMap((signer) => requiredKeys(signer, context))
  const recognized = new Set([
    ...services.mailboxProviders.map(({ entry }) => entry.id),
    ...(usableSpf?.composed.remainingSenders ?? []).map(({ id }) => id),
  ])
  const current: PlannedRecord[] = []
  for (const key of keys) {
    // Two records at one selector are none (RFC 6376 §3.6.2.2).
    const names = [...required.map(({ owner }) => owner), ...current.map(({ name }) => name)]
    const { ownerOf } = services
    const reserved = new Set(names)
    current.push(...planCurrentKey(key, dkim, { signing, reserved, recognized, ownerOf }))
  }
  // The first of two services that need the same selector gets it.
  const granted = required.filter(
    ({ owner }, index) => required.findIndex(hasOwner(owner)) === index,
  )
  const planned: PlannedKey[] = []
  const freed = new Set(
    current.flatMap(({ action, isLater, name }) => (action === 'delete' && !isLater ? name : [])),
  )
  for (const plan of await Promise.all(
    granted.map((key) => planRequiredKey(dns, key, dkim, freed)),
  )) {
    if (plan.kind === 'unavailable') return plan
    planned.push(plan)
  }
  const bounces = await Promise.all(
    active.map((signer) => planReturnPath(signer, context, planned)),
  )
  const records = [
    ...current.filter(({ service }) => !answers.unused.includes(service ?? '')),
    ...keepSpareAliases(dkim, signing, required),
    ...planned.flatMap((plan) => plan.records),
    ...bounces.flat(),
    ...removeUnusedKeys(dkim, services, answers.unused),
  ]
  const generic = planGenericKey(context, records)
  const plannedNames = new Set(planned.flatMap((plan) => plan.records.map(({ name }) => name)))
  const waiting = new Map(
    planned.filter(({ isWaiting }) => isWaiting).map(({ key }) => [key.service, key.onlyIf]),
  )
  const isComplete = ({ service }: ServiceToTurnOn) =>
    !planned.some(({ key, isWaiting }) => key.service === service && !isWaiting)
  return {
    kind: 'planned',
    records: [...records, ...generic],
    toTurnOn: [...waiting].map(([service, onlyIf]) => ({ service, onlyIf })).filter(isComplete),
    toConfirm: services.senders.filter(isAsked),
    selectorConflicts: required
      .filter((key) => !granted.includes(key) || !plannedNames.has(key.owner))
      .filter(({ owner, service }) => !isKeyOf(owner, service, context))
      .map(({ service, owner }) => ({ service: service.name, name: owner })),
    proxied: planned.flatMap(({ key, isProxied }) => (isProxied ? [key.owner] : [])),
  }
}

function signsAt(setUpAt: string, { below }: DomainFacts): boolean {
  return below.names.some(({ name, signs }) => signs && name === setUpAt)
}

/** Some forwarders also let people send as the domain. */
function canSend({ id, kind }: MailService): boolean {
  return kind !== 'forwarder' || findProviderById(id)?.sending?.can === true
}

/** Whether the key at the name belongs to the service itself. */
function isKeyOf(name: string, { id }: MailService, { facts, services }: PlanContext): boolean {
  return facts.dkim.keys.some((key) => key.name === name && services.ownerOf(key)?.id === id)
}

/**
 * What may be a leftover is asked about instead of set up: the mailboxes of another provider than
 * that of the MX records, a token, or an old CNAME.
 */
function isLeftover(
  { entry, inUse, evidence }: SenderInUse,
  { facts, services }: PlanContext,
): boolean {
  if (inUse !== 'unsure') return false
  const isIncluded = /^[+?~-]?(?:include:|redirect=)/i.test(evidence)
  const hasLiveKey = facts.dkim.keys.some(
    (key) => key.valid && services.ownerOf(key)?.id === entry.id,
  )
  return !hasLiveKey && (!isIncluded || isMailboxHost(entry))
}

/** A DKIM record that a service requires. */
interface RequiredKey {
  readonly service: MailService
  readonly template: DkimRecordTemplate
  /** The name to publish the record at. */
  readonly owner: string
  readonly value: string
  readonly onlyIf: string | null
  /** The service already signs with another of its selectors. */
  readonly isAlreadySigning: boolean
}

/** All keys of a service, or only those missing beside one that exists. */
function requiredKeys(signer: SenderInUse, context: PlanContext): RequiredKey[] {
  const { facts, services } = context
  const { dkim } = facts
  const { entry: service, setUpAt } = signer
  const base = setUpAt ?? facts.domain
  const isAlreadySigning = dkim.keys.some(
    (key) => setUpAt === null && key.valid && services.ownerOf(key)?.id === service.id,
  )
  const known = knownTokens(service, facts)
  const all = (service.setup.dkim?.records ?? []).map((template): RequiredKey => {
    const fill = (text: string) => fillTemplate(text, base, service.id, known)
    const below = template.below === undefined ? '' : `.${fill(template.below)}`
    const owner = `${fill(template.selector)}._domainkey${below}.${base}`
    const value = fill(template.value)
    return { service, template, owner, value, onlyIf: null, isAlreadySigning }
  })
  const onlyIf = isAlreadySigning ? null : conditionFor(signer, all, facts)
  const conditional = all.map((key) => ({ ...key, onlyIf }))
  if (!isAlreadySigning) return conditional
  const existing = new Set([...dkim.keys, ...dkim.danglingCnames].map(({ name }) => name))
  const isPaired = all.some(
    ({ owner, template }) => template.type === 'CNAME' && existing.has(owner),
  )
  return isPaired
    ? conditional.filter(({ owner }) => !existing.has(owner) && !hasPlaceholder(owner))
    : []
}

/** Values that the SPF record shows, such as the account number of HubSpot. */
function knownTokens({ setup }: MailService, { spf }: DomainFacts): Record<string, string> {
  const { tokenInInclude } = setup.dkim ?? {}
  if (!tokenInInclude) return {}
  const { token, pattern } = tokenInInclude
  const [, value] =
    spf.nodes.map(({ domain }) => pattern.exec(domain)).find((match) => match !== null) ?? []
  return value === undefined ? {} : { [token]: value }
}

/** Null where DNS proves that the service does not sign yet and other records show that it sends. */
function conditionFor(
  { entry: { id, name, kind }, inUse, setUpAt }: SenderInUse,
  required: readonly RequiredKey[],
  facts: DomainFacts,
): string | null {
  const used =
    inUse === 'unsure'
      ? [`You still use ${name}. If you do not, request the plan again with unused=${id}.`]
      : kind === 'gateway' || kind === 'forwarder'
        ? [`Your outgoing mail goes through ${name}.`]
        : []
  const isProven = setUpAt === null && provesUnsigned(required, facts)
  const unsigned = isProven
    ? []
    : [
        `${name} does not sign your mail yet: open a message that it sent, choose "Show original", and look for DKIM: PASS with ${facts.domain} or a subdomain of it.`,
      ]
  return [...used, ...unsigned].join(' ') || null
}

/** All selectors of the service are fixed and have no record, or the domain has no key at all. */
function provesUnsigned(required: readonly RequiredKey[], { dkim }: DomainFacts): boolean {
  if (determinePresence(dkim) === 'absent') return true
  // A selector that the administrator chose cannot be guessed.
  if (required.some(({ service }) => service.setup.dkim?.selectorIsChosen)) return false
  const answered = new Set(
    dkim.selectorsTried.filter((selector) => !dkim.selectorsFailed.includes(selector)),
  )
  return required.every(
    ({ owner, template }) =>
      template.below === undefined && answered.has(owner.slice(0, owner.indexOf('._domainkey'))),
  )
}

/** CNAMEs that a service needs for its next key rotation. */
function keepSpareAliases(
  dkim: DkimFacts,
  signing: ReadonlySet<string>,
  required: readonly RequiredKey[],
): PlannedRecord[] {
  return dkim.danglingCnames
    .filter(({ name }) => !required.some(hasOwner(name)))
    .filter(({ provider }) => provider !== null && signing.has(provider.id))
    .map(({ name, cnames: [target = ''], provider }) => ({
      ...createPlannedRecord('dkim', name, target),
      type: 'CNAME',
      action: 'keep',
      service: provider?.id ?? null,
      why: `It has no key today; ${provider?.name} needs it to rotate keys.`,
    }))
}

function hasOwner(name: string): (key: RequiredKey) => boolean {
  return ({ owner }) => owner === name
}

/** The keys of services that the owner no longer uses. */
function removeUnusedKeys(
  dkim: DkimFacts,
  { ownerOf }: ServicesInUse,
  unused: readonly string[],
): PlannedRecord[] {
  const keys = [
    ...singleRecordKeys(dkim.keys).map((key) => ({ ...key, owner: ownerOf(key) })),
    ...dkim.danglingCnames.map((alias) => ({ ...alias, owner: alias.provider, record: '' })),
  ]
  return keys
    .filter(({ owner }) => owner !== null && unused.includes(owner.id))
    .map(({ name, cnames: [target], record, owner }) => ({
      ...createPlannedRecord('dkim', name, target ?? record),
      type: target === undefined ? 'TXT' : 'CNAME',
      action: 'delete',
      service: owner?.id ?? null,
      why: `You no longer use ${owner?.name}, so nothing should be signed with this key.`,
      onlyIf: `Nothing has been sent with ${owner?.name} for a week.`,
      isLater: true,
    }))
}

interface PlannedKey {
  readonly kind: 'planned'
  readonly key: RequiredKey
  readonly records: readonly PlannedRecord[]
  /** The record is right, but signing is not turned on. */
  readonly isWaiting: boolean
  readonly isProxied: boolean
}

/** Plans no record if another service uses the name. */
async function planRequiredKey(
  dns: Dns,
  key: RequiredKey,
  facts: DkimFacts,
  freed: ReadonlySet<string>,
): Promise<PlannedKey | DnsUnavailable> {
  const { template, owner, value, service } = key
  const placeholders = findPlaceholders([owner, value], describeScreen(service))
  const plan = (records: readonly PlannedRecord[], isWaiting = false, isProxied = false) =>
    ({ kind: 'planned', key, records, isWaiting, isProxied }) as const
  const current = freed.has(owner) ? null : await queryOwner(dns, owner, facts)
  if (current?.kind === 'failed') return dnsUnavailable(owner, 'TXT', current)
  if (current?.kind === 'records') return plan([])
  const alias = current?.cnames[0]
  // A dangling CNAME to the service counts as correct: signing may not be turned on yet.
  const isCorrect =
    placeholders.length > 0 ? leadsToService(alias, key, facts) : alias === value.toLowerCase()
  if (alias !== undefined && template.type === 'CNAME' && isCorrect) {
    const why = `It points to ${service.name}, but there is no key yet: signing is not turned on.`
    const kept = { ...createPlannedRecord('dkim', owner, alias), service: service.id, why }
    return plan([{ ...kept, type: 'CNAME', action: 'keep' }], true)
  }
  const planned: PlannedRecord = {
    ...createPlannedRecord('dkim', owner, value),
    type: template.type,
    service: service.id,
    why: whyRequired(key),
    placeholders,
    onlyIf: key.onlyIf,
    ...(key.isAlreadySigning && { isSpare: true as const }),
  }
  if (alias === undefined) {
    const isProxied = template.type === 'CNAME' && (await hasAddress(dns, owner))
    return plan([planned], false, isProxied)
  }
  if (template.type === 'CNAME') return plan([{ ...planned, action: 'replace', replaces: [alias] }])
  const why = 'Its target does not exist, and no key can exist beside a CNAME (RFC 1034 §3.6.2).'
  const removed = { ...createPlannedRecord('dkim', owner, alias), service: service.id, why }
  return plan([{ ...removed, type: 'CNAME', action: 'delete' }, planned])
}

/** A DNS host that proxies a CNAME answers with its own addresses instead. */
async function hasAddress(dns: Dns, owner: string): Promise<boolean> {
  if (hasPlaceholder(owner)) return false
  const answer = await dns.query(owner, 'A')
  return answer.kind === 'records' && answer.cnames.length === 0
}

/** A target that ends in the domain itself is a common typo: many panels append the zone. */
function leadsToService(
  alias: string | undefined,
  { service }: RequiredKey,
  { domain }: DkimFacts,
): boolean {
  if (alias === undefined || alias.endsWith(`.${domain}`)) return false
  return (findServiceByDkimTarget(alias)?.id ?? service.id) === service.id
}

/** Null if nothing exists: a wildcard stops applying once a record is published. */
async function queryOwner(
  dns: Dns,
  owner: string,
  facts: DkimFacts,
): Promise<DnsAnswer<'TXT'> | null> {
  if (hasPlaceholder(owner) || owner.length > MAX_DOMAIN_LENGTH) return null
  const exists = [...facts.keys, ...facts.danglingCnames].some(({ name }) => name === owner)
  return facts.wildcard && !exists ? null : dns.query(owner, 'TXT')
}

function whyRequired({ service: { name }, isAlreadySigning }: RequiredKey): string {
  if (isAlreadySigning) return `${name} rotates between its selectors, and this one is missing.`
  return `${name} signs with this key, so mail passes DMARC even when it is forwarded.`
}

/** Records that put the Return-Path below the domain, so that SPF is aligned as well. */
async function planReturnPath(
  { entry: service }: SenderInUse,
  { facts }: PlanContext,
  planned: readonly PlannedKey[],
): Promise<PlannedRecord[]> {
  const isNew = planned.some(({ key, records }) => key.service === service && records.length > 0)
  const isBelow = service.returnPathAtRoot === 'never'
  if (!isNew || !isBelow) return []
  const onlyIf = planned.find(({ key }) => key.service === service)?.key.onlyIf ?? null
  const records = (service.setup.returnPath ?? []).map((setup) => {
    const fill = (text: string) => fillTemplate(text, facts.domain, service.id)
    return { setup, name: `${fill(setup.label)}.${facts.domain}`, value: fill(setup.value) }
  })
  const wanted = records.filter(
    ({ setup, name, value }) => !setup.isOptional || !hasPlaceholder(`${name} ${value}`),
  )
  const isTaken = await Promise.all(
    wanted.map(async ({ name }) => {
      if (hasPlaceholder(name)) return false
      const answer = await facts.dns.query(name, 'TXT')
      // A name that could not be looked up may hold a record.
      if (answer.kind === 'failed') return true
      const isFree = answer.kind === 'nxdomain' && answer.cnames.length === 0
      return !isFree && facts.wildcard.cnames.length === 0
    }),
  )
  return wanted
    .filter((_, index) => !isTaken[index])
    .map(({ setup, name, value }) => ({
      ...createPlannedRecord('spf', name, value),
      type: setup.type,
      service: service.id,
      why: `${service.name} then uses ${name} in the Return-Path, so that SPF passes DMARC as well.`,
      placeholders: findPlaceholders([name, value], describeScreen(service)),
      onlyIf,
      ...(setup.isOptional && { isOptional: true as const }),
    }))
}

/** Selectors that checks commonly query. */
const OWN_SELECTORS = ['mail', 'dkim', 'default', 'smtp']

/** A key for mailboxes or servers that no catalog entry describes. */
function planGenericKey(context: PlanContext, records: readonly PlannedRecord[]): PlannedRecord[] {
  const { facts, services } = context
  const { domain, dkim } = facts
  const hasUnknownKey = dkim.keys.some((key) => services.ownerOf(key) === null)
  if (dkim.wildcard || hasUnknownKey) return []
  const hasNoRecord = records.length === 0
  if (hasNoRecord && dkim.domainKeyState === 'exists') return []
  const onlyIf = unlessSigned(facts)
  const [provider] = services.mailboxProviders
  if (!provider && hasOwnMailServers(facts)) return planOwnServerKey(context, onlyIf)
  const operator = findUnknownOperator(context)
  if (operator) {
    const through = operator === GATEWAY && provider ? unlessThrough(provider.entry) : []
    const conditions = [...through, onlyIf].filter((text) => text !== null)
    return [planUnknownMailboxKey(domain, conditions.join(' ') || null, operator)]
  }
  const isElsewhere = provider !== undefined || facts.below.names.length > 0
  return hasNoRecord && !isElsewhere ? planOwnServerKey(context, onlyIf) : []
}

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
    : `Your mail is not signed as ${domain} yet: open a message that you sent, choose "Show original", and look for DKIM: PASS with ${domain}.`
}

/** A gateway that outgoing mail passes through signs last, so no other signature is needed. */
function unlessThrough({ name, setup }: Pick<MailService, 'name' | 'setup'>): string[] {
  return setup.dkim ? [`Your outgoing mail does not go through ${name}.`] : []
}

function planUnknownMailboxKey(
  domain: string,
  onlyIf: string | null,
  operator: string,
): PlannedRecord {
  const name = `{mailbox-provider-selector}._domainkey.${domain}`
  const value = '{mailbox-provider-dkim-record}'
  const place = operator === GATEWAY ? 'behind the gateway' : `at the company behind ${operator}`
  const whereToFind = `Open the DKIM settings of your mailboxes, ${place}. Some show a CNAME instead: publish what they show.`
  return {
    ...createPlannedRecord('dkim', name, value),
    why: 'Without a DKIM key, mail from your mailboxes fails DMARC when it is forwarded.',
    placeholders: findPlaceholders([name, value], whereToFind),
    onlyIf,
  }
}

function planOwnServerKey(
  { facts, services }: PlanContext,
  onlyIf: string | null,
): PlannedRecord[] {
  const { domain, dkim } = facts
  const nameOf = (selector: string) => `${selector}._domainkey.${domain}`
  const taken = new Set([...dkim.keys, ...dkim.danglingCnames].map(({ name }) => name))
  const free = OWN_SELECTORS.filter((selector) => !taken.has(nameOf(selector))).find(
    (selector) => !services.senders.some(({ entry }) => entry.selectors.includes(selector)),
  )
  if (free === undefined) return []
  const value = newKeyValue(null)
  return [
    {
      ...createPlannedRecord('dkim', nameOf(free), value),
      why: 'No DKIM key of your own server was found. Without one, its mail fails DMARC when it is forwarded.',
      placeholders: findPlaceholders([value], newKeySource(null)),
      onlyIf,
    },
  ]
}
