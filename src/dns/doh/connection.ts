/** One way of carrying DoH requests to one resolver (RFC 8484); HTTP/1.1 and HTTP/2 each have theirs. */

export const DNS_MESSAGE = 'application/dns-message'

/** A DNS message is at most 65,535 octets; whatever sends more is not answering us. */
const MAX_BODY_BYTES = 65_536

export type Reply =
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

export interface Connection {
  isUsable(): boolean
  /** Calls `done` exactly once, unless cancelled before. */
  get(path: string, done: (reply: Reply) => void): Cancel
  /** A question went unanswered: find out whether the connection is still alive. */
  suspect(): void
  close(): void
}

/**
 * A reply is handed on once, and not at all after a cancel, whatever else the stream reports. A
 * stream outlives its reply by far, so it must not keep alive what waited for it.
 */
export function createSettlement(done: (reply: Reply) => void) {
  let waiting: ((reply: Reply) => void) | null = done
  return {
    settle(reply: Reply): void {
      const tell = waiting
      waiting = null
      tell?.(reply)
    },
    cancel(): void {
      waiting = null
    },
  }
}

export function broken(detail: string, isConnectionLost = true): Reply {
  return { kind: 'broken', reason: 'unreachable', detail, isConnectionLost }
}

/** When every address of a host refuses, Node's error has a code but no message. */
export function textOf(error: NodeJS.ErrnoException): string {
  return error.message || (error.code ?? error.name)
}

/** Collects a body up to the cap. */
export class Body {
  #chunks: Buffer[] = []
  #size = 0

  /** False when the body has outgrown what a DNS message can be. */
  add(chunk: Buffer): boolean {
    this.#size += chunk.length
    this.#chunks.push(chunk)
    return this.#size <= MAX_BODY_BYTES
  }

  /** The body, which is let go of with it. */
  take(): Buffer {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, this.#size)
  }
}

export const OVERSIZED: Reply = {
  kind: 'broken',
  reason: 'malformed',
  detail: `the resolver sent more than ${MAX_BODY_BYTES} bytes`,
  isConnectionLost: false,
}
