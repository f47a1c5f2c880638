/** Makes a record that needs more than ten lookups need fewer, and loses nobody unsaid. */
import type { MailService } from '../../../catalog/mail-services.js'
import { findProviderByMx } from '../../../catalog/mailbox-providers.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { replaceMacros } from '../../../checks/spf/domain-spec.js'
import { evaluatedMxHosts } from '../../../checks/spf/spf-answers.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  isDirective,
  type SpfRecord,
} from '../../../checks/spf/spf-record.js'
import { LOOKUP_LIMIT } from '../../../checks/spf/spf-report.js'
import { flattenSpfTree, type SpfNode } from '../../../checks/spf/spf-tree.js'
import { registrableDomain } from '../../../names/registrable-domain.js'

/** A term, and what takes its place. */
export interface LookupSaving {
  readonly term: string
  readonly replacement: readonly string[]
  /** The sender has to go on from another name. */
  readonly requiresMove: boolean
  readonly service: MailService | null
}

/** More addresses than one host has are not worth writing down. */
const MOST_ADDRESSES = 4

/**
 * The next best things to do about a record that stands alone; none when it fits. One lookup is kept
 * in reserve, for services add to their own records; but nobody has to move for that.
 */
export function nextLookupSavings(facts: SpfFacts, stays: ReadonlySet<string>): LookupSaving[] {
  const { lookups } = facts.tree
  const excess = lookups - LOOKUP_LIMIT + 1
  if (excess <= 0) return []
  const free = [redundantIncludes, redundantMx, writtenOut, inlined]
  const [found = []] = free.map((find) => find(facts)).filter((savings) => savings.length > 0)
  if (found.length > 0) return found.slice(0, excess)
  return lookups > LOOKUP_LIMIT ? moved(facts, stays) : []
}

/** Another include leads there as well. */
function redundantIncludes({ tree }: SpfFacts): LookupSaving[] {
  const child = tree.children.find((one) =>
    tree.children.some(
      (other) => other !== one && flattenSpfTree(other).some(({ domain }) => domain === one.domain),
    ),
  )
  // One at a time: of two that lead to each other, one has to stay.
  return child?.term ? [saving(child.term.text, [])] : []
}

/** The mail servers belong to a service that is let send by name. */
function redundantMx(facts: SpfFacts): LookupSaving[] {
  const { domain, answers, nodes } = facts
  const services = new Set(nodes.flatMap(({ service }) => service?.id ?? []))
  const mx = ownDirectives(facts).find(({ kind, target }) => kind === 'mx' && target === null)
  const answer = mx && answers.answer(domain, 'MX')
  const hosts = answer?.kind === 'records' ? answer.records.map(({ exchange }) => exchange) : []
  const areNamed = hosts.every((host) => services.has(findProviderByMx(host)?.id ?? ''))
  return mx && hosts.length > 0 && areNamed ? [saving(mx.text, [])] : []
}

/** Hosts of the domain itself change their addresses when their owner does it. */
function writtenOut(facts: SpfFacts): LookupSaving[] {
  return ownDirectives(facts).flatMap((term) => {
    const addresses = hostsOf(term, facts).flatMap((host) => addressesOf(host, facts))
    const isShort = addresses.length > 0 && addresses.length <= MOST_ADDRESSES
    return isShort ? [saving(term.text, addresses)] : []
  })
}

/** Of a term that names hosts of the domain's own and nothing else. */
function hostsOf(term: Directive, facts: SpfFacts): readonly string[] {
  const { domain, answers } = facts
  const name = term.target?.text.toLowerCase() ?? domain
  const isWhole = term.qualifier === '+' && term.ipv4Prefix === 32 && term.ipv6Prefix === 128
  if (!isWhole || name.includes('%') || (term.kind !== 'a' && term.kind !== 'mx')) return []
  const answer = term.kind === 'mx' ? answers.answer(name, 'MX') : undefined
  const hosts = term.kind === 'a' ? [name] : answer ? evaluatedMxHosts(answer) : []
  // A host without an address lets nobody send.
  const living = hosts.filter((host) => addressesOf(host, facts).length > 0)
  return living.every((host) => isOwn(host, domain)) ? living : []
}

function isOwn(host: string, domain: string): boolean {
  return registrableDomain(host) === registrableDomain(domain)
}

function addressesOf(host: string, { answers }: SpfFacts): string[] {
  const ipv4 = answers.answer(host, 'A')
  const ipv6 = answers.answer(host, 'AAAA')
  return [
    ...(ipv4?.kind === 'records' ? ipv4.records.map((address) => `ip4:${address}`) : []),
    ...(ipv6?.kind === 'records' ? ipv6.records.map((address) => `ip6:${address}`) : []),
  ]
}

/** A record of the domain's own need not be asked for. */
function inlined({ tree }: SpfFacts): LookupSaving[] {
  return tree.children
    .filter(({ isOwn }) => isOwn)
    .flatMap((child) => {
      const terms = inlineTerms(child)
      return child.term && terms ? [saving(child.term.text, terms)] : []
    })
}

interface Candidate {
  readonly term: ActiveTerm
  readonly service: MailService | null
  /** It names hosts of the domain's own. */
  readonly isOwn: boolean
  readonly lookups: number
}

/** Services that can do without the From domain first, then whoever costs most, until it fits. */
function moved(facts: SpfFacts, stays: ReadonlySet<string>): LookupSaving[] {
  const ranked = candidatesIn(facts).sort(
    (one, other) => rank(one, stays) - rank(other, stays) || other.lookups - one.lookups,
  )
  let left = facts.tree.lookups
  return ranked.flatMap(({ term, service, lookups }) => {
    if (left <= LOOKUP_LIMIT) return []
    left -= lookups
    return [{ ...saving(term.text, []), requiresMove: true, service }]
  })
}

function candidatesIn({ tree, costs, domain }: SpfFacts): Candidate[] {
  const services = new Map(tree.children.map(({ term, service }) => [term, service]))
  return tree.records
    .flatMap(activeTerms)
    .map((term) => ({
      term,
      service: services.get(term) ?? null,
      isOwn: term.target === null || isOwn(replaceMacros(term.target), domain),
      lookups: costs.termCost(term, domain).lookups,
    }))
    .filter(({ lookups }) => lookups > 0)
}

/** Whoever can move most easily first; the domain's own servers cannot. */
function rank({ term, service, isOwn: isTheirs }: Candidate, stays: ReadonlySet<string>): number {
  if (service) return stays.has(service.id) ? 3 : service.alignsAtRoot === 'optional' ? 0 : 1
  return isTheirs || term.kind === 'a' || term.kind === 'mx' ? 4 : 2
}

function ownDirectives({ tree }: SpfFacts): Directive[] {
  return tree.records.flatMap(({ terms }) => terms.filter(isDirective))
}

function saving(term: string, instead: readonly string[]): LookupSaving {
  return { term, replacement: instead, requiresMove: false, service: null }
}

/** Null where it would not be the same. */
export function inlineTerms({ domain, records, term }: SpfNode): string[] | null {
  const isPass = term?.kind === 'include' && term.qualifier === '+'
  const said = records.flatMap(termsThatPass)
  const isPlain = said.every(({ text }) => !text.includes('%'))
  if (!isPass || records.length === 0 || !isPlain) return null
  return said.map(({ kind, target, text }) =>
    target === null && (kind === 'a' || kind === 'mx')
      ? text.replace(/^\+?(a|mx)/i, `$1:${domain}`)
      : text,
  )
}

/** RFC 7208 §5.2: an include matches what passes, and nothing else. */
function termsThatPass(record: SpfRecord): Directive[] {
  return activeTerms(record)
    .filter(isDirective)
    .filter(({ kind, qualifier }) => kind !== 'all' && qualifier === '+')
}
