/** Findings about DMARC records at a name where no receiver looks for them. */
import { type Found, found, type Rule } from '../rule.js'
import type { DmarcFacts } from './discover-dmarc.js'
import { dmarcTxtEvidence, findWalkStep, placeOf, publishFirst } from './dmarc-advice.js'
import { doubledDmarcName } from './misplaced-records.js'
import { findMovableRecord, hasDmarcText } from './unapplied-record.js'

interface MisplacedAt {
  readonly id: `dmarc.${'unused-record-at-domain' | 'record-at-domain' | 'record-at-doubled-name'}`
  readonly name: string
  readonly texts: readonly string[]
}

/** The names that hold such a record. */
export function misplacedAt({ domain, misplaced, policy, applied }: DmarcFacts): MisplacedAt[] {
  const isOwnUsable = applied?.step.domain === domain && policy !== null
  const names: MisplacedAt[] = [
    {
      id: isOwnUsable ? 'dmarc.unused-record-at-domain' : 'dmarc.record-at-domain',
      name: domain,
      texts: misplaced.atDomain,
    },
    {
      id: 'dmarc.record-at-doubled-name',
      name: doubledDmarcName(domain),
      texts: misplaced.atDoubledName,
    },
  ]
  return names.filter(({ texts }) => texts.length > 0)
}

export const misplacedRecords: Rule<DmarcFacts> = (facts) =>
  misplacedAt(facts).map(({ id, name, texts }) => ({
    ...moveRecord(facts, id, name),
    evidence: dmarcTxtEvidence({ name }, texts),
  }))

function moveRecord(facts: DmarcFacts, id: MisplacedAt['id'], from: string): Found {
  const { domain, walk, misplaced, applied, policy } = facts
  if (id === 'dmarc.unused-record-at-domain') return found(id, { domain })
  const step = findWalkStep(facts, domain)
  const values = { domain, from, place: placeOf(step) }
  if (hasDmarcText(step)) return found(`${id} (faulty-record)`, values)
  if (applied && policy) {
    const appliedName = applied.step.name
    return found(`${id} (policy-applies)`, { ...values, policy, appliedName })
  }
  const movable = findMovableRecord(walk, misplaced)
  if (!movable) return found(`${id} (several)`, values)
  const { record, meant } = publishFirst(facts, movable)
  return meant === null
    ? found(`${id} (monitoring)`, { ...values, record })
    : found(id, { ...values, record, meant })
}
