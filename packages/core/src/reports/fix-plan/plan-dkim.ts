/** Plans a good DKIM key for every signer; good keys stay unchanged. */

import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import { findServiceByDkimTarget } from '../../catalog/mail-services.js'
import { type DkimRecordTemplate, describeSetup } from '../../catalog/service-setup.js'
import { type DnsUnavailable, dnsUnavailable } from '../../checks/check-result.js'
import type { DkimFacts, DkimKey } from '../../checks/dkim/dkim-facts.js'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import type { DomainFacts } from './discover-domain.js'
import {
  NEW_KEY_TEMPLATE,
  OWN_SERVER_INSTRUCTIONS,
  planCurrentKey,
  planNonSendingKey,
  singleRecordKeys,
} from './plan-current-key.js'
import {
  createPlannedRecord,
  fillTemplate,
  findPlaceholders,
  type PlannedRecord,
} from './planned-record.js'
import {
  belongsToSigner,
  findSignerOfKey,
  findSigners,
  type MailboxProvidersInUse,
  type ServicesInUse,
  type Signer,
} from './services-in-use.js'

export interface DkimPlan {
  readonly kind: 'planned'
  readonly records: readonly PlannedRecord[]
  /** Records left out because another service uses the selector. */
  readonly selectorConflicts: readonly { readonly service: string; readonly name: string }[]
}

export async function planDkim(
  facts: DomainFacts,
  services: ServicesInUse,
  sends: boolean,
): Promise<DkimPlan | DnsUnavailable> {
  const { dns, dkim } = facts
  const keys = singleRecordKeys(dkim.keys)
  if (!sends)
    return { kind: 'planned', records: keys.map(planNonSendingKey), selectorConflicts: [] }
  const signers = findSigners(services)
  const current = keys.map((key) => planCurrentKey(key, dkim, signers))
  const required = signers.flatMap((signer) => requiredKeys(signer, facts))
  // The first of two services that need the same selector gets it. A placeholder is another
  // selector at each service.
  const granted = required.filter(
    ({ owner }, index) => owner.includes('{') || required.findIndex(hasOwner(owner)) === index,
  )
  const planned: PlannedRecord[] = []
  for (const plan of await Promise.all(granted.map((key) => planRequiredKey(dns, key, dkim)))) {
    if (plan.kind === 'unavailable') return plan
    planned.push(...plan.records)
  }
  const records = [...current, ...keepSpareAliases(dkim, signers, required), ...planned]
  const needsOwnKey = needsOwnServerKey(facts, services.mailboxProviders, signers, records)
  const plannedNames = new Set(planned.map(({ name }) => name))
  return {
    kind: 'planned',
    records: needsOwnKey ? [...records, ...planOwnServerKey(facts, signers)] : records,
    selectorConflicts: required
      .filter((key) => !granted.includes(key) || !plannedNames.has(key.owner))
      .map(({ signer, owner }) => ({ service: signer.name, name: owner })),
  }
}

/** An own mail server needs a key that belongs to no service; with a provider there is none. */
function needsOwnServerKey(
  { mx, dkim }: DomainFacts,
  mailboxProviders: MailboxProvidersInUse,
  signers: readonly Signer[],
  records: readonly PlannedRecord[],
): boolean {
  if (mailboxProviders.length > 0 || dkim.wildcard) return false
  const hasNoRecord = records.length === 0
  if (hasNoRecord && dkim.domainKeyState === 'exists') return false
  const isOwn = (key: DkimKey) => key.provider === null && !findSignerOfKey(key, signers)
  const hasServer = mx.targets.some(({ kind }) => kind === 'host')
  return hasServer ? !dkim.keys.some(isOwn) : hasNoRecord
}

/** All keys of a service, or only those missing beside one that exists. */
function requiredKeys(signer: Signer, { domain, dkim }: DomainFacts): RequiredKey[] {
  const isAlreadySigning = dkim.keys.some((key) => belongsToSigner(key, signer))
  const all = signer.dkim.records.map((record) => {
    return { signer, record, owner: ownerOf(record, domain), isAlreadySigning }
  })
  if (!isAlreadySigning) return all
  const existing = new Set([...dkim.keys, ...dkim.danglingCnames].map(({ name }) => name))
  const isPaired = all.some(({ owner, record }) => record.type === 'CNAME' && existing.has(owner))
  return isPaired ? all.filter(({ owner }) => !existing.has(owner) && !owner.includes('{')) : []
}

/** CNAMEs that a service needs for its next key rotation. */
function keepSpareAliases(
  dkim: DkimFacts,
  signers: readonly Signer[],
  required: readonly RequiredKey[],
) {
  return dkim.danglingCnames
    .filter(({ name }) => !required.some(hasOwner(name)))
    .filter(({ provider }) => signers.some(({ id }) => id === provider?.id))
    .map(({ name, cnames: [target = ''], provider }): PlannedRecord => {
      const why = `It has no key today; ${provider?.name} needs it to rotate keys.`
      return { ...createPlannedRecord('dkim', name, target), type: 'CNAME', action: 'keep', why }
    })
}

function ownerOf(
  { selector, below }: Pick<DkimRecordTemplate, 'selector' | 'below'>,
  domain: string,
): string {
  return `${selector}._domainkey.${below === undefined ? '' : `${below}.`}${domain}`
}

function hasOwner(name: string): (key: RequiredKey) => boolean {
  return ({ owner }) => owner === name
}

/** Selectors that checks commonly query. */
const OWN_SELECTORS = ['mail', 'dkim', 'default', 'smtp']

function planOwnServerKey(
  { domain, dkim }: DomainFacts,
  signers: readonly Signer[],
): PlannedRecord[] {
  const taken = new Set([...dkim.keys, ...dkim.danglingCnames].map(({ name }) => name))
  const free = OWN_SELECTORS.filter((selector) => !taken.has(ownerOf({ selector }, domain))).find(
    (selector) => !signers.some(({ selectors }) => selectors.has(selector)),
  )
  if (free === undefined) return []
  const why =
    'No DKIM key of your own mail server was found. Without one, its mail fails DMARC when it is forwarded.'
  const precondition = `If your own server signs as ${domain} already, skip this record (a DKIM-Signature header with d=${domain} has its selector in s=).`
  const planned = createPlannedRecord('dkim', ownerOf({ selector: free }, domain), NEW_KEY_TEMPLATE)
  return [
    {
      ...planned,
      why,
      precondition,
      placeholders: findPlaceholders([NEW_KEY_TEMPLATE], OWN_SERVER_INSTRUCTIONS),
    },
  ]
}

/** A DKIM record that a service requires. */
interface RequiredKey {
  readonly signer: Signer
  readonly record: DkimRecordTemplate
  /** The name to publish the record at. */
  readonly owner: string
  /** The service already signs with another of its selectors. */
  readonly isAlreadySigning: boolean
}

/** Plans no record if another service uses the name. */
async function planRequiredKey(
  dns: Dns,
  key: RequiredKey,
  facts: DkimFacts,
): Promise<
  { readonly kind: 'planned'; readonly records: readonly PlannedRecord[] } | DnsUnavailable
> {
  const { record, owner } = key
  const { name, dkim: setup } = key.signer
  const value = fillTemplate(record.value, facts.domain)
  const instructions = describeSetup(name, setup)
  const placeholders = findPlaceholders([owner, value], instructions)
  const current = await queryOwner(dns, owner, facts)
  if (current?.kind === 'failed') return dnsUnavailable(owner, 'TXT', current)
  if (current?.kind === 'records') return { kind: 'planned', records: [] }
  const alias = current?.cnames[0]
  // A dangling CNAME to the signer counts as correct: signing may not be turned on yet.
  const isCorrect =
    placeholders.length > 0 ? leadsToSigner(alias, key, facts) : alias === value.toLowerCase()
  if (alias !== undefined && record.type === 'CNAME' && isCorrect) {
    const why = `It points to ${name}, but there is no key yet: signing is not turned on.`
    const kept = createPlannedRecord('dkim', owner, alias)
    const followUp = instructions
    return {
      kind: 'planned',
      records: [{ ...kept, type: 'CNAME', action: 'keep', why, followUp }],
    }
  }
  const planned: PlannedRecord = {
    ...createPlannedRecord('dkim', owner, value),
    type: record.type,
    why: whyRequired(key),
    placeholders,
    ...(!key.isAlreadySigning && { precondition: skipIfSigned(name, facts.domain) }),
    // Without a value to copy, signing still has to be turned on.
    ...(placeholders.length === 0 && { followUp: instructions }),
  }
  if (alias === undefined) return { kind: 'planned', records: [planned] }
  if (record.type === 'CNAME') {
    return { kind: 'planned', records: [{ ...planned, action: 'replace', replaces: [alias] }] }
  }
  const why = 'Its target does not exist, and no key can exist beside a CNAME (RFC 1034 §3.6.2).'
  const removed = createPlannedRecord('dkim', owner, alias)
  return {
    kind: 'planned',
    records: [{ ...removed, type: 'CNAME', action: 'delete', why }, planned],
  }
}

/** A target that ends in the domain itself is a common typo: many panels append the zone. */
function leadsToSigner(
  alias: string | undefined,
  { signer }: RequiredKey,
  { domain }: DkimFacts,
): boolean {
  if (alias === undefined || alias.endsWith(`.${domain}`)) return false
  return (findServiceByDkimTarget(alias)?.id ?? signer.id) === signer.id
}

/** Null if nothing exists: a wildcard stops applying once a record is published. */
async function queryOwner(
  dns: Dns,
  owner: string,
  facts: DkimFacts,
): Promise<DnsAnswer<'TXT'> | null> {
  if (owner.includes('{') || owner.length > MAX_DOMAIN_LENGTH) return null
  const exists = [...facts.keys, ...facts.danglingCnames].some(({ name }) => name === owner)
  return facts.wildcard && !exists ? null : dns.query(owner, 'TXT')
}

function skipIfSigned(name: string, domain: string): string {
  return `If mail through ${name} is signed as ${domain} already, skip its records (a DKIM-Signature header with d=${domain} has another selector in s=).`
}

function whyRequired({ signer: { name, isGateway }, isAlreadySigning }: RequiredKey): string {
  if (isAlreadySigning) return `${name} rotates between its selectors, and this one is missing.`
  const subject = isGateway ? `If your mail goes out through ${name}, it` : name
  return `${subject} signs with this key, so mail passes DMARC even when it is forwarded.`
}
