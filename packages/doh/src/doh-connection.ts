/** One way of carrying DoH requests to one resolver (RFC 8484); HTTP/1.1 and HTTP/2 each have theirs. */

export const DNS_MESSAGE_MEDIA_TYPE = 'application/dns-message'

/** A DNS message is at most 65,535 octets; whatever sends more is not answering us. */
const MAX_BODY_BYTES = 65_536

export type DohResult =
  | {
      readonly kind: 'reply'
      readonly status: number
      readonly contentType: string | undefined
      readonly retryAfter: string | undefined
      readonly body: Buffer
    }
  | {
      readonly kind: 'broken'
      readonly reason: 'unreachable' | 'malformed'
      readonly detail: string
      /** The connection went away under the question; a new one may well answer it. */
      readonly isConnectionLost: boolean
    }

export type Cancel = () => void

export interface DohConnection {
  isUsable(): boolean
  /** Calls `done` exactly once, unless cancelled before. */
  get(path: string, done: (reply: DohResult) => void): Cancel
  /** A question went unanswered: find out whether the connection is still alive. */
  checkLiveness(): void
  close(): void
}

export function unreachableResult(detail: string, isConnectionLost = true): DohResult {
  return { kind: 'broken', reason: 'unreachable', detail, isConnectionLost }
}

/** When every address of a host refuses, Node's error has a code but no message. */
export function describeConnectError(error: NodeJS.ErrnoException): string {
  return error.message || (error.code ?? error.name)
}

const EMPTY = Buffer.alloc(0)

const OVERSIZED: DohResult = {
  kind: 'broken',
  reason: 'malformed',
  detail: `the resolver sent more than ${MAX_BODY_BYTES} bytes`,
  isConnectionLost: false,
}

/**
 * A reply on its way. It is handed on once, and not at all after a cancel, whatever else its
 * stream reports. A stream outlives its reply by far, so nothing that waited is kept.
 */
export class PendingResponse {
  #done: ((reply: DohResult) => void) | null
  /** Nearly every body comes in one piece. */
  #chunk: Buffer | null = null
  #others: Buffer[] | null = null
  #size = 0

  constructor(done: (reply: DohResult) => void) {
    this.#done = done
  }

  get isOpen(): boolean {
    return this.#done !== null
  }

  get size(): number {
    return this.#size
  }

  /**
   * False when no more is wanted: nobody waits, or the body has outgrown what a DNS message can be,
   * which settles the matter.
   */
  append(chunk: Buffer): boolean {
    if (!this.isOpen) return false
    this.#size += chunk.length
    if (!this.#chunk) this.#chunk = chunk
    else if (this.#others) this.#others.push(chunk)
    else this.#others = [chunk]
    if (this.#size > MAX_BODY_BYTES) this.settle(OVERSIZED)
    return this.isOpen
  }

  complete(status: number, contentType: string | undefined, retryAfter: string | undefined): void {
    const first = this.#chunk ?? EMPTY
    const body = this.#others ? Buffer.concat([first, ...this.#others], this.#size) : first
    this.settle({ kind: 'reply', status, contentType, retryAfter, body })
  }

  settle(reply: DohResult): void {
    const done = this.#done
    this.cancel()
    done?.(reply)
  }

  cancel(): void {
    this.#done = null
    this.#chunk = null
    this.#others = null
  }
}
