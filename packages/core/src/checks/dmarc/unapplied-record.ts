/**
 * The record that the owner meant to publish, where no receiver applies one: misspelled, or not at
 * `_dmarc` (RFC 9989 §4.5).
 */

import type { Dns } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH } from '../../names/host-problem.js'
import { readTxtRecords, selectRecords } from '../txt-records.js'
import { rfc7489OrganizationalDomain } from './dmarc-policies.js'
import { isDmarcRecord, parseDmarcRecord } from './dmarc-record.js'
import { isDmarcNearMiss, parseDmarcNearMiss } from './rewrite-dmarc-record.js'
import type { FoundDmarcRecord, TreeWalk, WalkStep } from './tree-walk.js'

/** Where a single near miss was meant as a record, at the domain or at its parents. */
export function findNearMiss(walk: TreeWalk): FoundDmarcRecord | null {
  const steps = organizationSteps(walk)
  const step = steps.find(({ texts }) => texts.some(isDmarcNearMiss))
  if (!step || steps.some(({ records }) => records.length > 1)) return null
  const [text, ...others] = step.texts.filter(isDmarcNearMiss)
  const record = text === undefined || others.length > 0 ? null : parseDmarcNearMiss(text)
  return record && { step, record }
}

/** The misplaced record to move, if there is only one and nothing is in its place. */
export function findMovableRecord(
  { steps }: TreeWalk,
  { atDomain, atDoubledName }: MisplacedRecords,
): FoundDmarcRecord | null {
  const [step] = steps
  const [text, ...others] = new Set([...atDomain, ...atDoubledName])
  if (!step || text === undefined || others.length > 0 || hasDmarcText(step)) return null
  return { step, record: parseDmarcRecord(text) }
}

/** A DMARC record, or a text that was meant as one. */
export function hasDmarcText({ records, texts }: WalkStep): boolean {
  return records.length > 0 || texts.some(isDmarcNearMiss)
}

/** The names of the walk that belong to the owner of the domain. */
export function organizationSteps({ start, steps }: TreeWalk): WalkStep[] {
  const organization = rfc7489OrganizationalDomain(start)
  return steps.filter(
    ({ domain }) => domain === organization || domain.endsWith(`.${organization}`),
  )
}

export interface MisplacedRecords {
  /** At the domain itself. */
  readonly atDomain: readonly string[]
  /** At the `_dmarc` name with the domain appended once more, as some DNS hosts do. */
  readonly atDoubledName: readonly string[]
}

export function doubledDmarcName(domain: string): string {
  return `_dmarc.${domain}.${domain}`
}

/** The DMARC records at a name. A failed query counts as none, because it only costs a hint. */
export async function queryMisplacedRecords(dns: Dns, name: string): Promise<string[]> {
  if (name.length > MAX_DOMAIN_LENGTH) return []
  const answer = await dns.query(name, 'TXT')
  const texts = answer.kind === 'failed' ? [] : readTxtRecords(answer).filter(isDmarcRecord)
  return [...selectRecords(texts, (text) => text)]
}
