/**
 * The `Dns` port: what one question to the DNS can come back with.
 *
 * "It is not there" (`nodata`, `nxdomain`) and "we could not look" (`failed`) are different
 * kinds, so that no caller can take silence for absence.
 */

/** RFC 1035 §3.3 character-strings: one JavaScript character per octet, so that no byte is lost. */
export type CharacterStrings = readonly string[]

export interface Mx {
  readonly preference: number
  readonly exchange: string
}

export interface Soa {
  readonly primary: string
  readonly mailbox: string
  readonly serial: number
  readonly minimum: number
}

/** Names are lower case, without trailing dot, the root is `.`; odd octets are escaped (RFC 4343 §2.1). */
export interface RecordData {
  A: string
  AAAA: string
  CNAME: string
  MX: Mx
  NS: string
  SOA: Soa
  SPF: CharacterStrings
  TXT: CharacterStrings
}

export type RecordType = keyof RecordData

export interface DnsQuery {
  readonly name: string
  readonly type: RecordType
}

/** RFC 8914: why the resolver answered as it did. */
export interface ExtendedError {
  readonly code: number
  readonly text: string
}

export type FailureReason =
  | 'aborted'
  | 'bad-name'
  | 'budget'
  | 'cname-loop'
  | 'http-status'
  | 'malformed'
  | 'refused'
  | 'servfail'
  | 'timeout'
  | 'unreachable'

export interface AnswerContext {
  /** Targets of the CNAMEs followed, in order; empty when the name itself answered. */
  readonly cnames: readonly string[]
  readonly extendedError: ExtendedError | null
  /** Who answered; null when nobody was asked. */
  readonly resolver: string | null
}

interface Found<T extends RecordType> extends AnswerContext {
  readonly kind: 'records'
  readonly records: readonly RecordData[T][]
  readonly ttl: number
  /** The resolver validated the answer with DNSSEC (the AD flag, RFC 6840 §5.8). */
  readonly authenticated: boolean
}

interface Absent extends AnswerContext {
  /** With CNAMEs, `nxdomain` speaks of the last target: the name asked for exists (RFC 6604 §3). */
  readonly kind: 'nodata' | 'nxdomain'
  readonly ttl: number | null
  readonly authenticated: boolean
}

export interface Failed extends AnswerContext {
  readonly kind: 'failed'
  readonly reason: FailureReason
  readonly detail: string
}

export type DnsAnswer<T extends RecordType = RecordType> = Found<T> | Absent | Failed

export interface Dns {
  query<T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>>
}

/** A `Dns` whose questions can be given up. */
export interface AbortableDns {
  query<T extends RecordType>(name: string, type: T, signal?: AbortSignal): Promise<DnsAnswer<T>>
}

export function failed(
  reason: FailureReason,
  detail: string,
  context: Partial<AnswerContext> = {},
): Failed {
  return {
    kind: 'failed',
    reason,
    detail,
    cnames: [],
    extendedError: null,
    resolver: null,
    ...context,
  }
}
