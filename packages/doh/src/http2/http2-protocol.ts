/** The numbers of HTTP/2 (RFC 9113 §6, §7), and the error that a breach of its rules ends in. */

export const FRAME_TYPE = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const

export const FRAME_FLAG = {
  ACK: 1,
  END_STREAM: 1,
  END_HEADERS: 4,
  PADDED: 8,
  PRIORITY: 32,
} as const

export const ERROR_CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  FLOW_CONTROL_ERROR: 3,
  FRAME_SIZE_ERROR: 6,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const

export const FRAME_HEADER_OCTETS = 9
/** What every peer must take, and all we let it send (RFC 9113 §4.2). */
export const MAX_FRAME_OCTETS = 16_384
/** Of a window, and of a stream's number. */
export const MAX_UINT31 = 0x7fffffff

/** The server broke the rules, and the connection ends; this never leaves the folder. */
export class Http2ConnectionError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
