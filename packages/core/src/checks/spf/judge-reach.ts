/** What is wrong with whom a record lets send. */
import { isIPv4 } from 'node:net'
import { exactTxt, type Finding, finding } from '../finding.js'
import { listed } from '../listed.js'
import { isPrivateAddress } from '../private-address.js'
import { shown } from '../txt.js'
import { lostSpaces } from './near-miss.js'
import { isWellFormed } from './parse-spf.js'
import type { SpfFacts } from './spf-facts.js'
import { endsOf } from './spf-reach.js'
import { activeTerms, brokenTerms, type Directive, isDirective } from './spf-record.js'
import { evidenceOf, type SpfRule, toMend } from './spf-rule.js'
import { isShown, type SpfNode } from './spf-tree.js'

const WIDEST_IPV4 = 16
const WIDEST_IPV6 = 32

interface Grant {
  readonly node: SpfNode
  readonly term: Directive
}

/** What lets somebody pass, but for known services: those know what they publish. */
function doubtfulGrants({ nodes }: SpfFacts): Grant[] {
  return nodes
    .filter((node) => !node.isWithinService && isShown(node))
    .flatMap((node) => node.records.flatMap(activeTerms).map((term) => ({ node, term })))
    .filter((one): one is Grant => isDirective(one.term) && one.term.qualifier === '+')
}

/** `ip4:…`, and whose record holds it. */
function wordsFor(grants: readonly Grant[]) {
  return {
    terms: listed(grants.map(({ term }) => term.text)),
    places: listed(grants.map(({ node }) => node.domain)),
    holders: grants.map(({ node }) => node),
  }
}

const allowsEveryone: SpfRule = ({ domain, reach: { openTo }, nodes }) => {
  if (openTo.length === 0) return null
  const terms = listed(openTo.map(({ term }) => term.text))
  const places = listed(openTo.map((open) => open.domain))
  const holders = nodes.filter((node) => openTo.some((open) => open.domain === node.domain))
  const better = openTo.some(({ term }) => term.kind === 'all')
    ? 'name the servers that really send, and write "~all"'
    : 'write the addresses that really send'
  return finding(
    'spf.allows-everyone',
    {
      title: `Anybody may send as ${domain}: ${terms}`,
      detail:
        'Every server in the world passes SPF for this domain, and with it DMARC: forged mail looks genuine.',
      fix: holders.every(({ isOwn }) => isOwn)
        ? `In the record of ${places} ${better} in place of ${terms}.`
        : `Remove what leads to ${places}, or ask whoever runs it to let fewer send than ${terms} does.`,
    },
    evidenceOf(holders),
  )
}

const neutralAll: SpfRule = ({ domain, ending, nodes }) => {
  if (ending.kind !== 'all' || ending.term.qualifier !== '?') return null
  const at = nodes.filter((node) => node.domain === ending.domain && isShown(node))
  const { text = '' } = at[0]?.records[0] ?? {}
  const { position, text: all } = ending.term
  const better = `${text.slice(0, position)}~all${text.slice(position + all.length)}`
  return finding(
    'spf.neutral-all',
    {
      title: 'The SPF record ends in "?all"',
      detail:
        'It declares that senders it does not name are neither right nor wrong, so forged mail is not held against anybody.',
      ...betterEnding(domain, ending.domain, better),
    },
    evidenceOf(at),
  )
}

const noAll: SpfRule = ({ domain, ending, nodes, published }) => {
  if (ending.kind !== 'none') return null
  const at = nodes.filter((node) => node.domain === ending.domain && isShown(node))
  // An "all" that is spelt wrongly or has run into another term is a fault of its own.
  const isMeant = at
    .flatMap(({ records }) => records.flatMap(brokenTerms))
    .some(({ text }) => /(?:^|[^a-z\d.])all(?!\.?[a-z\d])/i.test(text))
  const isLost = published.flatMap(lostSpaces).some(({ text }) => /^[+?~-]?all$/i.test(text))
  if (isMeant || (isLost && ending.domain === domain)) return null
  const { text = '' } = at[0]?.records[0] ?? {}
  return finding(
    'spf.no-all',
    {
      title: 'The SPF record has no "all"',
      detail:
        'Senders that nothing matches get the result "neutral", as if the record said nothing about them.',
      ...betterEnding(domain, ending.domain, `${text.trimEnd()} ~all`),
    },
    evidenceOf(at),
  )
}

function betterEnding(domain: string, at: string, record: string): Pick<Finding, 'fix' | 'record'> {
  const isOwn = at === domain
  const elsewhere = isOwn ? '' : ` If it is not yours, give ${domain} a record of its own.`
  return {
    fix: `End the record of ${at} in "~all": "${shown(record)}".${elsewhere}`,
    ...(isOwn && isWellFormed(record) && exactTxt(domain, record)),
  }
}

const wideRange: SpfRule = (facts) => {
  const wide = doubtfulGrants(facts).filter(({ term }) => isWide(term))
  if (wide.length === 0) return null
  const { terms, places, holders } = wordsFor(wide)
  return finding(
    'spf.wide-range',
    {
      title: `Very many addresses may send: ${terms}`,
      detail: `A range wider than /${WIDEST_IPV4} (IPv6: /${WIDEST_IPV6}) belongs to more people than you know; any of them can send as ${facts.domain}.`,
      fix: toMend(
        holders,
        `Replace ${terms} in the record of ${places} by the addresses that really send.`,
        `replace ${terms} by the addresses that really send`,
      ),
    },
    evidenceOf(holders),
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
  const { first, last } = endsOf(address, ipv4Prefix)
  return ipv4Prefix >= 4 && isPrivateAddress(first) && isPrivateAddress(last)
}

const privateAddress: SpfRule = (facts) => {
  const unseen = doubtfulGrants(facts).filter(({ term }) => isUnseen(term))
  if (unseen.length === 0) return null
  const { terms, places, holders } = wordsFor(unseen)
  return finding(
    'spf.private-address',
    {
      title: `Addresses that no receiver ever sees: ${terms}`,
      detail:
        'Private, loopback and link-local addresses do not appear on the internet. The term is useless, and the real address of the server may be missing.',
      fix: toMend(
        holders,
        `Replace ${terms} in the record of ${places} by the public address that the server sends from.`,
        `replace ${terms} by the public address that the server sends from`,
      ),
    },
    evidenceOf(holders),
  )
}

const ptr: SpfRule = ({ nodes }) => {
  const using = nodes.filter(
    (node) =>
      !node.isWithinService &&
      isShown(node) &&
      node.records.flatMap(activeTerms).some(({ kind }) => kind === 'ptr'),
  )
  if (using.length === 0) return null
  const names = listed(using.map(({ domain }) => domain))
  return finding(
    'spf.ptr',
    {
      title: `The SPF record of ${names} uses "ptr"`,
      detail:
        'It makes receivers look up the name of every sender; large ones skip it, and it fails where reverse DNS is slow or missing.',
      fix: toMend(
        using,
        `Replace "ptr" in the record of ${names} by the addresses or hosts that send.`,
        'replace "ptr" by the addresses or hosts that send',
      ),
    },
    evidenceOf(using),
  )
}

export const REACH_RULES: readonly SpfRule[] = [
  allowsEveryone,
  neutralAll,
  noAll,
  wideRange,
  privateAddress,
  ptr,
]
