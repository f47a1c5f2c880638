/** The records that a service wants for its key. */

import type { Dns, DnsAnswer } from '@mailgrade/doh/dns'
import { findServiceByDkimTarget } from '../../../catalog/mail-services.js'
import type { DkimRecordTemplate } from '../../../catalog/service-setup.js'
import { type DnsUnavailable, dnsUnavailable } from '../../../checks/check-result.js'
import type { DkimFacts } from '../../../checks/dkim/dkim-facts.js'
import { MAX_DOMAIN_LENGTH } from '../../../names/name-limits.js'
import { fillTemplate, findPlaceholders } from '../fill-template.js'
import { createPlannedRecord, type PlannedRecord } from '../planned-record.js'
import type { Signer } from './signers.js'

export interface RequiredKey {
  readonly signer: Signer
  readonly record: DkimRecordTemplate
  /** The name at which the record is to stand. */
  readonly owner: string
  /** The service signs already, with another of its selectors. */
  readonly isAlreadySigning: boolean
}

/** None where somebody else has the name. */
export async function planRequiredKey(
  dns: Dns,
  wish: RequiredKey,
  facts: DkimFacts,
): Promise<PlannedRecord[] | DnsUnavailable> {
  const { record, owner } = wish
  const { name, dkim: setup } = wish.signer
  const value = fillTemplate(record.value, facts.domain)
  const placeholders = findPlaceholders([owner, value], setup.instructions)
  const there = await standingAt(dns, owner, facts)
  if (there?.kind === 'failed') return dnsUnavailable(owner, 'TXT', there)
  if (there?.kind === 'records') return []
  const alias = there?.cnames[0]
  // An alias that leads nowhere yet is right, as far as can be told: signing is not turned on.
  const isRight =
    placeholders.length > 0 ? isTheirs(alias, wish, facts) : alias === value.toLowerCase()
  if (alias !== undefined && record.type === 'CNAME' && isRight) {
    const why = `It leads to ${name}, but there is no key yet: signing is not turned on.`
    const kept = createPlannedRecord('dkim', owner, alias)
    return [{ ...kept, type: 'CNAME', action: 'keep', why, followUp: setup.instructions }]
  }
  const planned: PlannedRecord = {
    ...createPlannedRecord('dkim', owner, value),
    type: record.type,
    why: whyWanted(wish),
    placeholders,
    ...(!wish.isAlreadySigning && { precondition: unlessSigned(name, facts.domain) }),
    // Where there is nothing to copy, there is still signing to turn on.
    ...(placeholders.length === 0 && { followUp: setup.instructions }),
  }
  if (alias === undefined) return [planned]
  if (record.type === 'CNAME') return [{ ...planned, action: 'replace', replaces: [alias] }]
  const why = 'It leads nowhere, and beside a CNAME no key can stand (RFC 1034 §3.6.2).'
  const gone = createPlannedRecord('dkim', owner, alias)
  return [{ ...gone, type: 'CNAME', action: 'delete', why }, planned]
}

/** A name with the domain once more at its end is a slip that many panels invite. */
function isTheirs(
  alias: string | undefined,
  { signer }: RequiredKey,
  { domain }: DkimFacts,
): boolean {
  if (alias === undefined || alias.endsWith(`.${domain}`)) return false
  return (findServiceByDkimTarget(alias)?.id ?? signer.id) === signer.id
}

/** Null where there is nothing: what a wildcard answers goes when anything is published. */
async function standingAt(
  dns: Dns,
  owner: string,
  facts: DkimFacts,
): Promise<DnsAnswer<'TXT'> | null> {
  if (owner.includes('{') || owner.length > MAX_DOMAIN_LENGTH) return null
  const isTelling = [...facts.keys, ...facts.danglingCnames].some(({ name }) => name === owner)
  return facts.wildcard && !isTelling ? null : dns.query(owner, 'TXT')
}

function unlessSigned(name: string, domain: string): string {
  return `If mail through ${name} is signed as ${domain} already (a DKIM-Signature header with d=${domain} names another selector in s=), leave its records out.`
}

function whyWanted({ signer: { name, isGateway }, isAlreadySigning }: RequiredKey): string {
  if (isAlreadySigning)
    return `${name} changes from one of its selectors to another, and this one is missing.`
  const signs = isGateway ? `If your mail goes out through ${name}, it` : name
  return `${signs} signs with this key, and by it mail passes DMARC even when it is forwarded.`
}
