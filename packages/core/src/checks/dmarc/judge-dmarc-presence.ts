/** Findings about missing, repeated, misspelled, misplaced and aliased DMARC records. */
import { cnameEvidence, type Finding } from '../finding.js'
import { type Found, found, judge, type Rule } from '../rule.js'
import type { AppliedDmarcRecord, DmarcFacts } from './discover-dmarc.js'
import {
  defaultReportUri,
  dmarcRecordEvidence,
  dmarcTxtEvidence,
  findWalkStep,
  isPolicyUnclear,
  placeOf,
  publishFirst,
  recordChange,
} from './dmarc-advice.js'
import { rfc7489OrganizationalDomain } from './dmarc-policies.js'
import {
  isDmarcNearMiss,
  parseDmarcNearMiss,
  proposeDmarcRecord,
  repairReportUris,
} from './rewrite-dmarc-record.js'
import type { WalkStep } from './tree-walk.js'
import {
  doubledDmarcName,
  findMovableRecord,
  hasDmarcText,
  organizationSteps,
} from './unapplied-record.js'

const MAX_NEAR_MISSES = 10

interface PresenceFacts extends DmarcFacts {
  /** The domain's own name and that of the applied record, or all names if no record applies. */
  readonly steps: readonly WalkStep[]
}

const RULES: readonly Rule<PresenceFacts>[] = [
  (facts) => (facts.policy ? null : missingPolicy(facts)),

  (facts) =>
    facts.steps
      .filter(({ records }) => records.length > 1)
      .map((step) => {
        const texts = step.records.map(({ text }) => text)
        return { ...keepOneRecord(facts, step), evidence: dmarcTxtEvidence(step, texts) }
      }),

  (facts) =>
    facts.steps.flatMap((step) =>
      step.texts
        .filter(isDmarcNearMiss)
        .slice(0, MAX_NEAR_MISSES)
        .map((text) => ({
          ...correctNearMiss(facts, step, text),
          evidence: dmarcTxtEvidence(step, [text]),
        })),
    ),

  misplacedRecords,

  ({ steps }) =>
    steps.flatMap((step) => {
      const { name, cnames } = step
      const target = cnames.slice(-1)
      if (target.length === 0) return []
      const id = hasDmarcText(step) ? 'dmarc.cname' : 'dmarc.dangling-cname'
      return found(id, { name, target }, { evidence: cnameEvidence(name, cnames) })
    }),
]

export function judgeDmarcPresence(facts: DmarcFacts): Finding[] {
  const { domain, walk, applied } = facts
  const steps = walk.steps.filter(
    (step) => !applied || step.domain === domain || step === applied.step,
  )
  return judge(RULES, { steps, ...facts })
}

function missingPolicy(facts: DmarcFacts): Found {
  const { domain, walk, applied } = facts
  if (applied) return unusableRecord(facts, applied)
  const steps = organizationSteps(walk)
  const several = steps.find(({ records }) => records.length > 1)
  if (several) return found('dmarc.missing (several-records)', { name: several.name, domain })
  const nearMiss = steps.find(({ texts }) => texts.some(isDmarcNearMiss))
  if (nearMiss) return found('dmarc.missing (near-miss)', { name: nearMiss.name, domain })
  const ownPlace = placeOf(findWalkStep(facts, domain))
  const [misplaced] = misplacedAt(facts)
  if (misplaced) {
    const values = { domain, from: misplaced.name, place: ownPlace, finding: misplaced.id }
    return found('dmarc.missing (wrong-place)', values)
  }
  // The first of several steps, so it is no proposal to carry out alone: see the fix plan. A record
  // at the organizational domain covers every name below it. One that rejects all mail is for the
  // domain itself, because its parent may send mail.
  const organization = rfc7489OrganizationalDomain(domain)
  const place = placeOf(findWalkStep(facts, organization))
  const record = `v=DMARC1; p=none; rua=${defaultReportUri(facts, organization)}`
  return found('dmarc.missing', { domain, place, record, ownPlace })
}

/** RFC 9989 §4.10.1: a record without a valid policy and without reports is not applied. */
function unusableRecord(facts: DmarcFacts, applied: AppliedDmarcRecord): Found {
  const { step, record } = applied
  const evidence = dmarcRecordEvidence(applied)
  if (isPolicyUnclear(record) || record.conflictingTags.includes('rua')) {
    return found('dmarc.missing (faulty)', { name: step.name }, { evidence })
  }
  const hasMailbox = repairReportUris(record, 'rua').length > 0
  const changes = hasMailbox ? {} : { rua: defaultReportUri(facts, step.domain) }
  const values = { name: step.name, ...recordChange(facts, applied, changes) }
  return found('dmarc.missing (unusable)', values, { evidence })
}

/** The one that stays begins to apply, so it must not be stricter than today. */
function keepOneRecord({ domain, applied }: DmarcFacts, step: WalkStep): Found {
  const { name, records, recordCount: count } = step
  const values = { domain, count, name, place: placeOf(step) }
  if (count > records.length) {
    const shown = records.length
    return found('dmarc.multiple-records (not-all-shown)', { ...values, shown })
  }
  if (!applied) return found('dmarc.multiple-records', values)
  const appliedName = applied.step.name
  return found('dmarc.multiple-records (other-applies)', { ...values, appliedName })
}

function correctNearMiss(facts: DmarcFacts, step: WalkStep, text: string): Found {
  const { applied, policy } = facts
  const { domain, name } = step
  const values = { domain, name, place: placeOf(step), limit: MAX_NEAR_MISSES }
  if (step.records.length > 0) return found('dmarc.near-miss (other-record)', values)
  const parsed = parseDmarcNearMiss(text)
  if (!parsed) return found('dmarc.near-miss (unclear)', values)
  if (applied && policy) {
    const record = proposeDmarcRecord(parsed)
    const appliedName = applied.step.name
    return found('dmarc.near-miss (policy-applies)', { ...values, policy, appliedName, record })
  }
  const { record, meant } = publishFirst(facts, { step, record: parsed })
  return meant === null
    ? found('dmarc.near-miss (monitoring)', { ...values, record })
    : found('dmarc.near-miss', { ...values, record, meant })
}

interface MisplacedAt {
  readonly id: `dmarc.${'unused-record-at-domain' | 'record-at-domain' | 'record-at-doubled-name'}`
  readonly name: string
  readonly texts: readonly string[]
}

/** The names that hold such a record. */
function misplacedAt({ domain, misplaced, policy, applied }: DmarcFacts): MisplacedAt[] {
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

function misplacedRecords(facts: DmarcFacts): Found[] {
  return misplacedAt(facts).map(({ id, name, texts }) => ({
    ...moveRecord(facts, id, name),
    evidence: dmarcTxtEvidence({ name }, texts),
  }))
}

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
