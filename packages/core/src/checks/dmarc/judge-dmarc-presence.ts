/** Findings about missing, repeated, misspelled and aliased DMARC records. */
import { cnameEvidence, createFinding, type Finding, proposeTxtRecord } from '../finding.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  capitalize,
  cnameNote,
  defaultReportUri,
  dmarcRecordEvidence,
  dmarcTxtEvidence,
  findWalkStep,
  publishInstruction,
  recordChangeInstruction,
  recordChangeProposal,
} from './dmarc-advice.js'
import { hasInvalidPolicy, rfc7489OrganizationalDomain } from './dmarc-policies.js'
import {
  isDmarcNearMiss,
  NO_MAIL_DMARC_RECORD,
  repairDmarcNearMiss,
  repairReportUris,
  type TagChanges,
} from './rewrite-dmarc-record.js'
import type { WalkStep } from './tree-walk.js'

const MAX_NEAR_MISSES = 10

export function judgeDmarcPresence(facts: DmarcFacts): Finding[] {
  const steps = relevantSteps(facts)
  return [
    ...judgeMissing(facts, steps),
    ...steps.flatMap((step) => judgeMultiple(step, facts)),
    ...steps.flatMap(judgeNearMisses),
    ...steps.flatMap(judgeDmarcCname),
  ]
}

/** The domain's own name and that of the applied record, or all names if no record applies. */
function relevantSteps({ domain, walk, applied }: DmarcFacts): WalkStep[] {
  return walk.steps.filter((step) => !applied || step.domain === domain || step === applied.step)
}

function judgeMissing(facts: DmarcFacts, steps: readonly WalkStep[]): Finding[] {
  if (facts.policy) return []
  if (facts.applied) return [judgeUnusable(facts, facts.applied)]
  const several = steps.find(({ records }) => records.length > 1)
  const nearMiss = steps.find(({ texts }) => texts.some(isDmarcNearMiss))
  const broken = several ?? nearMiss
  const detail =
    'Receivers have no instructions for mail that forges this domain, so much of it is delivered.'
  return [
    createFinding('dmarc.missing', {
      title: broken
        ? `No DMARC policy applies, despite the record at ${broken.name}`
        : `No DMARC record for ${facts.domain}`,
      detail: broken
        ? `${several ? 'Several records cancel each other out.' : 'The record is not written as a DMARC record.'} ${detail}`
        : detail,
      ...(broken ? correctRecord(broken, several !== undefined) : firstRecord(facts)),
    }),
  ]
}

function correctRecord(step: WalkStep, isSeveral: boolean): Pick<Finding, 'fix' | 'record'> {
  const correct = `Correct the record at ${step.name}`
  if (isSeveral) return { fix: `${correct}; see dmarc.multiple-records.` }
  const { record } = repairedRecordAt(step)
  return record
    ? { fix: `${correct}; see dmarc.near-miss: "${record.value}"`, record }
    : { fix: `${correct}; see dmarc.near-miss.` }
}

/** None where there are several near misses: only the owner can choose. */
function repairedRecordAt({ name, texts }: WalkStep): Pick<Finding, 'record'> {
  const [nearMiss, ...others] = texts.filter(isDmarcNearMiss)
  const isSingle = nearMiss !== undefined && others.length === 0
  const repaired = isSingle ? repairDmarcNearMiss(nearMiss) : null
  return repaired ? proposeTxtRecord(name, repaired) : {}
}

const NEXT_STEPS =
  'Use a mailbox that you read. When the reports show that your own mail passes, move to p=quarantine, then to p=reject.'

/**
 * A record at the organizational domain covers every name below it. One that rejects all mail is
 * proposed only for the domain itself, because its parent may send mail.
 */
function firstRecord(facts: DmarcFacts): Pick<Finding, 'fix' | 'record'> {
  const { domain } = facts
  const organization = rfc7489OrganizationalDomain(domain)
  const step = findWalkStep(facts, organization)
  const record = `v=DMARC1; p=none; rua=${defaultReportUri(facts, organization)}`
  const first = publishInstruction(step, record, 'publish a TXT record')
  const rejectAll = publishInstruction(
    findWalkStep(facts, domain),
    NO_MAIL_DMARC_RECORD,
    'publish this instead',
  )
  return {
    fix: `${capitalize(first)}. ${NEXT_STEPS} If ${domain} and the names below it send no mail, ${rejectAll}.`,
    ...proposeTxtRecord(step.name, record),
  }
}

/** RFC 9989 §4.10.1: a record without a valid policy and without reports is not applied. */
function judgeUnusable(facts: DmarcFacts, applied: AppliedDmarcRecord): Finding {
  const isFaulty = hasInvalidPolicy(applied.record)
  const changes = missingReports(facts, applied)
  return createFinding(
    'dmarc.missing',
    {
      title: `The record at ${applied.step.name} has no valid policy, so none applies`,
      detail:
        'A record whose p is missing, or whose p, sp or np is invalid, counts only if it asks for reports, and then as p=none. This one does not ask for reports, so receivers ignore it.',
      fix: isFaulty
        ? 'Correct the record; see dmarc.bad-tags.'
        : `${capitalize(recordChangeInstruction(facts, applied, changes))}. ${NEXT_STEPS}`,
      ...(!isFaulty && recordChangeProposal(facts, applied, changes)),
    },
    dmarcRecordEvidence(applied),
  )
}

function missingReports(facts: DmarcFacts, { record, step }: AppliedDmarcRecord): TagChanges {
  const hasMailbox = repairReportUris(record, 'rua').length > 0
  return hasMailbox ? {} : { rua: defaultReportUri(facts, step.domain) }
}

function judgeMultiple(step: WalkStep, { applied }: DmarcFacts): Finding[] {
  const { name, records } = step
  if (records.length < 2) return []
  const consequence = applied
    ? `and continue at ${applied.step.name}, while RFC 7489 receivers stop here and apply no policy`
    : 'and find no other'
  return [
    createFinding(
      'dmarc.multiple-records',
      {
        title: `${records.length} DMARC records at ${name}`,
        detail: `Receivers cannot tell which one is meant. They discard all of them ${consequence}.`,
        fix: `Keep one of the ${records.length} records at ${name} and delete the others.${cnameNote(step)}`,
      },
      dmarcTxtEvidence(
        step,
        records.map(({ text }) => text),
      ),
    ),
  ]
}

function judgeNearMisses(step: WalkStep): Finding[] {
  const nearMisses = step.texts.filter(isDmarcNearMiss)
  const more =
    nearMisses.length > MAX_NEAR_MISSES
      ? ` There are ${nearMisses.length} such records; the first ${MAX_NEAR_MISSES} are shown.`
      : ''
  return nearMisses.slice(0, MAX_NEAR_MISSES).map((text) => {
    const repaired = repairDmarcNearMiss(text)
    const correction = repaired
      ? `Replace it with "${repaired}"`
      : 'Rewrite it, starting with "v=DMARC1; p="'
    return createFinding(
      'dmarc.near-miss',
      {
        title: `A record at ${step.name} looks like DMARC but is ignored`,
        detail: `A DMARC record starts with exactly v=DMARC1, with DMARC in capitals, and a semicolon before the next tag. Receivers ignore anything else.${more}`,
        fix:
          step.records.length > 0
            ? `Delete it: the other record at ${step.name} is the one that counts.${cnameNote(step)}`
            : `${correction}.${cnameNote(step)}`,
      },
      dmarcTxtEvidence(step, [text]),
    )
  })
}

function judgeDmarcCname(step: WalkStep): Finding[] {
  const target = step.cnames.at(-1)
  if (!target) return []
  const hasRecord = step.records.length > 0 || step.texts.some(isDmarcNearMiss)
  return [hasRecord ? judgeHostedElsewhere(step, target) : judgeDangling(step, target)]
}

function judgeHostedElsewhere({ name, cnames }: WalkStep, target: string): Finding {
  return createFinding(
    'dmarc.cname',
    {
      title: `The record of ${name} is hosted at ${target}`,
      detail: `${name} is a CNAME. The owner of ${target} decides what receivers do with forged mail, and who gets the reports.`,
      fix: `No action is needed if you trust that owner. Otherwise replace the CNAME at ${name} with your own TXT record.`,
    },
    cnameEvidence(name, cnames),
  )
}

function judgeDangling({ name, cnames }: WalkStep, target: string): Finding {
  return createFinding(
    'dmarc.dangling-cname',
    {
      title: `The CNAME at ${name} leads to ${target}, which has no DMARC record`,
      detail: `The CNAME has no effect today. But anyone who gains control of ${target}, for example by registering a lapsed domain, can publish a policy for your mail and receive the reports.`,
      fix: `Delete the CNAME at ${name}, or replace it with your own TXT record. If it comes from a wildcard, a TXT record at ${name} overrides it.`,
    },
    cnameEvidence(name, cnames),
  )
}
