/** Findings about missing, repeated, misspelled, misplaced and aliased DMARC records. */
import { cnameEvidence, createFinding, type Finding } from '../finding.js'
import { describeUnselected } from '../txt-records.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  capitalize,
  cnameNote,
  defaultReportUri,
  dmarcRecordEvidence,
  dmarcTxtEvidence,
  findWalkStep,
  isEnforcing,
  isPolicyUnclear,
  NEXT_STEPS,
  publishFirst,
  publishInstruction,
  recordChangeInstruction,
  SEE_BAD_TAGS,
} from './dmarc-advice.js'
import { rfc7489OrganizationalDomain } from './dmarc-policies.js'
import { judgeMisplacedRecords, misplacedAt, moveRecord } from './judge-misplaced-records.js'
import {
  isDmarcNearMiss,
  NO_MAIL_DMARC_RECORD,
  parseDmarcNearMiss,
  proposeDmarcRecord,
  repairReportUris,
  type TagChanges,
} from './rewrite-dmarc-record.js'
import type { WalkStep } from './tree-walk.js'
import { findNearMiss, hasDmarcText, organizationSteps } from './unapplied-record.js'

const MAX_NEAR_MISSES = 10

export function judgeDmarcPresence(facts: DmarcFacts): Finding[] {
  const steps = relevantSteps(facts)
  return [
    ...judgeMissing(facts),
    ...steps.flatMap((step) => judgeMultiple(step, facts)),
    ...steps.flatMap((step) => judgeNearMisses(step, facts)),
    ...judgeMisplacedRecords(facts),
    ...steps.flatMap(judgeDmarcCname),
  ]
}

/** The domain's own name and that of the applied record, or all names if no record applies. */
function relevantSteps({ domain, walk, applied }: DmarcFacts): WalkStep[] {
  return walk.steps.filter((step) => !applied || step.domain === domain || step === applied.step)
}

function judgeMissing(facts: DmarcFacts): Finding[] {
  if (facts.policy) return []
  if (facts.applied) return [judgeUnusable(facts, facts.applied)]
  const steps = organizationSteps(facts.walk)
  const several = steps.find(({ records }) => records.length > 1)
  const nearMiss = steps.find(({ texts }) => texts.some(isDmarcNearMiss))
  const broken = several ?? nearMiss
  const [place] = misplacedAt(facts)
  if (broken) return [judgeBroken(facts, broken, several !== undefined)]
  return [
    createFinding('dmarc.missing', {
      title: `No DMARC record for ${facts.domain}`,
      detail: `${place ? `The record at ${place.name} is in the wrong place; see ${place.id}. ` : ''}${NO_INSTRUCTIONS}`,
      ...(place ? moveRecord(facts, place.name) : firstRecord(facts)),
    }),
  ]
}

const NO_INSTRUCTIONS =
  'Receivers have no instructions for mail that forges this domain, so much of it is delivered.'

function judgeBroken(facts: DmarcFacts, step: WalkStep, isSeveral: boolean): Finding {
  const reason = isSeveral
    ? 'Several records cancel each other out.'
    : 'The record is not written as a DMARC record.'
  return createFinding('dmarc.missing', {
    title: `No DMARC policy applies, despite the record at ${step.name}`,
    detail: `${reason} ${NO_INSTRUCTIONS}`,
    ...correctRecord(facts, step, isSeveral),
  })
}

function correctRecord(
  facts: DmarcFacts,
  step: WalkStep,
  isSeveral: boolean,
): Pick<Finding, 'fix'> {
  const correct = `Correct the record at ${step.name}`
  if (isSeveral) return { fix: `${correct}; see dmarc.multiple-records.` }
  // With several near misses, only the owner can choose.
  const meant = findNearMiss(facts.walk)
  return {
    fix: meant
      ? `${correct}; see dmarc.near-miss: "${publishFirst(facts, meant).value}"`
      : `${correct}; see dmarc.near-miss.`,
  }
}

/**
 * The first of several steps, so it is no proposal to carry out alone: see the fix plan. A record at
 * the organizational domain covers every name below it. One that rejects all mail is
 * proposed only for the domain itself, because its parent may send mail.
 */
function firstRecord(facts: DmarcFacts): Pick<Finding, 'fix'> {
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
  }
}

/** RFC 9989 §4.10.1: a record without a valid policy and without reports is not applied. */
function judgeUnusable(facts: DmarcFacts, applied: AppliedDmarcRecord): Finding {
  const isFaulty = isPolicyUnclear(applied.record) || applied.record.conflictingTags.includes('rua')
  const changes = missingReports(facts, applied)
  return createFinding(
    'dmarc.missing',
    {
      title: `The record at ${applied.step.name} has no valid policy, so none applies`,
      detail:
        'A record whose p is missing or repeated, or whose p, sp or np is invalid, counts only if it asks for reports, and then as p=none. This one does not ask for reports, so receivers ignore it.',
      fix: isFaulty
        ? SEE_BAD_TAGS
        : `${capitalize(recordChangeInstruction(facts, applied, changes))}. ${NEXT_STEPS}`,
    },
    dmarcRecordEvidence(applied),
  )
}

function missingReports(facts: DmarcFacts, { record, step }: AppliedDmarcRecord): TagChanges {
  const hasMailbox = repairReportUris(record, 'rua').length > 0
  return hasMailbox ? {} : { rua: defaultReportUri(facts, step.domain) }
}

function judgeMultiple(step: WalkStep, facts: DmarcFacts): Finding[] {
  const { applied } = facts
  const { name, records, recordCount } = step
  if (records.length < 2) return []
  const consequence = applied
    ? `and continue at ${applied.step.name}, while RFC 7489 receivers stop here and apply no policy`
    : 'and find no other'
  return [
    createFinding(
      'dmarc.multiple-records',
      {
        title: `${recordCount} DMARC records at ${name}`,
        detail: `Receivers cannot tell which one is meant. They discard all of them ${consequence}.${describeUnselected(recordCount)}`,
        fix: `${keepOne(step, facts)}${cnameNote(step)}`,
      },
      dmarcTxtEvidence(
        step,
        records.map(({ text }) => text),
      ),
    ),
  ]
}

/** The one that stays begins to apply, so it must not be stricter than today. */
function keepOne({ name, records, recordCount }: WalkStep, facts: DmarcFacts): string {
  const isStricter = facts.policy === null && records.some(isEnforcing)
  if (!isStricter) return `Keep one of the ${recordCount} records at ${name} and delete the others.`
  return `Keep one of the ${recordCount} records at ${name}, with p=none at first, and delete the others. Receivers ignore all of them today, so a stricter policy could stop your own mail. Make it stricter when the reports show that your mail passes, or at once if ${facts.domain} sends no mail.`
}

function judgeNearMisses(step: WalkStep, facts: DmarcFacts): Finding[] {
  const nearMisses = step.texts.filter(isDmarcNearMiss)
  const more =
    nearMisses.length > MAX_NEAR_MISSES
      ? ` There are ${nearMisses.length} such records; the first ${MAX_NEAR_MISSES} are shown.`
      : ''
  return nearMisses.slice(0, MAX_NEAR_MISSES).map((text) =>
    createFinding(
      'dmarc.near-miss',
      {
        title: `A record at ${step.name} looks like DMARC but is ignored`,
        detail: `A DMARC record starts with exactly v=DMARC1, with DMARC in capitals, and a semicolon before the next tag. Receivers ignore anything else.${more}`,
        fix: `${correctNearMiss(facts, step, text)}${cnameNote(step)}`,
      },
      dmarcTxtEvidence(step, [text]),
    ),
  )
}

function correctNearMiss(facts: DmarcFacts, step: WalkStep, text: string): string {
  const { applied, policy } = facts
  if (step.records.length > 0) {
    return `Delete it: the other record at ${step.name} is the one that counts.`
  }
  const record = parseDmarcNearMiss(text)
  if (!record) return 'Rewrite it, starting with "v=DMARC1; p=".'
  if (policy) {
    return `Delete it: the policy ${policy} from ${applied?.step.name} applies. If ${step.domain} needs its own policy, replace it with "${proposeDmarcRecord(record)}".`
  }
  const { value, note } = publishFirst(facts, { step, record })
  return `Replace it with "${value}".${note}`
}

function judgeDmarcCname(step: WalkStep): Finding[] {
  const target = step.cnames.at(-1)
  if (!target) return []
  return [hasDmarcText(step) ? judgeHostedElsewhere(step, target) : judgeDangling(step, target)]
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
