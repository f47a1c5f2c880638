/** The interface of a connection that carries DoH requests (RFC 8484) to one resolver. */

export const DNS_MESSAGE_MEDIA_TYPE = 'application/dns-message'

/** RFC 9110 §15.5.20: another connection may reach a server that is responsible. */
export const MISDIRECTED_REQUEST = 421

/** A DNS message has at most 65,535 octets, so a longer body cannot be one. */
const MAX_BODY_BYTES = 65_536

export type DohResult =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly contentType: string | undefined
      readonly retryAfter: string | undefined
      readonly body: Buffer
    }
  | {
      readonly kind: 'failure'
      readonly reason: 'unreachable' | 'malformed'
      readonly detail: string
      /** The request may succeed on a new connection. */
      readonly isConnectionLost: boolean
    }

/** Gets the result of one request. An object, because a closure for each request takes more memory. */
export interface ResultSink {
  onResult(result: DohResult): void
}

/** Something under way that can be cancelled. It then delivers nothing more. */
export interface Cancellable {
  cancel(): void
}

export interface DohConnection {
  /** Whether it takes new requests. */
  isUsable(): boolean
  /** Calls `onResult` exactly once and never before it returns, unless cancelled before. */
  get(path: string, sink: ResultSink): Cancellable
  /** A request timed out: closes the connection unless the resolver proves to be alive. */
  checkLiveness(): void
  close(): void
}

export function unreachableResult(detail: string, isConnectionLost = true): DohResult {
  return { kind: 'failure', reason: 'unreachable', detail, isConnectionLost }
}

/** The resolver answered, but not in a way that another attempt would change. */
export function malformedResult(detail: string): DohResult {
  return { kind: 'failure', reason: 'malformed', detail, isConnectionLost: false }
}

/** When every IP address of a host refuses, Node's error has a code but no message. */
export function describeConnectError(error: NodeJS.ErrnoException): string {
  return error.message || (error.code ?? error.name)
}

const EMPTY = Buffer.alloc(0)

const OVERSIZED = malformedResult(`the resolver sent more than ${MAX_BODY_BYTES} bytes`)

/**
 * A response that is being received. It is delivered once, and never after a cancel. A stream
 * outlives its response, so everything is dropped on delivery.
 */
export class PendingResponse {
  #sink: ResultSink | null
  /** Nearly every body comes in one chunk, which is used as it is. */
  #body: Buffer = EMPTY
  #size = 0

  constructor(sink: ResultSink) {
    this.#sink = sink
  }

  get isOpen(): boolean {
    return this.#sink !== null
  }

  get size(): number {
    return this.#size
  }

  /** Returns false when no more is needed: it was cancelled, or the body is too large. */
  append(chunk: Buffer): boolean {
    if (!this.isOpen) return false
    const start = this.#size
    this.#size += chunk.length
    if (this.#size > MAX_BODY_BYTES) this.settle(OVERSIZED)
    else if (start === 0) this.#body = chunk
    else this.#copy(chunk, start)
    return this.isOpen
  }

  /** A list of chunks of one octet would take 200 times the memory of the body. */
  #copy(chunk: Buffer, start: number): void {
    if (this.#size > this.#body.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * this.#size, MAX_BODY_BYTES))
      this.#body.copy(larger)
      this.#body = larger
    }
    chunk.copy(this.#body, start)
  }

  complete(status: number, contentType: string | undefined, retryAfter: string | undefined): void {
    const body = this.#body.length > this.#size ? this.#body.subarray(0, this.#size) : this.#body
    this.settle({ kind: 'response', status, contentType, retryAfter, body })
  }

  settle(result: DohResult): void {
    const sink = this.#sink
    this.drop()
    sink?.onResult(result)
  }

  /** Delivers nothing, now or later. */
  drop(): void {
    this.#sink = null
    this.#body = EMPTY
  }
}
