/** One question on its stream, and what has come of its answer so far (RFC 9113 §8.1). */
import { broken, PendingReply, type Reply } from '../connection.js'
import type { Field } from './hpack-table.js'
import { STREAM_WINDOW } from './settings.js'

const INTERIM = /^1\d\d$/
const FINAL = /^[2-9]\d\d$/

export class Exchange extends PendingReply {
  readonly path: string
  /** Null until the question is sent. */
  streamId: number | null = null
  #status = 0
  #isInformational = false
  #contentType: string | undefined
  #retryAfter: string | undefined
  #contentLength: string | undefined
  #window = STREAM_WINDOW

  constructor(path: string, done: (reply: Reply) => void) {
    super(done)
    this.path = path
  }

  /** The final response's header has come, so that what follows is the body or a trailer. */
  get hasHeader(): boolean {
    return this.#status !== 0
  }

  /** Takes a field of the response's header, in the order they come. */
  takeField({ name, value }: Field): void {
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
  get isInOrder(): boolean {
    return this.hasHeader || this.#isInformational
  }

  /** Counts what a frame takes of the stream's window; false when it takes too much. */
  use(octets: number): boolean {
    this.#window -= octets
    return this.#window >= 0
  }

  /** The server has said all it wanted to say. */
  end(): void {
    const isWhole = this.#contentLength === undefined || Number(this.#contentLength) === this.size
    if (this.hasHeader && isWhole) {
      this.complete(this.#status, this.#contentType, this.#retryAfter)
    } else this.settle(broken('the resolver sent a part of a response'))
  }
}
