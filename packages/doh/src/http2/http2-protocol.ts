/**
 * The constants of HTTP/2, its settings in both directions, the error that ends a connection, and how
 * much a server may send without progress.
 */

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
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const

const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const

export const FRAME_HEADER_OCTETS = 9
/** The default in both directions (RFC 9113 §4.2). */
export const MAX_FRAME_OCTETS = 16_384
/** Of the connection and of each stream until it changes (RFC 9113 §6.9.2). */
export const INITIAL_WINDOW_OCTETS = 65_535
/** The largest window and the largest stream id. */
export const MAX_UINT31 = 0x7fffffff
/** A few octets of HPACK can expand to many large header fields. */
export const MAX_HEADER_LIST_OCTETS = 65_536
/** Enough for the largest DNS message with padding. A stream's window is never refilled. */
export const STREAM_WINDOW_OCTETS = 262_144
/** Enough for 256 of the largest responses at once. */
export const CONNECTION_WINDOW_OCTETS = 256 * 65_536
export const PING_TIMEOUT_MS = 1_000
/** For the server's SETTINGS and for its acknowledgement of ours (RFC 9113 §6.5.3). */
export const SETTINGS_TIMEOUT_MS = 3_000
const SETTING_OCTETS = 6
const LARGEST_FRAME_SIZE = 0xffffff

/** A connection error (RFC 9113 §5.4.1). */
export class Http2ConnectionError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const WINDOW_OVERFLOW = 'a flow-control window exceeds 2^31-1 octets'

/** Push is off: a client of DoH has no use for it (RFC 8484 §5.3). */
export const CLIENT_SETTINGS = Buffer.concat([
  encodeSetting(SETTING.ENABLE_PUSH, 0),
  encodeSetting(SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW_OCTETS),
  encodeSetting(SETTING.MAX_HEADER_LIST_SIZE, MAX_HEADER_LIST_OCTETS),
])

function encodeSetting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(SETTING_OCTETS)
  bytes.writeUInt16BE(id, 0)
  bytes.writeUInt32BE(value, 2)
  return bytes
}

export interface SettingsListener {
  onHeaderTableSize(octets: number): void
  onInitialWindowSize(octets: number): void
  onMaxConcurrentStreams(count: number): void
}

/** Reads the payload of a SETTINGS frame and reports the settings that matter without request bodies. */
export function readSettings(payload: Buffer, listener: SettingsListener, isFirst: boolean): void {
  if (payload.length % SETTING_OCTETS !== 0) {
    throw new Http2ConnectionError(ERROR_CODE.FRAME_SIZE_ERROR, 'a setting is incomplete')
  }
  let hasMaxStreams = false
  for (let offset = 0; offset < payload.length; offset += SETTING_OCTETS) {
    const id = payload.readUInt16BE(offset)
    hasMaxStreams ||= id === SETTING.MAX_CONCURRENT_STREAMS
    applySetting(id, payload.readUInt32BE(offset + 2), listener)
  }
  // Last, because it sends every request that waits for a stream.
  if (isFirst && !hasMaxStreams) listener.onMaxConcurrentStreams(Number.POSITIVE_INFINITY)
}

function applySetting(id: number, value: number, listener: SettingsListener): void {
  switch (id) {
    case SETTING.HEADER_TABLE_SIZE:
      listener.onHeaderTableSize(value)
      return
    case SETTING.MAX_CONCURRENT_STREAMS:
      listener.onMaxConcurrentStreams(value)
      return
    case SETTING.ENABLE_PUSH:
      requireSetting(value === 0, ERROR_CODE.PROTOCOL_ERROR)
      return
    case SETTING.INITIAL_WINDOW_SIZE:
      requireSetting(value <= MAX_UINT31, ERROR_CODE.FLOW_CONTROL_ERROR)
      listener.onInitialWindowSize(value)
      return
    case SETTING.MAX_FRAME_SIZE:
      requireSetting(
        value >= MAX_FRAME_OCTETS && value <= LARGEST_FRAME_SIZE,
        ERROR_CODE.PROTOCOL_ERROR,
      )
  }
}

function requireSetting(isValid: boolean, code: number): void {
  if (!isValid) throw new Http2ConnectionError(code, 'a setting has an invalid value')
}

/** Enough for late answers to thousands of requests that are cancelled at once. */
const MAX_CREDIT = 10_000
/** An ordinary response needs none of it. */
const CREDIT_PER_REQUEST = 10
const OCTETS_PER_CREDIT = 1_024

/** Less than this in one frame or chunk is no progress unless it ends a response. */
export const MIN_PROGRESS_OCTETS = 64

/** Limits what a server may send without progress, such as empty DATA, PING or interim responses. */
export function createGlitchBudget() {
  let credit = MAX_CREDIT
  return {
    /** Charges a frame that brings no request closer to its end. Throws when the budget is used up. */
    spend(octets: number): void {
      credit -= 1 + Math.floor(octets / OCTETS_PER_CREDIT)
      if (credit >= 0) return
      throw new Http2ConnectionError(
        ERROR_CODE.ENHANCE_YOUR_CALM,
        'the server sends too much without progress',
      )
    },
    /** A request has ended, so what the server may send is in proportion to what we ask of it. */
    refill(): void {
      credit = Math.min(credit + CREDIT_PER_REQUEST, MAX_CREDIT)
    },
  }
}

export type GlitchBudget = ReturnType<typeof createGlitchBudget>
