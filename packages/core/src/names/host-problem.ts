/**
 * Why a host is not a domain name. UTS #46 processing gives no reason, so the
 * reasons are tested one by one, the simplest first.
 */

import { isIPv4, isIPv6 } from 'node:net'
import { fitInMessage, formatCodePoint, quoteCharacter } from './quote-input.js'
import { splitDomainLabels, toALabels, toULabels } from './uts46.js'

/** RFC 1035 §3.1 allows 255 octets on the wire: two more than the text has. */
export const MAX_DOMAIN_LENGTH = 253
/** RFC 1035 §2.3.4. */
export const MAX_LABEL_LENGTH = 63

interface Name {
  /** As entered. */
  readonly host: string
  /** As an error message may quote it. */
  readonly shown: string
  /** Mapped and decoded, without the trailing dot. */
  readonly labels: readonly string[]
}

/** UTS #46 removes most of these silently; the joiners have their own rules. */
const INVISIBLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u

/** One part of an IPv4 address as `inet_aton` and browsers read it, `0x7f` and `127` alike. */
const IPV4_PART = /^(?:0x[\da-f]*|\d+)$/

/** A sentence; null when the host is a domain name. */
export function findHostProblem(host: string, shown: string): string | null {
  const name = { host, shown, labels: splitDomainLabels(toULabels(host)) }
  const problem = problemAsGiven(name) ?? problemInAscii(splitDomainLabels(toALabels(host) ?? ''))
  return problem && `${shown} ${problem}`
}

function problemAsGiven(name: Name): string | null {
  return (
    invisibleProblem(name) ??
    aLabelProblem(name) ??
    addressProblem(name) ??
    emptyLabelProblem(name) ??
    underscoreProblem(name) ??
    characterProblem(name) ??
    hyphenProblem(name)
  )
}

function invisibleProblem({ host }: Name): string | null {
  const invisible = INVISIBLE.exec(host)?.[0]
  return invisible
    ? `has an invisible character, ${formatCodePoint(invisible)}; type the name instead of pasting it.`
    : null
}

function addressProblem({ host, labels }: Name): string | null {
  // RFC 5321 §4.1.3 and RFC 3986 §3.2.2 put addresses in brackets.
  const literal = /^\[(?:ipv6:)?([^\]]*)\]/i.exec(host)?.[1] ?? host
  const isIpv4 = labels.length <= 4 && labels.every((label) => IPV4_PART.test(label))
  return isIpv4 || isIpAddress(literal) ? 'is an IP address; enter a domain name instead.' : null
}

function emptyLabelProblem({ labels }: Name): string | null {
  return labels.includes('') ? 'has an extra dot; remove it.' : null
}

/** RFC 5890 §2.3.2.1: an A-label must equal the conversion of its U-label. */
function aLabelProblem({ host }: Name): string | null {
  const isBroken = (label: string) => {
    const given = label.normalize('NFKC').toLowerCase()
    return given.startsWith('xn--') && toALabels(label, { checkBidi: false }) !== given
  }
  return splitDomainLabels(host).some(isBroken)
    ? 'has a part that starts with xn-- but doesn’t encode a valid name; check it, or enter the name as it’s normally written.'
    : null
}

/** RFC 8552: names with underscores are for records about a domain. */
function underscoreProblem({ host, shown, labels }: Name): string | null {
  const last = labels.findLastIndex((label) => label.includes('_'))
  if (last < 0) return null
  const domain = splitDomainLabels(host)
    .slice(last + 1)
    .join('.')
  const isRecord = labels.some((label) => label.startsWith('_'))
  if (!isRecord || findHostProblem(domain, domain)) {
    return 'has an underscore, which mail domains can’t have; check the spelling.'
  }
  const mayRepeat = shown === host && fitInMessage(host, domain)
  const example = mayRepeat ? `such as ${domain}` : 'without the parts before it'
  return `is the name of a record; enter the domain itself, ${example}.`
}

function characterProblem({ host }: Name): string | null {
  if (toALabels(host) !== null) return null
  const anyContext = { checkBidi: false, checkJoiners: false }
  const invalid = [...host].find((character) => toALabels(`a${character}`, anyContext) === null)
  if (invalid) {
    return `contains ${quoteCharacter(invalid)}, which domain names can’t have; use letters, digits, hyphens, and dots.`
  }
  if (toALabels(host, anyContext) === null) {
    return 'has a part that starts with an accent or other combining mark; put a letter before it.'
  }
  return toALabels(host, { checkBidi: false }) === null
    ? 'has an invisible joiner that isn’t allowed there; type the name instead of pasting it.'
    : 'mixes right-to-left and other characters, which isn’t allowed (RFC 5893); check the spelling.'
}

function hyphenProblem({ labels }: Name): string | null {
  return labels.some((label) => label.startsWith('-') || label.endsWith('-'))
    ? 'has a hyphen at the start or end of a part; remove it.'
    : null
}

function problemInAscii(labels: readonly string[]): string | null {
  const topLevel = labels.at(-1) ?? ''
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    return `has a part longer than ${MAX_LABEL_LENGTH} bytes, which is the DNS limit; check the spelling.`
  }
  if (labels.join('.').length > MAX_DOMAIN_LENGTH) {
    return `is longer than ${MAX_DOMAIN_LENGTH} bytes, which is the DNS limit; check the spelling.`
  }
  if (labels.length === 1) return 'has no dot; enter the full domain name, such as example.com.'
  // RFC 1123 §2.1, RFC 3696 §2: this distinguishes a name from an address.
  return /^(?:[a-z]+|xn--.+)$/.test(topLevel)
    ? null
    : 'doesn’t end in a top-level domain, which has only letters; check the last part.'
}

/** V8 takes 8 ms to prepare Node's pattern for IPv6, so only a text with a colon is compared with it. */
export function isIpAddress(text: string): boolean {
  return text.includes(':') ? isIPv6(text) : isIPv4(text)
}
