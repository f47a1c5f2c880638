/** One request and the response received so far (RFC 9113 §8.1). */
import {
  type Cancellable,
  type DohResult,
  malformedResult,
  PendingResponse,
  type ResultSink,
} from '../doh-connection.js'
import type { HeaderField } from './hpack-table.js'
import { STREAM_WINDOW_OCTETS } from './http2-protocol.js'

const COLON = 0x3a
const ZERO = 0x30
/** HTTP/2 has no 101 (RFC 9113 §8.6). */
const SWITCHING_PROTOCOLS = 101
/** These have no body, whatever their content-length (RFC 9110 §6.4.1). */
const STATUSES_WITHOUT_BODY = [204, 304]

/** The connection of an exchange. */
export interface ExchangeOwner {
  onCancel(exchange: Http2Exchange): void
  /** Gets what the sink of a result throws. */
  onSinkError(error: unknown): void
}

export class Http2Exchange extends PendingResponse implements Cancellable {
  #path: string
  /** Null until the request is sent. */
  streamId: number | null = null
  /** The status of the final response; 0 before its header. */
  #status = 0
  /** The status in the header block being read; 0 before it. */
  #blockStatus = 0
  #hasRegularField = false
  #problem: string | null = null
  #contentType: string | undefined
  #retryAfter: string | undefined
  #contentLength: number | undefined
  #window = STREAM_WINDOW_OCTETS
  /** What WINDOW_UPDATE frames have added to the window for a body, which the request does not have. */
  sendWindowGrowth = 0
  readonly #owner: ExchangeOwner

  constructor(path: string, sink: ResultSink, owner: ExchangeOwner) {
    super(sink)
    this.#path = path
    this.#owner = owner
  }

  /** Of a request that is sent now: it is not needed again. */
  takePath(): string {
    const path = this.#path
    this.#path = ''
    return path
  }

  cancel(): void {
    this.drop()
    this.#owner.onCancel(this)
  }

  override settle(result: DohResult): void {
    try {
      super.settle(result)
    } catch (error) {
      this.#owner.onSinkError(error)
    }
  }

  get status(): number {
    return this.#status
  }

  /** The response so far violates RFC 9113 §8. */
  get isMalformed(): boolean {
    return this.#problem !== null
  }

  /** Reads a field of the header block under way: of an interim or the final header, or a trailer. */
  onField({ name, value, isValid }: HeaderField): void {
    if (!isValid) this.#problem = 'a header field is not valid'
    else if (name.charCodeAt(0) === COLON) this.#onPseudoField(name, value)
    else {
      this.#hasRegularField = true
      if (this.#status === 0) this.#onRegularField(name, value)
    }
  }

  /** Only a status, once and first, and never in a trailer (RFC 9113 §8.3). */
  #onPseudoField(name: string, value: string): void {
    const isExpected = !this.#hasRegularField && this.#blockStatus === 0 && this.#status === 0
    const status = value.length === 3 ? parseDecimal(value) : -1
    const isStatus = name === ':status' && status >= 100 && status !== SWITCHING_PROTOCOLS
    if (!isExpected || !isStatus) {
      this.#problem = 'a pseudo-header field is not valid'
      return
    }
    this.#blockStatus = status
    // The fields of an interim response are over.
    this.#contentType = this.#contentLength = this.#retryAfter = undefined
  }

  #onRegularField(name: string, value: string): void {
    switch (name) {
      case 'content-type':
        this.#contentType = value
        return
      case 'content-length':
        this.#onContentLength(value)
        return
      case 'retry-after':
        this.#retryAfter = value
    }
  }

  /** The same value may be repeated (RFC 9110 §8.6). */
  #onContentLength(value: string): void {
    const length = parseDecimal(value)
    if (length < 0 || length !== (this.#contentLength ?? length)) {
      this.#problem = 'the content-length is not valid'
    }
    this.#contentLength = length
  }

  /** The header block is complete. Returns false for an interim response, which is no progress. */
  finishHeaders(isEndOfStream: boolean): boolean {
    const blockStatus = this.#blockStatus
    this.#blockStatus = 0
    this.#hasRegularField = false
    if (this.#status !== 0) {
      if (!isEndOfStream) this.#problem ??= 'a trailer does not end the stream'
    } else if (blockStatus >= 200) this.#status = blockStatus
    else if (blockStatus === 0) this.#problem ??= 'the status is missing'
    else return false
    return true
  }

  /** Returns false when the body is too large, which is then the result. */
  override append(chunk: Buffer): boolean {
    if (this.#status === 0) this.#problem = 'a body comes before the header'
    else if (this.size + chunk.length > (this.#contentLength ?? Number.POSITIVE_INFINITY)) {
      this.#problem = 'the body is longer than its content-length'
    }
    return this.isMalformed || chunk.length === 0 || super.append(chunk)
  }

  /** Returns false when the server exceeds the stream's window. */
  consumeWindow(octets: number): boolean {
    this.#window -= octets
    return this.#window >= 0
  }

  /** The server ended the stream. */
  finish(): void {
    if (this.#status === 0) this.#problem ??= 'the final header is missing'
    if (!this.#isWhole()) this.#problem ??= 'the body is shorter than its content-length'
    if (this.isMalformed) this.fail()
    else this.complete(this.#status, this.#contentType, this.#retryAfter)
  }

  #isWhole(): boolean {
    if (this.#contentLength === undefined || this.#contentLength === this.size) return true
    return this.size === 0 && STATUSES_WITHOUT_BODY.includes(this.#status)
  }

  /** The response is malformed. */
  fail(): void {
    this.settle(malformedResult(`the resolver sent a malformed response: ${this.#problem}`))
  }
}

/** The number that the digits of a text are; -1 if it has other characters or none. */
function parseDecimal(text: string): number {
  let value = 0
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - ZERO
    if (digit < 0 || digit > 9) return -1
    value = 10 * value + digit
  }
  return text.length > 0 ? value : -1
}
