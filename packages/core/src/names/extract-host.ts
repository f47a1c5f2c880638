/**
 * Takes the host out of what a person may give for a domain: the name itself, an address or a URL
 * on it. Nothing is said here of whether the host is a domain name.
 */
import { isIP } from 'node:net'
import { quoteUnlessSecret } from './quote-input.js'

interface HostText {
  readonly kind: 'host'
  readonly host: string
  /** The host as a reason may repeat it. */
  readonly shown: string
}

interface Refused {
  readonly kind: 'refused'
  readonly reason: string
}

const MAX_CHARACTERS = 320

/** RFC 3986 §3.1, less the dot: `example.com://x` is a slip, not a scheme. */
const URL_START = /^[a-z][a-z\d+-]*:\/\//i
const MAILTO = /^mailto:/i

/** RFC 5321 §4.1.2 Quoted-string, with the @ that must follow. */
const QUOTED_LOCAL_PART = /^"(?:[^"\\]|\\.)*"@/su
const LOCAL_PART = /^[^\s<>",:;()[\]\\@]+$/

/** `example.com/@ann` and `example.com?to=ann@…`: legal as local parts, but URLs without a scheme. */
const URL_WITHOUT_SCHEME = /^[^/?@]+\.[^/?@]+[/?]/

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const LONE_SURROGATE = /\p{Cs}/u
/** Controls are dealt with before, so these are all the white space there is. */
const SPACE = /\p{Zs}/u

const REASON = {
  tooLong: `This is longer than ${MAX_CHARACTERS} characters; give only the domain name, such as example.com.`,
  empty: 'Nothing was given; give a domain name, such as example.com.',
  control:
    'There is a control character inside, such as a line break or a tab; give one domain name on one line.',
  notUnicode: 'This is not valid Unicode text; type the domain name again.',
  space: 'There is a space inside; give one domain name, address or URL without spaces.',
  partOfUrl:
    'This looks like part of a URL; give the bare domain, such as example.com, or a full URL starting with https://.',
  backslash:
    'There is a backslash in the host of this URL; write it with slashes, as in https://example.com/.',
  noHost: 'This URL has no host; give a full URL, such as https://example.com/, or a bare domain.',
  badPort:
    'The port in this URL is not a number up to 65535; correct it, or give the bare domain instead.',
  noAddress: 'This mailto link has no address; give one like mailto:ann@example.com.',
  angleBrackets:
    'Angle brackets are not part of an address; give only the part between the angle brackets.',
  severalAddresses: 'There is more than one @; give one address, or only the domain after its @.',
  noLocalPart: 'There is nothing before the @; give the whole address, or only the domain.',
  badLocalPart:
    'The part before the @ has a character that must not stand there; correct it, or give only the domain after the @.',
  noDomain: 'There is nothing after the @; give the whole address, such as ann@example.com.',
}

export function extractHost(text: string): HostText | Refused {
  // A character is one or two units: a longer piece than this cannot be needed to count to 321.
  if ([...text.slice(0, 2 * MAX_CHARACTERS + 1)].length > MAX_CHARACTERS) return refuse('tooLong')
  const trimmed = text.trim()
  if (trimmed === '') return refuse('empty')
  if (LONE_SURROGATE.test(trimmed)) return refuse('notUnicode')
  if (CONTROL.test(trimmed)) return refuse('control')
  if (URL_START.test(trimmed)) return hostOfUrl(trimmed)
  if (MAILTO.test(trimmed)) return hostOfMailto(trimmed)
  if (trimmed.includes('@')) return hostOfAddress(trimmed)
  return bareHost(trimmed)
}

/** RFC 3986 §3.2, but the last @ ends the credentials, as browsers have it: they may hold an @. */
function hostOfUrl(url: string): HostText | Refused {
  if (SPACE.test(url)) return refuse('space')
  const [authority = ''] = url.replace(URL_START, '').split(/[/?#]/, 1)
  // Browsers take it for a slash, RFC 3986 for nothing at all: two readers, two hosts.
  if (authority.includes('\\')) return refuse('backslash')
  const hostAndPort = authority.slice(authority.lastIndexOf('@') + 1)
  if (isIP(hostAndPort)) return found(hostAndPort, url)
  const { host = '', port = '' } =
    /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>.*))?$/su.exec(hostAndPort)?.groups ?? {}
  // RFC 3986 §3.2.3: the digits may be missing altogether.
  if (!/^\d*$/.test(port) || Number(port) > 65535) return refuse('badPort')
  return host === '' ? refuse('noHost') : found(host, url)
}

/** RFC 6068 §2, with a single address. */
function hostOfMailto(url: string): HostText | Refused {
  const link = url.replace(MAILTO, '')
  const [address = ''] = link.split(/[?#]/, 1)
  if (!address.includes('@')) return refuse('noAddress')
  return hostOfAddress(address, link.slice(address.length))
}

function hostOfAddress(address: string, dropped = ''): HostText | Refused {
  const quoted = QUOTED_LOCAL_PART.exec(address)?.[0]
  const localPart = address.slice(0, address.indexOf('@'))
  const domain = address.slice(quoted?.length ?? localPart.length + 1)
  const problem = (quoted ? null : localPartProblem(localPart, address)) ?? domainProblem(domain)
  // What follows the only @ is no secret.
  return problem ? refuse(problem) : found(domain, domain + dropped)
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

function bareHost(text: string): HostText | Refused {
  if (SPACE.test(text)) return refuse('space')
  const isAddress = text.startsWith('[') || isIP(text) !== 0
  if (!isAddress && /[:/?#]/.test(text)) return refuse('partOfUrl')
  return found(text, text)
}

function found(host: string, source: string): HostText {
  return { kind: 'host', host, shown: quoteUnlessSecret(host, source) }
}

function refuse(problem: keyof typeof REASON): Refused {
  return { kind: 'refused', reason: REASON[problem] }
}
