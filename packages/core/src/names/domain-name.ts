/** Parses a domain name, or says why it is invalid. */
import { findHostProblem, isIpAddress } from './host-problem.js'
import { quoteUnlessSecret } from './quote-input.js'
import { hasRegistrableDomain } from './registrable-domain.js'
import { findReservedProblem, type NameOptions } from './reserved-names.js'
import { splitDomainLabels, toALabels, toULabels } from './uts46.js'

declare const brand: unique symbol

/** Lower-case A-labels without a trailing dot. Only `toDomainName` creates one. */
export type DomainName = string & { readonly [brand]: true }

export interface InvalidDomain {
  readonly kind: 'refused'
  /** A sentence for the person who entered the text; it contains no secret. */
  readonly reason: string
}

export type ParsedDomain = { readonly kind: 'domain'; readonly domain: DomainName } | InvalidDomain

/** Accepts a domain, or an email address or URL at that domain. */
export function parseDomain(text: string, options: NameOptions = {}): ParsedDomain {
  const found = extractHost(text)
  if (found.kind === 'refused') return found
  const { host, shown } = found
  const domain = toDomainName(host)
  const reserved = findReservedProblem(domain, options)
  const reason = reserved === null ? findHostProblem(host, shown) : `${shown} ${reserved}`
  return reason === null ? { kind: 'domain', domain } : { kind: 'refused', reason }
}

/** For a host without a problem, see `findHostProblem`. */
export function toDomainName(host: string): DomainName {
  return splitDomainLabels(toALabels(host) ?? '').join('.') as DomainName
}

/** The name in its own script, or null when it is plain ASCII. */
export function toUnicodeDomain(domain: DomainName): string | null {
  const unicode = toULabels(domain)
  return unicode === domain ? null : unicode
}

interface HostText {
  readonly kind: 'host'
  readonly host: string
  /** The host as an error message may quote it. */
  readonly shown: string
}

const MAX_CHARACTERS = 320

/** RFC 3986 §3.1, less the dot: `example.com://x` is a typo, not a scheme. */
const URL_START = /^[a-z][a-z\d+-]*:\/\//i
const MAILTO = /^mailto:/i

/** RFC 5321 §4.1.2 Quoted-string, with the @ that must follow. */
const QUOTED_LOCAL_PART = /^"(?:[^"\\]|\\.)*"@/su
const LOCAL_PART = /^[^\s<>",:;()[\]\\@]+$/

/** `example.com/@ann` and `example.com?to=ann@…`: legal as local parts, but URLs without a scheme. */
const URL_WITHOUT_SCHEME = /^[^/?@]+\.[^/?@]+[/?]/

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const LONE_SURROGATE = /\p{Cs}/u
/** Control characters are rejected before this check. */
const SPACE = /\p{Zs}/u

const REASON = {
  tooLong: `This is longer than ${MAX_CHARACTERS} characters. Enter only the domain name, such as example.com.`,
  empty: 'The domain is missing. Enter one, such as example.com.',
  control:
    'The text contains a control character, such as a line break or a tab. Enter one domain name on one line.',
  notUnicode: 'This isn’t valid Unicode text. Type the domain name again.',
  space: 'The text contains a space. Enter one domain name, address, or URL without spaces.',
  partOfUrl:
    'This looks like part of a URL. Enter only the domain, such as example.com, or a full URL that starts with https://.',
  backslash: 'The host of this URL contains a backslash. Use slashes, as in https://example.com/.',
  noHost:
    'This URL has no host. Enter a full URL, such as https://example.com/, or only the domain.',
  badPort: 'The port in this URL isn’t a number up to 65535. Correct it, or enter only the domain.',
  noAddress: 'This mailto link has no address. Enter one like mailto:ann@example.com.',
  angleBrackets: 'Angle brackets aren’t part of an address. Enter only the text between them.',
  severalAddresses: 'There’s more than one @. Enter one address, or only the domain after its @.',
  noLocalPart: 'There’s nothing before the @. Enter the whole address, or only the domain.',
  badLocalPart:
    'The part before the @ has a character that isn’t allowed. Correct it, or enter only the domain after the @.',
  noDomain: 'There’s nothing after the @. Enter the whole address, such as ann@example.com.',
}

export function extractHost(text: string): HostText | InvalidDomain {
  // A character has one or two code units, so this slice is enough to count to 321.
  if ([...text.slice(0, 2 * MAX_CHARACTERS + 1)].length > MAX_CHARACTERS) return reject('tooLong')
  const trimmed = text.trim()
  if (trimmed === '') return reject('empty')
  if (LONE_SURROGATE.test(trimmed)) return reject('notUnicode')
  if (CONTROL.test(trimmed)) return reject('control')
  if (URL_START.test(trimmed)) return hostOfUrl(trimmed)
  if (MAILTO.test(trimmed)) return hostOfMailto(trimmed)
  if (trimmed.includes('@')) return hostOfAddress(trimmed)
  return bareHost(trimmed)
}

/** RFC 3986 §3.2, but the last @ ends the credentials, as in browsers. */
function hostOfUrl(url: string): HostText | InvalidDomain {
  if (SPACE.test(url)) return reject('space')
  const [authority = ''] = url.replace(URL_START, '').split(/[/?#]/, 1)
  // Browsers read it as a slash and RFC 3986 does not allow it, so the host is ambiguous.
  if (authority.includes('\\')) return reject('backslash')
  const hostAndPort = authority.slice(authority.lastIndexOf('@') + 1)
  if (isIpAddress(hostAndPort)) return found(hostAndPort, url)
  const { host = '', port = '' } =
    /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>.*))?$/su.exec(hostAndPort)?.groups ?? {}
  // RFC 3986 §3.2.3: the digits may be missing altogether.
  if (!/^\d*$/.test(port) || Number(port) > 65535) return reject('badPort')
  return host === '' ? reject('noHost') : found(host, url)
}

/** RFC 6068 §2, with a single address. */
function hostOfMailto(url: string): HostText | InvalidDomain {
  const link = url.replace(MAILTO, '')
  const [address = ''] = link.split(/[?#]/, 1)
  if (!address.includes('@')) return reject('noAddress')
  return hostOfAddress(address, link.slice(address.length))
}

function hostOfAddress(address: string, dropped = ''): HostText | InvalidDomain {
  const quoted = QUOTED_LOCAL_PART.exec(address)?.[0]
  const localPart = address.slice(0, address.indexOf('@'))
  const domain = address.slice(quoted?.length ?? localPart.length + 1)
  const problem = (quoted ? null : localPartProblem(localPart, address)) ?? domainProblem(domain)
  // The text after the only @ is not secret.
  return problem ? reject(problem) : found(domain, domain + dropped)
}

function localPartProblem(localPart: string, address: string): keyof typeof REASON | null {
  if (/[<>]/.test(address)) return 'angleBrackets'
  if (localPart === '') return 'noLocalPart'
  if (URL_WITHOUT_SCHEME.test(localPart)) return 'partOfUrl'
  if (SPACE.test(localPart)) return 'space'
  return LOCAL_PART.test(localPart) ? null : 'badLocalPart'
}

function domainProblem(domain: string): keyof typeof REASON | null {
  if (domain.includes('@')) return 'severalAddresses'
  if (domain === '') return 'noDomain'
  return SPACE.test(domain) ? 'space' : null
}

function bareHost(text: string): HostText | InvalidDomain {
  if (SPACE.test(text)) return reject('space')
  const isAddress = text.startsWith('[') || isIpAddress(text)
  if (!isAddress && /[:/?#]/.test(text)) return reject('partOfUrl')
  return found(text, text)
}

function found(host: string, source: string): HostText {
  return { kind: 'host', host, shown: quoteUnlessSecret(host, source) }
}

function reject(problem: keyof typeof REASON): InvalidDomain {
  return { kind: 'refused', reason: REASON[problem] }
}

interface DomainInputOptions extends NameOptions {
  /** Keeps a leading `www.`. */
  readonly exact?: boolean | undefined
}

type ParsedDomainInput =
  | {
      readonly kind: 'domain'
      readonly domain: DomainName
      /** The name as given, if `domain` is that name without `www.`; otherwise null. */
      readonly requested: DomainName | null
    }
  | InvalidDomain

const WEBSITE = 'www.'

/** Accepts what `parseDomain` accepts. Mail is sent as the domain, hardly ever as its website. */
export function parseDomainInput(
  text: string,
  { exact = false, ...options }: DomainInputOptions = {},
): ParsedDomainInput {
  const parsed = parseDomain(text, options)
  if (parsed.kind === 'refused') return parsed
  const { domain } = parsed
  const rest = !exact && domain.startsWith(WEBSITE) ? domain.slice(WEBSITE.length) : ''
  return rest !== '' && hasRegistrableDomain(rest)
    ? { kind: 'domain', domain: toDomainName(rest), requested: domain }
    : { kind: 'domain', domain, requested: null }
}
