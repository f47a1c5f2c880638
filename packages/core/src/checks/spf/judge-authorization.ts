/** Findings about the senders that a record authorizes. */
import { formatFullList } from '../format-list.js'
import { addressLabels, isPrivateAddress, parseIpAddress, rangeAround } from '../ip-address.js'
import { type Found, found, type Rule } from '../rule.js'
import { toDisplayText } from '../txt-records.js'
import { declaresNoSenders } from './default-result.js'
import type { SpfFacts } from './discover-spf.js'
import { usesMacro } from './domain-spec.js'
import { findGrants as findPassingTerms } from './spf-authorization.js'
import { LOOKUP_LIMIT, LOOKUPS_LEFT, MAX_PROPOSED_OCTETS, NARROW_PREFIX } from './spf-limits.js'
import { findMissingSpaces } from './spf-near-miss.js'
import {
  activeTerms,
  type Directive,
  invalidTerms,
  isDirective,
  isWellFormedSpf,
  termsOf,
} from './spf-record.js'
import { domainsOf, inRecordsOf, proposeAtDomain, spfNodeEvidence } from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'
import { matchesNothing } from './term-lookups.js'

export const AUTHORIZATION_RULES: readonly Rule<SpfFacts>[] = [
  ({ domain, authorization: { openTerms }, nodes }) => {
    if (openTerms.length === 0) return null
    const places = openTerms.map((open) => open.domain)
    const holders = nodes.filter((node) => places.includes(node.domain))
    return found(
      inRecordsOf(holders, 'spf.allows-everyone'),
      { domain, terms: openTerms.map(({ term }) => term.text), places },
      { evidence: spfNodeEvidence(holders) },
    )
  },

  (facts) => {
    const { graph, authorization } = facts
    const passing = new Set(findPassingTerms(graph).map(({ term }) => term))
    // A wildcard that makes it match every sender is another finding.
    const isOpen = (term: Directive) => authorization.openTerms.some((open) => open.term === term)
    const open = findGrants(facts).filter(
      ({ term }) => dependsOnSenderAlone(term) && passing.has(term) && !isOpen(term),
    )
    if (open.length === 0) return null
    const { holders, ...values } = describeGrants(open)
    const evidence = spfNodeEvidence(holders)
    return found(inRecordsOf(holders, 'spf.open-local-part'), values, { evidence })
  },

  // A record that declares that the domain sends no mail is judged with the other checks.
  ({ domain, tree, authorization, graph, mailboxes }) => {
    const isRead = tree.state === 'record' && !authorization.hasPermanentError
    if (!isRead || authorization.authorizesSenders || declaresNoSenders(graph)) return null
    const proof = { evidence: spfNodeEvidence([tree]) }
    if (mailboxes.length === 0) return found('spf.names-nobody', { domain }, proof)
    return found('spf.names-nobody (provider)', { domain, ...nameMailboxes(mailboxes) }, proof)
  },

  mailboxProviderMissing,

  ({ domain, graph, nodes, authorization }) => {
    // A permanent error comes first: too many void lookups name the same terms.
    if (authorization.hasPermanentError) return null
    const own = nodes.filter((node) => node.isOwn && isFirstOccurrence(node))
    const unmatched = own.flatMap((node) =>
      node.records
        .flatMap(activeTerms)
        .filter((term): term is Directive => isDirective(term) && term.kind !== 'include')
        .filter((term) => matchesNothing(graph, term))
        .map((term) => ({ node, term })),
    )
    if (unmatched.length === 0) return null
    const { holders, ...values } = describeGrants(unmatched)
    const evidence = spfNodeEvidence(holders)
    return found('spf.term-matches-nothing', { domain, ...values }, { evidence })
  },

  (facts) => {
    const { defaultResult: result } = facts
    if (result.kind !== 'all' || result.term.qualifier !== '?') return null
    const { text = '' } = findHolders(facts, result.domain)[0]?.records[0] ?? {}
    const { position, text: all } = result.term
    const corrected = `${text.slice(0, position)}~all${text.slice(position + all.length)}`
    return endInSoftFail('spf.neutral-all', facts, result.domain, corrected)
  },

  (facts) => {
    const { domain, defaultResult: result, spfRecords } = facts
    if (result.kind !== 'none') return null
    const holders = findHolders(facts, result.domain)
    // A misspelled "all", or one joined to another term, has its own finding.
    const isMisspelled = holders
      .flatMap(({ records }) => records.flatMap(invalidTerms))
      .some(({ text }) => /(?:^|[^a-z\d.])all(?!\.?[a-z\d])/i.test(text))
    const isJoined = spfRecords
      .flatMap(findMissingSpaces)
      .some(({ text }) => /^[+?~-]?all$/i.test(text))
    const isUnread = holders.some(({ records }) => records.some(({ isCut }) => isCut))
    if (isMisspelled || isUnread || (isJoined && result.domain === domain)) return null
    const { text = '' } = holders[0]?.records[0] ?? {}
    return endInSoftFail('spf.no-all', facts, result.domain, `${text.trimEnd()} ~all`)
  },

  (facts) => {
    // Private addresses have their own finding: no one can send from them over the internet.
    const wide = findGrants(facts).filter(({ term }) => isWide(term) && !isPrivateRange(term))
    if (wide.length === 0) return null
    const { holders, ...values } = describeGrants(wide)
    return found(
      inRecordsOf(holders, 'spf.wide-range'),
      { domain: facts.domain, ...values },
      { evidence: spfNodeEvidence(holders) },
    )
  },

  (facts) => {
    const grants = findGrants(facts).filter(({ term }) => isPrivateRange(term))
    if (grants.length === 0) return null
    const { holders, ...values } = describeGrants(grants)
    const evidence = spfNodeEvidence(holders)
    return found(inRecordsOf(holders, 'spf.private-address'), values, { evidence })
  },

  ({ nodes }) => {
    const using = nodes.filter(
      (node) =>
        !node.isWithinService &&
        isFirstOccurrence(node) &&
        termsOf(node.records).some(({ kind }) => kind === 'ptr'),
    )
    if (using.length === 0) return null
    const evidence = spfNodeEvidence(using)
    return found(inRecordsOf(using, 'spf.ptr'), { places: domainsOf(using) }, { evidence })
  },
]

interface Grant {
  readonly node: SpfNode
  readonly term: Directive
}

/** Terms that authorize senders, except those of known services. */
function findGrants({ nodes }: SpfFacts): Grant[] {
  return nodes
    .filter((node) => !node.isWithinService && isFirstOccurrence(node))
    .flatMap((node) =>
      termsOf(node.records)
        .filter((term): term is Directive => isDirective(term) && term.qualifier === '+')
        .map((term) => ({ node, term })),
    )
}

/** RFC 7208 §7.2: the sender chooses the address and the HELO name, but not the address of the server. */
function dependsOnSenderAlone({ kind, target }: Directive): boolean {
  const uses = (letters: readonly string[]) =>
    target !== null && letters.some((letter) => usesMacro(target, letter))
  return kind === 'exists' && uses(['l', 's', 'h']) && !uses(['i', 'p'])
}

/** The terms, and the domains whose records hold them. */
function describeGrants(grants: readonly Grant[]) {
  const holders = grants.map(({ node }) => node)
  return { terms: grants.map(({ term }) => term.text), places: domainsOf(holders), holders }
}

function mailboxProviderMissing(facts: SpfFacts): Found | null {
  const { domain, tree, authorization, mailboxes, cnames } = facts
  const isRead = tree.state === 'record' && !authorization.hasPermanentError
  const missing = mailboxes.filter(({ isAuthorized }) => isAuthorized === false)
  if (!isRead || missing.length === 0 || !authorization.authorizesSenders) return null
  const values = { domain, ...nameMailboxes(missing), alias: cnames.slice(-1) }
  const servers = missing.map(({ exchange }) => ({ name: domain, type: 'MX', value: exchange }))
  const evidence = [...servers, ...spfNodeEvidence([tree])]
  const text = withTerms(facts, missing.length, values.term)
  if (text === null) return found('spf.mailbox-provider-missing', values, { evidence })
  return found(
    `spf.mailbox-provider-missing (${cnames.length > 0 ? 'alias' : 'record'})`,
    { ...values, record: toDisplayText(text) },
    { evidence, ...proposeAtDomain(facts, text) },
  )
}

function nameMailboxes(mailboxes: SpfFacts['mailboxes']) {
  return {
    provider: formatFullList(mailboxes.map(({ provider }) => provider.name)),
    term: mailboxes.flatMap(({ terms }) => terms).join(' '),
  }
}

/** The record with more terms in front; null where that may exceed a limit. */
function withTerms(
  { tree, authorization }: SpfFacts,
  providers: number,
  terms: string,
): string | null {
  const [record] = tree.records
  if (!record || authorization.openTerms.length > 0) return null
  const text = `v=spf1 ${terms}${record.text.slice('v=spf1'.length)}`
  const room = LOOKUP_LIMIT - providers * LOOKUPS_LEFT
  const isShort = text.length <= MAX_PROPOSED_OCTETS && tree.lookups <= room
  return isShort && isWellFormedSpf(text) ? text.trimEnd() : null
}

function findHolders({ nodes }: SpfFacts, domain: string): SpfNode[] {
  return nodes.filter((node) => node.domain === domain && isFirstOccurrence(node))
}

function endInSoftFail(
  id: 'spf.neutral-all' | 'spf.no-all',
  facts: SpfFacts,
  at: string,
  text: string,
): Found {
  const { domain, cnames } = facts
  const values = { domain, place: [at], record: toDisplayText(text), alias: cnames.slice(-1) }
  const evidence = spfNodeEvidence(findHolders(facts, at))
  if (at !== domain) return found(`${id} (elsewhere)`, values, { evidence })
  // The text still has the terms that break the record.
  if (!isWellFormedSpf(text)) return found(`${id} (faulty)`, values, { evidence })
  const proof = { evidence, ...proposeAtDomain(facts, text) }
  return found(cnames.length > 0 ? `${id} (alias)` : id, values, proof)
}

/** A range of /0 lets every sender pass, which is another finding. */
function isWide({ ipv4Prefix, ipv6Prefix }: Directive): boolean {
  return (
    (ipv4Prefix > 0 && ipv4Prefix < NARROW_PREFIX.ipv4) ||
    (ipv6Prefix > 0 && ipv6Prefix < NARROW_PREFIX.ipv6)
  )
}

/**
 * Whether a range lies within private ranges. No range as narrow as the widest of them, 240.0.0.0/4
 * and fc00::/7, has its ends in two of them and other addresses in between.
 */
function isPrivateRange({ address, ipv4Prefix, ipv6Prefix }: Directive): boolean {
  if (!address || !isPrivateAddress(address)) return false
  const parsed = parseIpAddress(address)
  if (parsed?.family !== 'ipv4') return ipv6Prefix >= 7
  const { first, last } = rangeAround(parsed, ipv4Prefix)
  return ipv4Prefix >= 4 && [first, last].every((value) => isPrivateAddress(dotted(value)))
}

function dotted(value: bigint): string {
  return addressLabels({ family: 'ipv4', value }).join('.')
}
