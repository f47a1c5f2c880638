/** Findings about the senders that a record authorizes. */
import { createFinding, type Finding, proposeTxtRecord } from '../finding.js'
import { formatList } from '../format-list.js'
import { addressLabels, parseIpAddress, rangeAround } from '../ip-address.js'
import { isPrivateAddress } from '../private-address.js'
import { toDisplayText } from '../txt-records.js'
import { declaresNoSenders } from './default-result.js'
import type { SpfFacts } from './discover-spf.js'
import type { MailboxAuthorization } from './mailbox-authorization.js'
import { matchesNothing } from './matching-addresses.js'
import { LOOKUP_LIMIT } from './spf-limits.js'
import { findMissingSpaces } from './spf-near-miss.js'
import {
  activeTerms,
  type Directive,
  invalidTerms,
  isDirective,
  isWellFormedSpf,
  termsOf,
} from './spf-record.js'
import { fixOrRequest, type SpfRule, spfNodeEvidence } from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

const WIDE_RANGE_IPV4 = 16
const WIDE_RANGE_IPV6 = 32

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

/** The terms, and the domains whose records hold them. */
function describeGrants(grants: readonly Grant[]) {
  return {
    terms: formatList(grants.map(({ term }) => term.text)),
    places: formatList(grants.map(({ node }) => node.domain)),
    holders: grants.map(({ node }) => node),
  }
}

const allowsEveryone: SpfRule = ({ domain, authorization: { openTerms }, nodes }) => {
  if (openTerms.length === 0) return null
  const terms = formatList(openTerms.map(({ term }) => term.text))
  const places = formatList(openTerms.map((open) => open.domain))
  const holders = nodes.filter((node) => openTerms.some((open) => open.domain === node.domain))
  const replacement = openTerms.some(({ term }) => term.kind === 'all')
    ? 'name the servers that really send, and write "~all"'
    : 'write the addresses that really send'
  return createFinding(
    'spf.allows-everyone',
    {
      title: `Anyone can send as ${domain}: ${terms}`,
      detail:
        'Every server in the world passes SPF for this domain, and with it DMARC, so forged mail looks genuine.',
      fix: withRelaxedDmarc(
        holders.every(({ isOwn }) => isOwn)
          ? `In the record of ${places}, ${replacement} instead of ${terms}.`
          : `Remove the term that leads to ${places}, or ask its operator to replace ${terms} with a narrower range.`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

/** A forgotten service that does not sign passes an enforced policy only through the open term. */
function withRelaxedDmarc(change: string): string {
  return `If your DMARC policy is quarantine or reject, set it to p=none first and keep rua, because a service that you forget here may lose its only pass. ${change} Restore the policy when the reports show that all your services pass.`
}

/** A record that declares that the domain sends no mail is judged with the other checks. */
const namesNobody: SpfRule = (facts) => {
  const { domain, tree, authorization, graph } = facts
  const isRead = tree.state === 'record' && !authorization.hasPermanentError
  if (!isRead || authorization.authorizesSenders || declaresNoSenders(graph)) return null
  return createNamesNobody(domain, facts.mailboxes, spfNodeEvidence([tree]))
}

/** Also for a domain whose record declares no senders, but which sends. */
export function createNamesNobody(
  domain: string,
  mailboxes: Pick<MailboxAuthorization, 'provider' | 'term'> | null,
  evidence: Finding['evidence'],
  otherwise = 'If the domain sends no mail, publish exactly "v=spf1 -all".',
): Finding {
  return createFinding(
    'spf.names-nobody',
    {
      title: `No server may send as ${domain}`,
      detail:
        'No term of the SPF record lets any server pass, so no mail of the domain passes SPF. A host without an address matches nothing, and a term with "?" or "~" never gives a pass.',
      fix: mailboxes
        ? `Add "${mailboxes.term}" (${mailboxes.provider.name}) to the SPF record of ${domain}, and the terms of your other senders. ${otherwise}`
        : `Add the terms of the services that send as ${domain} to its SPF record. ${otherwise}`,
    },
    evidence,
  )
}

const mailboxProviderMissing: SpfRule = (facts) => {
  const { domain, tree, authorization, mailboxes } = facts
  const isRead = tree.state === 'record' && !authorization.hasPermanentError
  if (!isRead || mailboxes?.isAuthorized !== false || !authorization.authorizesSenders) return null
  const { provider, exchange, term } = mailboxes
  const record = withTerm(facts, term)
  return createFinding(
    'spf.mailbox-provider-missing',
    {
      title: `SPF does not authorize ${provider.name}`,
      detail: `Mail to ${domain} is delivered to ${provider.name}, so the domain most likely sends from there too. The SPF record does not authorize these servers, so that mail does not pass SPF.`,
      fix: record
        ? `Publish the SPF record with ${term}: "${record}". If no one sends through ${provider.name}, no change is needed.`
        : `Add ${term} to the SPF record of ${domain}, before "all". If no one sends through ${provider.name}, no change is needed.`,
      ...(record && proposeTxtRecord(domain, record)),
    },
    [{ name: domain, type: 'MX', value: exchange }, ...spfNodeEvidence([tree])],
  )
}

/** Room for the lookups of any known provider, so the result is not at the limit itself. */
const LOOKUPS_LEFT = 5
const MAX_PROPOSED_OCTETS = 400

/** The record with one more term in front; null where that may exceed a limit. */
function withTerm({ tree, authorization }: SpfFacts, term: string): string | null {
  const [record] = tree.records
  if (!record || authorization.openTerms.length > 0) return null
  const text = `v=spf1 ${term}${record.text.slice('v=spf1'.length)}`
  const isShort = text.length <= MAX_PROPOSED_OCTETS && tree.lookups <= LOOKUP_LIMIT - LOOKUPS_LEFT
  return isShort && isWellFormedSpf(text) ? text.trimEnd() : null
}

/** A permanent error comes first: too many void lookups name the same terms. */
const termMatchesNothing: SpfRule = ({ domain, graph, nodes, authorization }) => {
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
  const { terms, places, holders } = describeGrants(unmatched)
  return createFinding(
    'spf.term-matches-nothing',
    {
      title: `Matches no sender: ${terms}`,
      detail:
        'The name has no address (for mx: no mail server with an address), so the term has no effect. The name may be misspelled.',
      fix: `Correct ${terms} in the record of ${places} if it should name a server that sends as ${domain}. Otherwise remove it.`,
    },
    spfNodeEvidence(holders),
  )
}

const neutralAll: SpfRule = ({ domain, defaultResult, nodes }) => {
  if (defaultResult.kind !== 'all' || defaultResult.term.qualifier !== '?') return null
  const holders = nodes.filter(
    (node) => node.domain === defaultResult.domain && isFirstOccurrence(node),
  )
  const { text = '' } = holders[0]?.records[0] ?? {}
  const { position, text: all } = defaultResult.term
  const corrected = `${text.slice(0, position)}~all${text.slice(position + all.length)}`
  return createFinding(
    'spf.neutral-all',
    {
      title: 'The SPF record ends in "?all"',
      detail:
        'It gives no result for senders that it does not name, so forged mail is not treated as suspicious.',
      ...endInSoftFail(domain, defaultResult.domain, corrected),
    },
    spfNodeEvidence(holders),
  )
}

const noAll: SpfRule = ({ domain, defaultResult, nodes, spfRecords }) => {
  if (defaultResult.kind !== 'none') return null
  const holders = nodes.filter(
    (node) => node.domain === defaultResult.domain && isFirstOccurrence(node),
  )
  // A misspelled "all", or one joined to another term, has its own finding.
  const isMisspelled = holders
    .flatMap(({ records }) => records.flatMap(invalidTerms))
    .some(({ text }) => /(?:^|[^a-z\d.])all(?!\.?[a-z\d])/i.test(text))
  const isJoined = spfRecords
    .flatMap(findMissingSpaces)
    .some(({ text }) => /^[+?~-]?all$/i.test(text))
  const isUnread = holders.some(({ records }) => records.some(({ isCut }) => isCut))
  if (isMisspelled || isUnread || (isJoined && defaultResult.domain === domain)) return null
  const { text = '' } = holders[0]?.records[0] ?? {}
  return createFinding(
    'spf.no-all',
    {
      title: 'The SPF record has no "all"',
      detail:
        'Senders that no term matches get the result "neutral", as if there were no SPF record.',
      ...endInSoftFail(domain, defaultResult.domain, `${text.trimEnd()} ~all`),
    },
    spfNodeEvidence(holders),
  )
}

function endInSoftFail(
  domain: string,
  at: string,
  record: string,
): Pick<Finding, 'fix' | 'record'> {
  const isOwn = at === domain
  const elsewhere = isOwn ? '' : ` If it is not yours, publish a separate record for ${domain}.`
  return {
    fix: `End the record of ${at} in "~all": "${toDisplayText(record)}".${elsewhere}`,
    ...(isOwn && isWellFormedSpf(record) && proposeTxtRecord(domain, record)),
  }
}

const wideRange: SpfRule = (facts) => {
  // Private addresses have their own finding: no one can send from them over the internet.
  const wide = findGrants(facts).filter(({ term }) => isWide(term) && !isPrivateRange(term))
  if (wide.length === 0) return null
  const { terms, places, holders } = describeGrants(wide)
  return createFinding(
    'spf.wide-range',
    {
      title: `Too many addresses may send: ${terms}`,
      detail: `A range wider than /${WIDE_RANGE_IPV4} (IPv6: /${WIDE_RANGE_IPV6}) belongs to many people, and any of them can send as ${facts.domain}.`,
      fix: fixOrRequest(
        holders,
        `Replace ${terms} in the record of ${places} with the addresses that really send.`,
        `replace ${terms} with the addresses that really send`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

/** A range of /0 lets every sender pass, which is another finding. */
function isWide({ ipv4Prefix, ipv6Prefix }: Directive): boolean {
  return (
    (ipv4Prefix > 0 && ipv4Prefix < WIDE_RANGE_IPV4) ||
    (ipv6Prefix > 0 && ipv6Prefix < WIDE_RANGE_IPV6)
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

const privateAddress: SpfRule = (facts) => {
  const grants = findGrants(facts).filter(({ term }) => isPrivateRange(term))
  if (grants.length === 0) return null
  const { terms, places, holders } = describeGrants(grants)
  return createFinding(
    'spf.private-address',
    {
      title: `Private addresses that no receiver ever sees: ${terms}`,
      detail:
        'Private, loopback and link-local addresses do not appear on the internet. The term has no effect, and the public address of the server may be missing.',
      fix: fixOrRequest(
        holders,
        `Replace ${terms} in the record of ${places} with the public address that the server sends from.`,
        `replace ${terms} with the public address that the server sends from`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

const ptr: SpfRule = ({ nodes }) => {
  const using = nodes.filter(
    (node) =>
      !node.isWithinService &&
      isFirstOccurrence(node) &&
      termsOf(node.records).some(({ kind }) => kind === 'ptr'),
  )
  if (using.length === 0) return null
  const names = formatList(using.map(({ domain }) => domain))
  return createFinding(
    'spf.ptr',
    {
      title: `The SPF record of ${names} uses "ptr"`,
      detail:
        'It makes receivers look up the name of every sender. Large receivers skip it, and it fails where reverse DNS is slow or missing.',
      fix: fixOrRequest(
        using,
        `Replace "ptr" in the record of ${names} with the addresses or hosts that send.`,
        'replace "ptr" with the addresses or hosts that send',
      ),
    },
    spfNodeEvidence(using),
  )
}

export const AUTHORIZATION_RULES: readonly SpfRule[] = [
  allowsEveryone,
  namesNobody,
  mailboxProviderMissing,
  termMatchesNothing,
  neutralAll,
  noAll,
  wideRange,
  privateAddress,
  ptr,
]
