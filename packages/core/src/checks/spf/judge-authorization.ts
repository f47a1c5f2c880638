/** What is wrong with whom a record lets send. */
import { isIPv4 } from 'node:net'
import { createFinding, type Finding, proposeTxtRecord } from '../finding.js'
import { formatList } from '../format-list.js'
import { isPrivateAddress } from '../private-address.js'
import { toDisplayText } from '../txt-records.js'
import type { SpfFacts } from './discover-spf.js'
import { isWellFormedSpf } from './parse-spf.js'
import { ipv4RangeEnds } from './spf-authorization.js'
import { findMissingSpaces } from './spf-near-miss.js'
import { activeTerms, type Directive, invalidTerms, isDirective } from './spf-record.js'
import { fixOrRequest, type SpfRule, spfNodeEvidence } from './spf-rule.js'
import { isFirstOccurrence, type SpfNode } from './spf-tree.js'

const WIDEST_IPV4 = 16
const WIDEST_IPV6 = 32

interface Grant {
  readonly node: SpfNode
  readonly term: Directive
}

/** What lets somebody pass, but for known services: those know what they publish. */
function doubtfulGrants({ nodes }: SpfFacts): Grant[] {
  return nodes
    .filter((node) => !node.isWithinService && isFirstOccurrence(node))
    .flatMap((node) => node.records.flatMap(activeTerms).map((term) => ({ node, term })))
    .filter((one): one is Grant => isDirective(one.term) && one.term.qualifier === '+')
}

/** `ip4:…`, and whose record holds it. */
function wordsFor(grants: readonly Grant[]) {
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
  const better = openTerms.some(({ term }) => term.kind === 'all')
    ? 'name the servers that really send, and write "~all"'
    : 'write the addresses that really send'
  return createFinding(
    'spf.allows-everyone',
    {
      title: `Anybody may send as ${domain}: ${terms}`,
      detail:
        'Every server in the world passes SPF for this domain, and with it DMARC: forged mail looks genuine.',
      fix: holders.every(({ isOwn }) => isOwn)
        ? `In the record of ${places} ${better} in place of ${terms}.`
        : `Remove what leads to ${places}, or ask whoever runs it to let fewer send than ${terms} does.`,
    },
    spfNodeEvidence(holders),
  )
}

const neutralAll: SpfRule = ({ domain, defaultResult, nodes }) => {
  if (defaultResult.kind !== 'all' || defaultResult.term.qualifier !== '?') return null
  const at = nodes.filter((node) => node.domain === defaultResult.domain && isFirstOccurrence(node))
  const { text = '' } = at[0]?.records[0] ?? {}
  const { position, text: all } = defaultResult.term
  const better = `${text.slice(0, position)}~all${text.slice(position + all.length)}`
  return createFinding(
    'spf.neutral-all',
    {
      title: 'The SPF record ends in "?all"',
      detail:
        'It declares that senders it does not name are neither right nor wrong, so forged mail is not held against anybody.',
      ...betterEnding(domain, defaultResult.domain, better),
    },
    spfNodeEvidence(at),
  )
}

const noAll: SpfRule = ({ domain, defaultResult, nodes, spfRecords }) => {
  if (defaultResult.kind !== 'none') return null
  const at = nodes.filter((node) => node.domain === defaultResult.domain && isFirstOccurrence(node))
  // An "all" that is spelt wrongly or has run into another term is a fault of its own.
  const isMeant = at
    .flatMap(({ records }) => records.flatMap(invalidTerms))
    .some(({ text }) => /(?:^|[^a-z\d.])all(?!\.?[a-z\d])/i.test(text))
  const isLost = spfRecords
    .flatMap(findMissingSpaces)
    .some(({ text }) => /^[+?~-]?all$/i.test(text))
  if (isMeant || (isLost && defaultResult.domain === domain)) return null
  const { text = '' } = at[0]?.records[0] ?? {}
  return createFinding(
    'spf.no-all',
    {
      title: 'The SPF record has no "all"',
      detail:
        'Senders that nothing matches get the result "neutral", as if the record said nothing about them.',
      ...betterEnding(domain, defaultResult.domain, `${text.trimEnd()} ~all`),
    },
    spfNodeEvidence(at),
  )
}

function betterEnding(domain: string, at: string, record: string): Pick<Finding, 'fix' | 'record'> {
  const isOwn = at === domain
  const elsewhere = isOwn ? '' : ` If it is not yours, give ${domain} a record of its own.`
  return {
    fix: `End the record of ${at} in "~all": "${toDisplayText(record)}".${elsewhere}`,
    ...(isOwn && isWellFormedSpf(record) && proposeTxtRecord(domain, record)),
  }
}

const wideRange: SpfRule = (facts) => {
  const wide = doubtfulGrants(facts).filter(({ term }) => isWide(term))
  if (wide.length === 0) return null
  const { terms, places, holders } = wordsFor(wide)
  return createFinding(
    'spf.wide-range',
    {
      title: `Very many addresses may send: ${terms}`,
      detail: `A range wider than /${WIDEST_IPV4} (IPv6: /${WIDEST_IPV6}) belongs to more people than you know; any of them can send as ${facts.domain}.`,
      fix: fixOrRequest(
        holders,
        `Replace ${terms} in the record of ${places} by the addresses that really send.`,
        `replace ${terms} by the addresses that really send`,
      ),
    },
    spfNodeEvidence(holders),
  )
}

/** A range of /0 is everybody, which is another finding. */
function isWide({ ipv4Prefix, ipv6Prefix }: Directive): boolean {
  return (
    (ipv4Prefix > 0 && ipv4Prefix < WIDEST_IPV4) || (ipv6Prefix > 0 && ipv6Prefix < WIDEST_IPV6)
  )
}

/**
 * Whether a range lies within those that nobody sees. With the widest of them, 240.0.0.0/4 and
 * fc00::/7, and more, no range has both its ends in two of them and other addresses in between.
 */
function isUnseen({ address, ipv4Prefix, ipv6Prefix }: Directive): boolean {
  if (!address || !isPrivateAddress(address)) return false
  if (!isIPv4(address)) return ipv6Prefix >= 7
  const { first, last } = ipv4RangeEnds(address, ipv4Prefix)
  return ipv4Prefix >= 4 && isPrivateAddress(first) && isPrivateAddress(last)
}

const privateAddress: SpfRule = (facts) => {
  const unseen = doubtfulGrants(facts).filter(({ term }) => isUnseen(term))
  if (unseen.length === 0) return null
  const { terms, places, holders } = wordsFor(unseen)
  return createFinding(
    'spf.private-address',
    {
      title: `Addresses that no receiver ever sees: ${terms}`,
      detail:
        'Private, loopback and link-local addresses do not appear on the internet. The term is useless, and the real address of the server may be missing.',
      fix: fixOrRequest(
        holders,
        `Replace ${terms} in the record of ${places} by the public address that the server sends from.`,
        `replace ${terms} by the public address that the server sends from`,
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
      node.records.flatMap(activeTerms).some(({ kind }) => kind === 'ptr'),
  )
  if (using.length === 0) return null
  const names = formatList(using.map(({ domain }) => domain))
  return createFinding(
    'spf.ptr',
    {
      title: `The SPF record of ${names} uses "ptr"`,
      detail:
        'It makes receivers look up the name of every sender; large ones skip it, and it fails where reverse DNS is slow or missing.',
      fix: fixOrRequest(
        using,
        `Replace "ptr" in the record of ${names} by the addresses or hosts that send.`,
        'replace "ptr" by the addresses or hosts that send',
      ),
    },
    spfNodeEvidence(using),
  )
}

export const AUTHORIZATION_RULES: readonly SpfRule[] = [
  allowsEveryone,
  neutralAll,
  noAll,
  wideRange,
  privateAddress,
  ptr,
]
