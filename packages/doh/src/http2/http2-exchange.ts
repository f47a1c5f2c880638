/** One question on its stream, and what has come of its answer so far (RFC 9113 §8.1). */
import { type DohResult, PendingResponse, unreachableResult } from '../doh-connection.js'
import type { HeaderField } from './hpack-table.js'
import { STREAM_WINDOW_OCTETS } from './http2-settings.js'

const INTERIM = /^1\d\d$/
const FINAL = /^[2-9]\d\d$/

export class Http2Exchange extends PendingResponse {
  readonly path: string
  /** Null until the question is sent. */
  streamId: number | null = null
  #status = 0
  #isInformational = false
  #contentType: string | undefined
  #retryAfter: string | undefined
  #contentLength: string | undefined
  #window = STREAM_WINDOW_OCTETS

  constructor(path: string, done: (reply: DohResult) => void) {
    super(done)
    this.path = path
  }

  /** The final response's header has come, so that what follows is the body or a trailer. */
  get hasResponseHeader(): boolean {
    return this.#status !== 0
  }

  /** Takes a field of the response's header, in the order they come. */
  onField({ name, value }: HeaderField): void {
    switch (name) {
      case ':status':
        this.#takeStatus(value)
        return
      case 'content-type':
        this.#contentType = value
        return
      case 'content-length':
        this.#contentLength = value
        return
      case 'retry-after':
        this.#retryAfter = value
    }
  }

  /** It comes first. Of an interim response (RFC 9110 §15.2) nothing else is of interest. */
  #takeStatus(text: string): void {
    this.#contentType = this.#contentLength = this.#retryAfter = undefined
    this.#isInformational = INTERIM.test(text)
    this.#status = FINAL.test(text) ? Number(text) : 0
  }

  /** Whether the header that is now complete was one. */
  get isHeaderValid(): boolean {
    return this.hasResponseHeader || this.#isInformational
  }

  /** Counts what a frame takes of the stream's window; false when it takes too much. */
  consumeWindow(octets: number): boolean {
    this.#window -= octets
    return this.#window >= 0
  }

  /** The server has said all it wanted to say. */
  finish(): void {
    const isWhole = this.#contentLength === undefined || Number(this.#contentLength) === this.size
    if (this.hasResponseHeader && isWhole) {
      this.complete(this.#status, this.#contentType, this.#retryAfter)
    } else this.settle(unreachableResult('the resolver sent a part of a response'))
  }
}
