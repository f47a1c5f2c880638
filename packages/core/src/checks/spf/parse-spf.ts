/** The text of an SPF record → its terms, each with its position and, if it is broken, why (RFC 7208 §12). */
import { isIPv4, isIPv6 } from 'node:net'
import { isMalformedSpec, parseDomainSpec, parseMacroString } from './domain-spec.js'
import {
  type Directive,
  invalidTerms,
  MECHANISMS,
  type Modifier,
  type Qualifier,
  type SpfRecord,
  selectActiveTerms,
  type Term,
} from './spf-record.js'

type Reading = Pick<Directive, 'target' | 'address' | 'ipv4Prefix' | 'ipv6Prefix'>
type Problem = { readonly problem: string }

const WHOLE: Reading = { target: null, address: null, ipv4Prefix: 32, ipv6Prefix: 128 }
const MODIFIER = /^([a-z][a-z\d._-]*)=(.*)$/is
const DIRECTIVE = /^([+?~-]?)([^:/]*)(.*)$/s
/** What people write for a mechanism whose name they do not remember. */
export const MECHANISM_TYPOS: ReadonlyMap<string, string> = new Map([
  ['ip', 'ip4'],
  ['ipv4', 'ip4'],
  ['ipv6', 'ip6'],
  ['includes', 'include'],
  ['inlcude', 'include'],
  ['incude', 'include'],
  ['includ', 'include'],
  ['exist', 'exists'],
  ['redirect', 'redirect='],
  ['exp', 'exp='],
])

const VERSION_LENGTH = 'v=spf1'.length
/** Far more than any honest record has; what follows is a single broken term. */
const MAX_TERMS = 500

/** The text must begin with the version; `isSpf` says whether it does. */
export function parseSpf(text: string): SpfRecord {
  const terms: Term[] = []
  const onlyOnce = new Set<string>()
  // §4.6.1: terms are parted by spaces, and nothing else is a space.
  for (const { 0: word, index } of text.slice(VERSION_LENGTH).matchAll(/[^ ]+/g)) {
    const position = index + VERSION_LENGTH
    if (terms.length === MAX_TERMS) {
      const problem = `nobody reads a record of more than ${MAX_TERMS} terms`
      terms.push({ kind: 'invalid', text: word, position, problem })
      break
    }
    terms.push(readTerm(word, position, onlyOnce))
  }
  return { text, terms, active: selectActiveTerms({ terms }) }
}

/** §4.5: the version ends at a space or at the end; §4.6.1: its case does not matter. */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

/** One broken term breaks it all (§4.6). */
export function isWellFormedSpf(text: string): boolean {
  return invalidTerms(parseSpf(text)).length === 0
}

function readTerm(text: string, position: number, onlyOnce: Set<string>): Term {
  const [, name, value] = MODIFIER.exec(text) ?? []
  if (name !== undefined && value !== undefined) {
    const modifier = readModifier(name.toLowerCase(), value, onlyOnce)
    return 'problem' in modifier
      ? { kind: 'invalid', text, position, ...modifier }
      : { ...modifier, text, position }
  }
  const [, sign, mechanism = '', rest = ''] = DIRECTIVE.exec(text) ?? []
  const kind = MECHANISMS.find((known) => known === mechanism.toLowerCase())
  const reading = kind ? readMechanism(kind, rest) : unknownMechanism(mechanism)
  if (!kind || 'problem' in reading) {
    return { kind: 'invalid', text, position, problem: 'problem' in reading ? reading.problem : '' }
  }
  return { kind, qualifier: (sign || '+') as Qualifier, ...reading, text, position }
}

function readModifier(
  name: string,
  value: string,
  onlyOnce: Set<string>,
): Pick<Modifier, 'kind' | 'name' | 'target'> | Problem {
  const isKnown = name === 'redirect' || name === 'exp'
  if (isKnown && onlyOnce.has(name)) return { problem: `${name} may stand only once` }
  onlyOnce.add(name)
  const target = isKnown ? parseDomainSpec(value) : parseMacroString(value)
  if (isMalformedSpec(target)) return target
  return { kind: isKnown ? name : 'unknown-modifier', name, target }
}

function unknownMechanism(name: string): Problem {
  const meant = MECHANISM_TYPOS.get(name.toLowerCase())
  return { problem: `there is no mechanism "${name}"${meant ? `; write ${meant}` : ''}` }
}

function readMechanism(kind: Directive['kind'], rest: string): Reading | Problem {
  switch (kind) {
    case 'all':
      return rest === '' ? WHOLE : { problem: 'all takes nothing after it' }
    case 'ip4':
      return readNetwork(rest, 'an IPv4 address', isIPv4, 32)
    case 'ip6':
      return readNetwork(
        rest,
        'an IPv6 address',
        (text) => isIPv6(text) && !text.includes('%'),
        128,
      )
    case 'include':
    case 'exists':
      return readTarget(rest, `${kind} needs a colon and a host name`)
    case 'ptr':
      return rest === '' ? WHOLE : readTarget(rest, 'ptr takes a colon and a host name')
    default:
      return readHosts(rest)
  }
}

function readTarget(rest: string, otherwise: string): Reading | Problem {
  if (!rest.startsWith(':')) return { problem: otherwise }
  const target = parseDomainSpec(rest.slice(1))
  return isMalformedSpec(target) ? target : { ...WHOLE, target }
}

/** §5.3, §5.4: `a` and `mx`, with a host or without, and a prefix length for each address family. */
function readHosts(rest: string): Reading | Problem {
  const [, host = '', ipv4 = '32', ipv6 = '128'] =
    /^(.*?)(?:(?<!\/)\/(\d*))?(?:\/\/(\d*))?$/s.exec(rest) ?? []
  const ipv4Prefix = prefixLength(ipv4, 32)
  const ipv6Prefix = prefixLength(ipv6, 128)
  if (ipv4Prefix === null) return { problem: `/${ipv4} is not a prefix length from 0 to 32` }
  if (ipv6Prefix === null) return { problem: `//${ipv6} is not a prefix length from 0 to 128` }
  if (host === '') return { ...WHOLE, ipv4Prefix, ipv6Prefix }
  const named = readTarget(host, `"${host}" does not belong there`)
  return 'problem' in named ? named : { ...named, ipv4Prefix, ipv6Prefix }
}

function readNetwork(
  rest: string,
  what: string,
  isAddress: (text: string) => boolean,
  longest: 32 | 128,
): Reading | Problem {
  const slashAt = rest.indexOf('/')
  const address = rest.slice(1, slashAt === -1 ? undefined : slashAt)
  if (!rest.startsWith(':') || !isAddress(address))
    return { problem: `"${address}" is not ${what}` }
  const given = slashAt === -1 ? String(longest) : rest.slice(slashAt + 1)
  const prefix = prefixLength(given, longest)
  if (prefix === null) return { problem: `/${given} is not a prefix length from 0 to ${longest}` }
  return { ...WHOLE, address, [longest === 32 ? 'ipv4Prefix' : 'ipv6Prefix']: prefix }
}

/** §12: digits without leading zeros; a netmask or `/024` is a syntax error. */
function prefixLength(text: string, longest: number): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) && Number(text) <= longest ? Number(text) : null
}
