/** The records that a service wants for its key. */

import type { Answer, Dns } from '@mailgrade/doh/dns'
import { serviceOfDkimTarget } from '../../../catalog/services.js'
import type { DkimRecord } from '../../../catalog/setup.js'
import { type Unavailable, unavailable } from '../../../checks/checked.js'
import type { DkimFacts } from '../../../checks/dkim/dkim-facts.js'
import { MAX_NAME_OCTETS } from '../../../names/name-limits.js'
import { filled, placeholdersIn } from '../fill-template.js'
import { type PlannedRecord, plannedRecord } from '../planned-record.js'
import type { Signer } from './signers.js'

export interface Wish {
  readonly signer: Signer
  readonly record: DkimRecord
  /** The name at which the record is to stand. */
  readonly owner: string
  /** The service signs already, with another of its selectors. */
  readonly isSpare: boolean
}

/** None where somebody else has the name. */
export async function wantedRecords(
  dns: Dns,
  wish: Wish,
  facts: DkimFacts,
): Promise<PlannedRecord[] | Unavailable> {
  const { record, owner } = wish
  const { name, dkim: setup } = wish.signer
  const value = filled(record.value, facts.domain)
  const placeholders = placeholdersIn([owner, value], setup.where)
  const there = await standingAt(dns, owner, facts)
  if (there?.kind === 'failed') return unavailable(owner, 'TXT', there)
  if (there?.kind === 'records') return []
  const alias = there?.cnames[0]
  // An alias that leads nowhere yet is right, as far as can be told: signing is not turned on.
  const isRight =
    placeholders.length > 0 ? isTheirs(alias, wish, facts) : alias === value.toLowerCase()
  if (alias !== undefined && record.type === 'CNAME' && isRight) {
    const why = `It leads to ${name}, but there is no key yet: signing is not turned on.`
    const kept = plannedRecord('dkim', owner, alias)
    return [{ ...kept, type: 'CNAME', action: 'keep', why, after: setup.where }]
  }
  const planned: PlannedRecord = {
    ...plannedRecord('dkim', owner, value),
    type: record.type,
    why: whyWanted(wish),
    placeholders,
    ...(!wish.isSpare && { before: unlessSigned(name, facts.domain) }),
    // Where there is nothing to copy, there is still signing to turn on.
    ...(placeholders.length === 0 && { after: setup.where }),
  }
  if (alias === undefined) return [planned]
  if (record.type === 'CNAME') return [{ ...planned, action: 'replace', replaces: [alias] }]
  const why = 'It leads nowhere, and beside a CNAME no key can stand (RFC 1034 §3.6.2).'
  const gone = plannedRecord('dkim', owner, alias)
  return [{ ...gone, type: 'CNAME', action: 'delete', why }, planned]
}

/** A name with the domain once more at its end is a slip that many panels invite. */
function isTheirs(alias: string | undefined, { signer }: Wish, { domain }: DkimFacts): boolean {
  if (alias === undefined || alias.endsWith(`.${domain}`)) return false
  return (serviceOfDkimTarget(alias)?.id ?? signer.id) === signer.id
}

/** Null where there is nothing: what a wildcard answers goes when anything is published. */
async function standingAt(
  dns: Dns,
  owner: string,
  facts: DkimFacts,
): Promise<Answer<'TXT'> | null> {
  if (owner.includes('{') || owner.length > MAX_NAME_OCTETS) return null
  const isTelling = [...facts.keys, ...facts.dangling].some(({ name }) => name === owner)
  return facts.wildcard && !isTelling ? null : dns.ask(owner, 'TXT')
}

function unlessSigned(name: string, domain: string): string {
  return `If mail through ${name} is signed as ${domain} already (a DKIM-Signature header with d=${domain} names another selector in s=), leave its records out.`
}

function whyWanted({ signer: { name, isGateway }, isSpare }: Wish): string {
  if (isSpare)
    return `${name} changes from one of its selectors to another, and this one is missing.`
  const signs = isGateway ? `If your mail goes out through ${name}, it` : name
  return `${signs} signs with this key, and by it mail passes DMARC even when it is forwarded.`
}
