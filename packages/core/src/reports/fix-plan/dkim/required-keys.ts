/** The DKIM records that a service requires, and what to do at their names. */
import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import {
  describeScreen,
  findServiceByDkimTarget,
  type MailService,
  readIncludedToken,
} from '../../../catalog/mail-services.js'
import { fillTemplate, hasPlaceholder } from '../../../catalog/record-template.js'
import type { DkimRecordTemplate } from '../../../catalog/service-schema.js'
import { type DnsUnavailable, dnsUnavailable } from '../../../checks/check-result.js'
import { type DkimFacts, determinePresence } from '../../../checks/dkim/dkim-facts.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/host-problem.js'
import type { SenderInUse } from '../../../streams/find-senders.js'
import { findSignsBelow, hasPossibleKey } from '../../../streams/key-owners.js'
import type { DomainFacts } from '../discover-domain.js'
import type { PlanContext } from '../plan-context.js'
import { createPlannedRecord, findPlaceholders, type PlannedRecord } from '../planned-record.js'
import { isOutdated } from './plan-current-key.js'
import { chooseLabel, readReturnPathTokens } from './return-path.js'

/** A DKIM record that a service requires. */
export interface RequiredKey {
  readonly service: MailService
  readonly template: DkimRecordTemplate
  /** The name that it signs for. */
  readonly base: string
  /** The name to publish the record at. */
  readonly owner: string
  readonly value: string
  readonly onlyIf: string | null
  /** The service already signs with another of its selectors. */
  readonly isAlreadySigning: boolean
}

/** All keys of a service, or only those missing beside one that exists. */
export function requiredKeys(signer: SenderInUse, context: PlanContext): RequiredKey[] {
  const { facts, services } = context
  const { dkim } = facts
  const { entry: service, setUpAt } = signer
  const base = setUpAt ?? facts.domain
  const isAlreadySigning = dkim.keys.some(
    (key) =>
      setUpAt === null &&
      key.valid &&
      services.ownerOf(key)?.id === service.id &&
      !isOutdated(key, service),
  )
  if (service.setup.dkim?.relaysSignatures && hasPossibleKey(service, dkim, services.ownerOf))
    return []
  const known = { ...readReturnPathTokens(service, facts), ...knownTokens(service, facts) }
  const all = (service.setup.dkim?.records ?? []).map((template): RequiredKey => {
    const fill = (text: string) => fillTemplate(text, base, service.id, known)
    const below =
      template.below === undefined ? '' : `.${fill(chooseLabel(template.below, service, context))}`
    const owner = `${fill(template.selector)}._domainkey${below}.${base}`
    const value = fill(template.value)
    return { service, template, base, owner, value, onlyIf: null, isAlreadySigning }
  })
  const onlyIf = isAlreadySigning ? null : conditionFor(signer, all, context)
  const conditional = all.map((key) => ({ ...key, onlyIf }))
  if (!isAlreadySigning) return conditional
  const existing = new Set([...dkim.keys, ...dkim.danglingCnames].map(({ name }) => name))
  const isPaired = all.some(
    ({ owner, template }) => template.type === 'CNAME' && existing.has(owner),
  )
  return isPaired
    ? conditional
        .filter(({ owner }) => !existing.has(owner) && !hasPlaceholder(owner))
        .map((key) => ({ ...key, onlyIf: ifShown(key) }))
    : []
}

/** A set-up of former times may have fewer records; only the service knows. */
function ifShown({ value, service: { name } }: RequiredKey): string | null {
  return hasPlaceholder(value) ? `${name} shows this record for your domain.` : null
}

/** Values that the SPF record shows, such as the account number of HubSpot. */
function knownTokens(service: MailService, { spf }: DomainFacts): Record<string, string> {
  for (const { domain } of spf.nodes) {
    const shown = readIncludedToken(service, domain)
    if (shown) return { [shown.token]: shown.value }
  }
  return {}
}

/** Null where DNS proves that the service does not sign yet and other records show that it sends. */
function conditionFor(
  sender: SenderInUse,
  required: readonly RequiredKey[],
  context: PlanContext,
): string | null {
  const { entry, inUse, setUpAt } = sender
  const { facts, services } = context
  const { name, kind } = entry
  const used =
    inUse === 'unsure'
      ? [
          `You still use ${name}. If you don’t, skip this step. Next time you get a plan, mark ${name} as no longer used, and the plan will remove what’s left of it.`,
        ]
      : kind === 'gateway' || kind === 'forwarder'
        ? [`Your outgoing mail goes through ${name}.`]
        : []
  const isProven =
    setUpAt === null
      ? provesUnsigned(required, facts) && !hasPossibleKey(entry, facts.dkim, services.ownerOf)
      : findSignsBelow(sender, facts) === 'no'
  const unsigned = isProven
    ? []
    : [
        `${name} doesn’t sign your mail yet. To find out, open a message from it in Gmail and choose Show original. If DKIM says PASS with ${facts.domain} or one of its subdomains, skip this step.`,
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

export interface PlannedKey {
  readonly kind: 'planned'
  readonly key: RequiredKey
  readonly records: readonly PlannedRecord[]
  /** The record is right, but signing is not turned on. */
  readonly isWaiting: boolean
  readonly isProxied: boolean
}

/** Plans no record if another service uses the name. */
export async function planRequiredKey(
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
    const why = `It points to ${service.name}, but there’s no key yet, because signing isn’t turned on.`
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
  const why =
    'Its target doesn’t exist, and a name with a CNAME can’t also have a key (RFC 1034 §3.6.2).'
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
  const owner = service.setup.dkim?.keysOf ?? service.id
  return (findServiceByDkimTarget(alias)?.id ?? owner) === owner
}

/** Null if nothing exists: a wildcard stops applying once a record is published. */
async function queryOwner(
  dns: Dns,
  owner: string,
  facts: DkimFacts,
): Promise<DnsAnswer<'TXT'> | null> {
  if (hasPlaceholder(owner) || owner.length > MAX_DOMAIN_LENGTH) return null
  const exists = [...facts.keys, ...facts.danglingCnames].some(({ name }) => name === owner)
  const isBelowWildcard = facts.wildcard && owner.endsWith(`._domainkey.${facts.domain}`)
  return isBelowWildcard && !exists ? null : dns.query(owner, 'TXT')
}

function whyRequired({ service: { name }, isAlreadySigning }: RequiredKey): string {
  if (isAlreadySigning) return `${name} rotates between its selectors, and this one is missing.`
  return `${name} signs with this key, so mail passes DMARC even when it’s forwarded.`
}
