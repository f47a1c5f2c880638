/** The record that the owner meant to publish, where no receiver applies one. */
import { rfc7489OrganizationalDomain } from './dmarc-policies.js'
import { parseDmarcRecord } from './dmarc-record.js'
import type { MisplacedRecords } from './misplaced-records.js'
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
