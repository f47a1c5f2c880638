/** Warnings about what the planned SPF record leaves out or cannot repair. */
import { formatFullList, quoteForDisplay } from '../../../checks/format-list.js'
import { found, type Rule } from '../../../checks/rule.js'
import { lookupUnavailable } from '../../../checks/spf/judge-lookups.js'
import type { PlanFacts } from '../plan-records.js'
import type { FaultyInclude } from '../spf/compose-spf.js'
import { ASKED_ABOUT } from '../spf/lookup-savings.js'
import { findSimilarInclude } from '../spf/similar-include.js'
import { isPtr } from '../spf/usable-spf.js'

const sendersToMove: Rule<PlanFacts> = ({ facts, services, plan: { spf } }) => {
  const { terms: outside = [], room = 0 } = spf?.noRoom ?? {}
  const leftOut = (spf?.leftOut ?? []).filter(({ isNeedless }) => !isNeedless)
  const senders = [...outside, ...leftOut].map(({ term, service }) =>
    service ? `${service.name} (${term})` : term,
  )
  if (senders.length === 0) return null
  const values = { domain: facts.domain, senders: formatFullList(senders) }
  if (!spf?.noRoom) {
    return found(`plan.senders-to-move${isSpfStrict(facts) ? ' (strict)' : ''}`, values)
  }
  const named = new Set(facts.reports.spf.senders.map(({ id }) => id))
  // A service that can use its own bounce domain passes DMARC with DKIM alone.
  const signers = services.senders
    .filter(({ entry }) => named.has(entry.id) && entry.returnPathAtRoot === 'optional')
    .map(({ entry }) => entry.name)
  const terms = formatFullList(outside.map(({ term }) => term))
  const kase = leftOut.length > 0 ? 'no-room-and-left-out' : 'no-room'
  return found(`plan.senders-to-move (${kase})`, { ...values, signers, room, terms })
}

const spfTooFull: Rule<PlanFacts> = ({ facts, plan: { spf } }) => {
  if (!spf || spf.crowdedOut.length === 0) return null
  return found(`plan.spf-too-full${isSpfStrict(facts) ? ' (strict)' : ''}`, {
    domain: facts.domain,
    senders: formatFullList(spf.crowdedOut),
  })
}

function isSpfStrict({ reports }: PlanFacts['facts']): boolean {
  return reports.dmarc.alignment?.spf === 'strict'
}

const FAULTS: Readonly<Record<FaultyInclude['fault'], string>> = {
  broken: 'a permanent error',
  'void-lookups': 'too many empty lookups',
  'allows-everyone': 'lets every server send as you',
}

const includeFaulty: Rule<PlanFacts> = ({ facts, plan: { spf } }) => {
  const faulty = spf?.faulty ?? []
  if (faulty.length === 0) return null
  const hostsOf = (includes: readonly FaultyInclude[]) => includes.map(({ host }) => host)
  const open = hostsOf(faulty.filter(({ fault }) => fault === 'allows-everyone'))
  const broken = hostsOf(faulty.filter(({ fault }) => fault !== 'allows-everyone'))
  const errors = facts.reports.spf.issues
    .filter(({ severity }) => severity !== 'low' && severity !== 'info')
    .filter(({ evidence }) =>
      evidence.some(({ name }) => faulty.some(({ domains }) => domains.has(name))),
    )
    .map(({ title }) => title)
  const problems = errors.length > 0 ? errors : faulty.map(({ fault }) => FAULTS[fault])
  const values = {
    domain: facts.domain,
    hosts: hostsOf(faulty),
    operators: faulty.map(({ host, service }) => service?.name ?? `the operator of ${host}`),
    terms: faulty.map(({ term }) => term),
    problems: [...new Set(problems)].join('; '),
  }
  if (open.length === 0) return found('plan.include-faulty', values)
  if (broken.length === 0) return found('plan.include-faulty (open)', values)
  return found('plan.include-faulty (broken-and-open)', { ...values, broken, open })
}

const termsLeftOut: Rule<PlanFacts> = ({ facts: { domain }, plan: { spf } }) => {
  const planned = new Set(spf?.record.value.split(' '))
  const removed = (spf?.dropped ?? []).filter(({ reason }) => ASKED_ABOUT.has(reason))
  const leftOut = [
    ...removed.map(({ term }) => term),
    ...(spf?.unreadable ?? []),
    ...(spf?.ignored ?? []),
  ]
    .map((term) => ({ term, similar: findSimilarInclude(term) }))
    .filter(({ similar }) => !planned.has(similar?.term ?? ''))
  if (leftOut.length === 0) return null
  const terms = formatFullList(
    leftOut.map(({ term }) => term),
    quoteForDisplay,
  )
  const misspelled = leftOut.flatMap(({ term, similar }) => (similar ? [term] : []))
  const meant = leftOut.flatMap(({ similar }) =>
    similar ? [`${similar.term} (${similar.service})`] : [],
  )
  return misspelled.length > 0
    ? found('plan.terms-left-out (misspelled)', { domain, terms, misspelled, meant })
    : found('plan.terms-left-out', { domain, terms })
}

const ptrKept: Rule<PlanFacts> = ({ plan: { spf } }) =>
  spf?.record.value.split(' ').some(isPtr) ? found('plan.ptr-kept', {}) : null

/** What is unknown about the record may be what a change depends on. */
const lookupFailed: Rule<PlanFacts> = ({ facts, plan: { spf } }) =>
  spf ? lookupUnavailable(facts.spf) : null

export const SPF_WARNINGS: readonly Rule<PlanFacts>[] = [
  sendersToMove,
  spfTooFull,
  includeFaulty,
  termsLeftOut,
  ptrKept,
  lookupFailed,
]
