/** Where reports go: the URIs of `rua` and `ruf` (RFC 9989 §4.6). */
import { parseDomain } from '../../names/domain-name.js'

export interface ReportUri {
  /** As written. */
  readonly uri: string
  /** Without the obsolete size limit. */
  readonly withoutSizeLimit: string
  /** As it should be written; null when that is unclear. */
  readonly repaired: string | null
  /** Whether it is a URI, usable or not. */
  readonly isUri: boolean
  /** The mail domain that gets the reports; null when no receiver sends any there. */
  readonly host: string | null
  /** Why there is no host, to complete a sentence that starts with the URI. */
  readonly problem: string | null
}

/** The URIs of one tag. */
export interface ReportUris {
  readonly uris: readonly ReportUri[]
  /** How many more there are, beyond the limit. */
  readonly unreadCount: number
}

/** More than any real record needs; a limit against abuse. */
export const MAX_REPORT_URIS = 20

/** RFC 9989 §4.8 obs-dmarc-report-size: receivers ignore it. */
const SIZE_LIMIT = /!\d+[kmgt]?$/i
const SCHEME = /^[a-z][a-z\d+.-]*$/i
/** RFC 3986 §2.2 and §2.3, without the comma and the "!", which DMARC requires to be encoded. */
const URI_CHARACTERS = /^[\w.~:/?#[\]@$&'()*+;=-]*$/
const ESCAPES = /%[\da-f]{2}/gi
/** RFC 5321 §4.1.2 dot-string, with the letters of RFC 6531. */
const LOCAL_PART = /^[\w.!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]{1,64}$/u

export function parseReportUris(value: string): ReportUris {
  const pieces = value
    .split(',')
    .map(trimmed)
    .filter((piece) => piece !== '')
  const read = pieces.slice(0, MAX_REPORT_URIS).map(parseReportUri)
  return { uris: read, unreadCount: pieces.length - read.length }
}

/** RFC 9989 §4.8: spaces and tabs may surround a comma, and no other kind of white space. */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t'.includes(text.charAt(start))) start += 1
  while (end > start && ' \t'.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function parseReportUri(uri: string): ReportUri {
  const plain = uri.replace(SIZE_LIMIT, '')
  const scheme = plain.slice(0, Math.max(plain.indexOf(':'), 0))
  const rest = plain.slice(scheme.length + 1)
  const isUri = SCHEME.test(scheme) && URI_CHARACTERS.test(rest.replace(ESCAPES, ''))
  const host = isUri && scheme.toLowerCase() === 'mailto' ? mailHost(rest) : null
  const repaired = host ? plain : isUri ? null : withScheme(trimmed(plain))
  return {
    uri,
    withoutSizeLimit: plain,
    repaired,
    isUri,
    host,
    problem: host ? null : findProblem(uri, scheme, isUri),
  }
}

/** Repairs a bare address, which only lacks its scheme. */
function withScheme(address: string): string | null {
  const isValid = URI_CHARACTERS.test(address.replace(ESCAPES, ''))
  return isValid && mailHost(address) ? `mailto:${address}` : null
}

/** RFC 6068 §2: an address, which may be escaped and may have header fields after it. */
function mailHost(rest: string): string | null {
  const address = unescaped(rest.replace(/[?#].*$/s, ''))
  const at = Math.max(address.lastIndexOf('@'), 0)
  const host = address.slice(at + 1)
  // `parseDomain` also accepts a URL or a host with a port.
  if (!LOCAL_PART.test(address.slice(0, at)) || !/^[^/:\\]{1,254}$/.test(host)) return null
  const parsed = parseDomain(host, { allowPrivateNames: true })
  return parsed.kind === 'domain' ? parsed.domain : null
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function findProblem(uri: string, scheme: string, isUri: boolean): string {
  if (/\s/.test(uri)) return 'contains white space, but addresses have to be separated by commas'
  if (isUri && scheme.toLowerCase() !== 'mailto') {
    return 'isn’t a mailto: URI, and receivers ignore all others'
  }
  if (isUri) return 'contains no usable email address'
  if (uri.includes('@') && scheme === '') return 'is missing "mailto:" before the address'
  return 'isn’t a valid URI'
}
