/** Whether there is a record at all, and whether receivers take it for one. */
import { createFinding, type Finding, proposeTxtRecord } from '../finding.js'
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
  repairDmarcNearMiss,
  repairReportUris,
  type TagChanges,
} from './rewrite-dmarc-record.js'
import type { WalkStep } from './tree-walk.js'

/** As many as anybody reads. */
const MAX_NEAR_MISSES = 10

export function judgeDmarcPresence(facts: DmarcFacts): Finding[] {
  const stations = concerned(facts)
  return [
    ...judgeMissing(facts, stations),
    ...stations.flatMap((station) => judgeMultiple(station, facts)),
    ...stations.flatMap(judgeNearMisses),
    ...stations.flatMap(judgeDmarcCname),
  ]
}

/** The names whose records matter: the domain's own and the one applied, or all when none is. */
function concerned({ domain, walk, applied }: DmarcFacts): WalkStep[] {
  return walk.steps.filter(
    (station) => !applied || station.domain === domain || station === applied.step,
  )
}

function judgeMissing(facts: DmarcFacts, stations: readonly WalkStep[]): Finding[] {
  if (facts.policy) return []
  if (facts.applied) return [judgeUnusable(facts, facts.applied)]
  const several = stations.find(({ records }) => records.length > 1)
  const nearMiss = stations.find(({ texts }) => texts.some(isDmarcNearMiss))
  const broken = several ?? nearMiss
  const detail =
    'Nothing tells receivers what to do with mail that only pretends to come from this domain, so they judge as they please, and much of it arrives.'
  return [
    createFinding('dmarc.missing', {
      title: broken
        ? `No DMARC policy applies, in spite of what stands at ${broken.name}`
        : `No DMARC record for ${facts.domain}`,
      detail: broken
        ? `${several ? 'Several records cancel each other.' : 'What stands there is not written as a DMARC record.'} ${detail}`
        : detail,
      ...(broken ? correction(broken, several !== undefined) : firstRecord(facts)),
    }),
  ]
}

function correction(station: WalkStep, isSeveral: boolean): Pick<Finding, 'fix' | 'record'> {
  const correct = `Correct what stands at ${station.name}, as`
  if (isSeveral) return { fix: `${correct} dmarc.multiple-records says.` }
  const { record } = meantAt(station)
  return record
    ? { fix: `${correct} dmarc.near-miss says: "${record.value}"`, record }
    : { fix: `${correct} dmarc.near-miss says.` }
}

/** Of several that were meant, only the owner can choose. */
function meantAt({ name, texts }: WalkStep): Pick<Finding, 'record'> {
  const [miss, ...others] = texts.filter(isDmarcNearMiss)
  const meant = miss === undefined || others.length > 0 ? null : repairDmarcNearMiss(miss)
  return meant ? proposeTxtRecord(name, meant) : {}
}

const NEXT_STEPS =
  'with a mailbox that somebody reads. When the reports show that your own mail passes, go on to p=quarantine and p=reject.'

/**
 * At the organisational domain one record serves every name below it. One that rejects all mail is
 * for the domain that was asked about alone: its parent may well send some.
 */
function firstRecord(facts: DmarcFacts): Pick<Finding, 'fix' | 'record'> {
  const { domain } = facts
  const organization = rfc7489OrganizationalDomain(domain)
  const station = findWalkStep(facts, organization)
  const record = `v=DMARC1; p=none; rua=${defaultReportUri(facts, organization)}`
  const first = publishInstruction(station, record, 'publish a TXT record')
  const silent = publishInstruction(
    findWalkStep(facts, domain),
    NO_MAIL_DMARC_RECORD,
    'publish at once',
  )
  return {
    fix: `${capitalize(first)}, ${NEXT_STEPS} If ${domain} and the names below it send no mail, ${silent}.`,
    ...proposeTxtRecord(station.name, record),
  }
}

/** For a domain that sends nothing: there is no mail of its own that could be lost. */
export const NO_MAIL_DMARC_RECORD = 'v=DMARC1; p=reject'

/** RFC 9989 §4.10.1: without a valid policy and without reports there is nothing to apply. */
function judgeUnusable(facts: DmarcFacts, applied: AppliedDmarcRecord): Finding {
  const isFaulty = hasInvalidPolicy(applied.record)
  const changes = missingReports(facts, applied)
  return createFinding(
    'dmarc.missing',
    {
      title: `The record at ${applied.step.name} has no valid policy, so none applies`,
      detail:
        'A record whose p is missing, or whose p, sp or np is wrong, counts only if it asks for reports, and then as p=none. This one does not, and receivers pass over it as if there were none.',
      fix: isFaulty
        ? 'Correct the record, as dmarc.bad-tags says.'
        : `${capitalize(recordChangeInstruction(facts, applied, changes))}, ${NEXT_STEPS}`,
      ...(!isFaulty && recordChangeProposal(facts, applied, changes)),
    },
    dmarcRecordEvidence(applied),
  )
}

function missingReports(facts: DmarcFacts, { record, step }: AppliedDmarcRecord): TagChanges {
  const hasMailbox = repairReportUris(record, 'rua').length > 0
  return hasMailbox ? {} : { rua: defaultReportUri(facts, step.domain) }
}

function judgeMultiple(station: WalkStep, { applied }: DmarcFacts): Finding[] {
  const { name, records } = station
  if (records.length < 2) return []
  const consequence = applied
    ? `and go on to ${applied.step.name}, while receivers by RFC 7489 stop here and apply no policy`
    : 'and find no other'
  return [
    createFinding(
      'dmarc.multiple-records',
      {
        title: `${records.length} DMARC records at ${name}`,
        detail: `Receivers cannot know which one is meant. They discard all of them ${consequence}.`,
        fix: `Keep one of the ${records.length} records at ${name} and delete the others.${cnameNote(station)}`,
      },
      dmarcTxtEvidence(
        station,
        records.map(({ text }) => text),
      ),
    ),
  ]
}

function judgeNearMisses(station: WalkStep): Finding[] {
  const misses = station.texts.filter(isDmarcNearMiss)
  const more =
    misses.length > MAX_NEAR_MISSES
      ? ` There are ${misses.length} such records; the first ${MAX_NEAR_MISSES} are shown.`
      : ''
  return misses.slice(0, MAX_NEAR_MISSES).map((text) => {
    const meant = repairDmarcNearMiss(text)
    const hasRecord = station.records.length > 0
    const mend = meant ? `Replace it by "${meant}"` : 'Write it anew, beginning with "v=DMARC1; p="'
    return createFinding(
      'dmarc.near-miss',
      {
        title: `A record at ${station.name} looks like DMARC but does not count`,
        detail: `A DMARC record begins with exactly v=DMARC1, DMARC in capitals, and a semicolon before the next tag. Receivers pass over anything else.${more}`,
        fix: hasRecord
          ? `Delete it: the other record at ${station.name} is the one that counts.${cnameNote(station)}`
          : `${mend}.${cnameNote(station)}`,
      },
      dmarcTxtEvidence(station, [text]),
    )
  })
}

function judgeDmarcCname(station: WalkStep): Finding[] {
  const target = station.cnames.at(-1)
  if (!target) return []
  const holdsRecord = station.records.length > 0 || station.texts.some(isDmarcNearMiss)
  return [holdsRecord ? judgeKept(station, target) : judgeDangling(station, target)]
}

function judgeKept(station: WalkStep, target: string): Finding {
  const { name } = station
  return createFinding(
    'dmarc.cname',
    {
      title: `The record of ${name} is kept at ${target}`,
      detail: `${name} is an alias. Whoever controls ${target} decides what receivers do with forged mail, and who gets the reports.`,
      fix: `Nothing, if that is whom you trust with it. Otherwise replace the CNAME at ${name} by a TXT record of your own.`,
    },
    chainEvidence(station),
  )
}

function judgeDangling(station: WalkStep, target: string): Finding {
  const { name } = station
  return createFinding(
    'dmarc.dangling-cname',
    {
      title: `The alias ${name} leads to ${target}, where there is no DMARC record`,
      detail: `The alias does nothing now. But whoever comes to hold ${target}, by registering a domain that has lapsed or opening an account with its operator, can publish a policy there for mail in your name, and have the reports sent to themselves.`,
      fix: `Delete the CNAME at ${name}, or replace it by a TXT record of your own. If it comes from a wildcard, a TXT record at ${name} takes precedence over that.`,
    },
    chainEvidence(station),
  )
}

function chainEvidence({ name, cnames }: WalkStep): Finding['evidence'] {
  return cnames.map((value, index) => ({
    name: cnames[index - 1] ?? name,
    type: 'CNAME',
    value,
  }))
}
