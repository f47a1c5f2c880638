/** Chooses which terms of an SPF record stay when not all fit into ten lookups. */
import { hasUselessInclude, type MailService } from '../../../catalog/mail-services.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { replaceMacros } from '../../../checks/spf/domain-spec.js'
import { LOOKUP_LIMIT } from '../../../checks/spf/spf-limits.js'
import { type ActiveTerm, activeTerms } from '../../../checks/spf/spf-record.js'
import { registrableDomain } from '../../../names/registrable-domain.js'

export interface LeftOutTerm {
  readonly term: string
  readonly service: MailService | null
  /** The service never uses the domain in MAIL FROM, so receivers never look for it here. */
  readonly isNeedless: boolean
}

export interface TermPriorities {
  readonly mailboxProviderIds: ReadonlySet<string>
  /** Terms whose senders all pass today. */
  readonly passingTerms: ReadonlySet<string>
}

interface Candidate extends LeftOutTerm {
  readonly lookups: number
  readonly rank: number
}

/** The terms to leave out, for a domain with one record. Cheap terms of the same rank stay first. */
export function chooseTerms(facts: SpfFacts, priorities: TermPriorities): LeftOutTerm[] {
  const byImportance = listCandidates(facts, priorities).sort(
    (one, other) => one.rank - other.rank || one.lookups - other.lookups,
  )
  let left = LOOKUP_LIMIT
  return byImportance.flatMap(({ term, service, isNeedless, lookups }) => {
    if (lookups > left) return [{ term, service, isNeedless }]
    left -= lookups
    return []
  })
}

/** Services that receivers never look for here: as few as make room, the most expensive first. */
export function needlessTerms(facts: SpfFacts, priorities: TermPriorities): LeftOutTerm[] {
  const needless = listCandidates(facts, priorities)
    .filter(({ isNeedless }) => isNeedless)
    .sort((one, other) => other.lookups - one.lookups)
  let { lookups: left } = facts.tree
  return needless.flatMap(({ term, service, isNeedless, lookups }) => {
    if (left <= LOOKUP_LIMIT) return []
    left -= lookups
    return [{ term, service, isNeedless }]
  })
}

function listCandidates(facts: SpfFacts, priorities: TermPriorities): Candidate[] {
  const { tree, costs, domain } = facts
  const services = new Map(tree.children.map(({ term, service }) => [term, service]))
  // Below a registrable domain, such a service may use the name itself in MAIL FROM.
  const isRoot = registrableDomain(domain) === domain
  return tree.records
    .flatMap(activeTerms)
    .map((term) => {
      const service = services.get(term) ?? null
      const isNeedless = isRoot && service !== null && hasUselessInclude(service)
      const candidate = { term: term.text, service, isNeedless }
      const { lookups } = costs.termCost(term)
      return { ...candidate, lookups, rank: rankTerm(candidate, term, facts, priorities) }
    })
    .filter(({ lookups }) => lookups > 0)
}

/** Lower ranks stay: what passes today, own servers and mailboxes, then services that may align. */
function rankTerm(
  { service, isNeedless }: LeftOutTerm,
  { text, kind, target }: ActiveTerm,
  { domain }: SpfFacts,
  { passingTerms, mailboxProviderIds }: TermPriorities,
): number {
  if (isNeedless) return 4
  if (passingTerms.has(text)) return 0
  if (service) {
    if (mailboxProviderIds.has(service.id)) return 1
    return service.returnPathAtRoot === 'optional' ? 3 : 2
  }
  const isOwn =
    target === null || registrableDomain(replaceMacros(target)) === registrableDomain(domain)
  return isOwn || kind === 'a' || kind === 'mx' ? 1 : 2
}
