/** Findings about DMARC records at a name where no receiver looks for them. */
import type { FindingId } from '../../catalog/findings/findings.js'
import { createFinding, type Finding } from '../finding.js'
import type { DmarcFacts } from './discover-dmarc.js'
import {
  capitalize,
  dmarcTxtEvidence,
  findWalkStep,
  publishFirst,
  publishInstruction,
} from './dmarc-advice.js'
import { doubledDmarcName } from './misplaced-records.js'
import { findMovableRecord, hasDmarcText } from './unapplied-record.js'

interface Place {
  readonly id: FindingId
  readonly name: string
  readonly texts: readonly string[]
  readonly reason: string
}

/** The places that hold such a record. */
export function misplacedAt({ domain, misplaced, policy, applied }: DmarcFacts): Place[] {
  const isOwnUsable = applied?.step.domain === domain && policy !== null
  const places: Place[] = [
    {
      id: isOwnUsable ? 'dmarc.unused-record-at-domain' : 'dmarc.record-at-domain',
      name: domain,
      texts: misplaced.atDomain,
      reason: 'The label _dmarc is missing.',
    },
    {
      id: 'dmarc.record-at-doubled-name',
      name: doubledDmarcName(domain),
      texts: misplaced.atDoubledName,
      reason: `The DNS host appends ${domain} to every name, so the name to enter is only "_dmarc".`,
    },
  ]
  return places.filter(({ texts }) => texts.length > 0)
}

export function judgeMisplacedRecords(facts: DmarcFacts): Finding[] {
  const expected = `_dmarc.${facts.domain}`
  return misplacedAt(facts).map(({ id, name, texts, reason }) =>
    createFinding(
      id,
      {
        title: `A DMARC record is at ${name}, where receivers do not look`,
        detail: `Receivers read only the record at ${expected}, so this one has no effect. ${reason}`,
        ...moveRecord(facts, name),
      },
      dmarcTxtEvidence({ name }, texts),
    ),
  )
}

/** The steps that put the record where it belongs. */
export function moveRecord(facts: DmarcFacts, from: string): Pick<Finding, 'fix'> {
  const { domain, walk, misplaced, applied, policy } = facts
  const step = findWalkStep(facts, domain)
  const remove = `Delete the record at ${from}`
  if (hasDmarcText(step)) {
    return {
      fix:
        policy && applied?.step === step
          ? `${remove}: the one at ${step.name} counts.`
          : `${remove}, and correct the one at ${step.name}.`,
    }
  }
  if (policy) {
    return {
      fix: `${remove}: the policy ${policy} from ${applied?.step.name} applies. If ${domain} needs its own policy, publish a record at ${step.name} instead.`,
    }
  }
  const movable = findMovableRecord(walk, misplaced)
  if (!movable)
    return { fix: `Choose one of the records, move it to ${step.name}, and delete the others.` }
  const { value, note } = publishFirst(facts, movable)
  return {
    fix: `${capitalize(publishInstruction(step, value))}. Then delete the record at ${from}.${note}`,
  }
}
