/** Reduces the lookups of an SPF record that needs more than ten. */
import { findProviderByMx } from '../../../catalog/mail-services.js'
import type { SpfFacts } from '../../../checks/spf/discover-spf.js'
import { LOOKUP_LIMIT, MAX_EXPANDED_ADDRESSES } from '../../../checks/spf/spf-limits.js'
import { activeTerms, type Directive, isDirective } from '../../../checks/spf/spf-record.js'
import { flattenSpfTree, type SpfNode } from '../../../checks/spf/spf-tree.js'
import { evaluatedMxHosts } from '../../../checks/spf/term-lookups.js'
import { registrableDomain } from '../../../names/registrable-domain.js'
import { onlyReceives } from '../../../streams/server-terms.js'

export type RemovalReason =
  | 'matches-nothing'
  | 'no-record'
  | 'includes-itself'
  | 'broken'
  | 'allows-everyone'
  | 'unused'
  | 'needless'

/** Why a term goes that may have stood for a real sender. Its owner is asked. */
export const ASKED_ABOUT: ReadonlySet<RemovalReason> = new Set([
  'broken',
  'allows-everyone',
  'no-record',
])

/** A term and its replacement. */
export interface LookupSaving {
  readonly term: string
  readonly replacement: readonly string[]
  /** Its servers only receive mail. */
  readonly onlyReceives?: boolean
  /** Why it cannot stay; absent if it is replaced to save lookups. */
  readonly reason?: RemovalReason | 'too-many-servers'
}

/** Terms that add no sender, for a domain with one record over the limit. */
export function redundantTerms(facts: SpfFacts): LookupSaving[] {
  return firstSavings(facts, [redundantIncludes, redundantMx])
}

/** The domain's own hosts and records in fewer lookups. */
export function shorterTerms(facts: SpfFacts): LookupSaving[] {
  return firstSavings(facts, [expandHosts, inlineOwnRecords])
}

function firstSavings(
  facts: SpfFacts,
  ways: readonly ((facts: SpfFacts) => LookupSaving[])[],
): LookupSaving[] {
  const [found = []] = ways.map((find) => find(facts)).filter((savings) => savings.length > 0)
  return found.slice(0, facts.tree.lookups - LOOKUP_LIMIT)
}

/** An include that another include contains. */
function redundantIncludes({ tree }: SpfFacts): LookupSaving[] {
  const child = tree.children.find((one) =>
    tree.children.some(
      (other) => other !== one && flattenSpfTree(other).some(({ domain }) => domain === one.domain),
    ),
  )
  // One at a time: of two that include each other, one has to stay.
  return child?.term ? [{ term: child.term.text, replacement: [] }] : []
}

/** An `mx` of servers that only receive, at a mailbox provider that the record includes. */
function redundantMx(facts: SpfFacts): LookupSaving[] {
  const { domain, answers, nodes } = facts
  const services = new Set(nodes.flatMap(({ service }) => service?.id ?? []))
  const mx = ownDirectives(facts).find(({ kind, target }) => kind === 'mx' && target === null)
  const answer = mx && answers.answer(domain, 'MX')
  const hosts = answer?.kind === 'records' ? answer.records.map(({ exchange }) => exchange) : []
  const areNamed = hosts.every((host) => {
    const provider = findProviderByMx(host)
    return provider !== null && onlyReceives(provider) && services.has(provider.id)
  })
  return mx && hosts.length > 0 && areNamed
    ? [{ term: mx.text, replacement: [], onlyReceives: true }]
    : []
}

/** The owner controls the addresses of the domain's own hosts, so they can be listed. */
function expandHosts(facts: SpfFacts): LookupSaving[] {
  return ownDirectives(facts).flatMap((term) => {
    const addresses = ownHosts(term, facts).flatMap((host) => addressTerms(host, facts))
    const isShort = addresses.length > 0 && addresses.length <= MAX_EXPANDED_ADDRESSES
    return isShort ? [{ term: term.text, replacement: addresses }] : []
  })
}

/** Empty unless the term names only hosts of the domain's own. */
function ownHosts(term: Directive, facts: SpfFacts): readonly string[] {
  const { domain, answers } = facts
  const name = term.target?.text.toLowerCase() ?? domain
  const isWhole = term.qualifier === '+' && term.ipv4Prefix === 32 && term.ipv6Prefix === 128
  if (!isWhole || name.includes('%') || (term.kind !== 'a' && term.kind !== 'mx')) return []
  const hosts = term.kind === 'a' ? [name] : evaluatedMxHosts(answers, name)
  // A host without an address allows no server.
  const resolvable = hosts.filter((host) => addressTerms(host, facts).length > 0)
  const own = registrableDomain(domain)
  return resolvable.every((host) => registrableDomain(host) === own) ? resolvable : []
}

function addressTerms(host: string, { answers }: SpfFacts): string[] {
  const ipv4 = answers.answer(host, 'A')
  const ipv6 = answers.answer(host, 'AAAA')
  return [
    ...(ipv4?.kind === 'records' ? ipv4.records.map((address) => `ip4:${address}`) : []),
    ...(ipv6?.kind === 'records' ? ipv6.records.map((address) => `ip6:${address}`) : []),
  ]
}

/** An include of the domain's own record can be replaced with its terms. */
function inlineOwnRecords({ tree }: SpfFacts): LookupSaving[] {
  return tree.children
    .filter(({ isOwn }) => isOwn)
    .flatMap((child) => {
      const replacement = inlineTerms(child)
      return child.term && replacement ? [{ term: child.term.text, replacement }] : []
    })
}

function ownDirectives({ tree }: SpfFacts): Directive[] {
  return tree.records.flatMap(({ terms }) => terms.filter(isDirective))
}

/** The terms that an include matches; null if they cannot be copied as they are. */
export function inlineTerms({ domain, records, term }: SpfNode): string[] | null {
  const isPass = term?.kind === 'include' && term.qualifier === '+'
  // RFC 7208 §5.2: an include matches only if the included record passes.
  const passing = records
    .flatMap(activeTerms)
    .filter(isDirective)
    .filter(({ kind, qualifier }) => kind !== 'all' && qualifier === '+')
  const hasNoMacro = passing.every(({ text }) => !text.includes('%'))
  if (!isPass || records.length === 0 || !hasNoMacro) return null
  return passing.map(({ kind, target, text }) =>
    target === null && (kind === 'a' || kind === 'mx')
      ? text.replace(/^\+?(a|mx)/i, `$1:${domain}`)
      : text,
  )
}
