/** What we ask of the server, and what it asks of us (RFC 9113 §6.5). */

import type { Http2Frame } from './frame-reader.js'
import { MAX_HEADER_LIST_OCTETS } from './hpack-decoder.js'
import { ERROR_CODE, Http2ConnectionError, MAX_FRAME_OCTETS, MAX_UINT31 } from './http2-protocol.js'

const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const

const SETTING_OCTETS = 6
const LARGEST_FRAME_SIZE = 0xffffff

/** A stream that has used this up has long outgrown a DNS message, padding and all. */
export const STREAM_WINDOW_OCTETS = 262_144

/** Nobody would read what a resolver pushes (RFC 8484 §5.3). */
export const CLIENT_SETTINGS = Buffer.concat([
  setting(SETTING.ENABLE_PUSH, 0),
  setting(SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW_OCTETS),
  setting(SETTING.MAX_HEADER_LIST_SIZE, MAX_HEADER_LIST_OCTETS),
])

function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(SETTING_OCTETS)
  bytes.writeUInt16BE(id, 0)
  bytes.writeUInt32BE(value, 2)
  return bytes
}

export interface SettingsListener {
  onHeaderTableSize(octets: number): void
  onMaxConcurrentStreams(count: number): void
}

/** Tells of those settings that concern someone who only asks, and never sends a body. */
export function readSettings(
  { bytes, start, end }: Http2Frame,
  listener: SettingsListener,
  isFirst: boolean,
): void {
  if ((end - start) % SETTING_OCTETS !== 0) {
    throw new Http2ConnectionError(ERROR_CODE.FRAME_SIZE_ERROR, 'a setting is cut off')
  }
  let saysMaxStreams = false
  for (let offset = start; offset < end; offset += SETTING_OCTETS) {
    const id = bytes.readUInt16BE(offset)
    saysMaxStreams ||= id === SETTING.MAX_CONCURRENT_STREAMS
    takeSetting(id, bytes.readUInt32BE(offset + 2), listener)
  }
  // Not before: it would let go all that wait.
  if (isFirst && !saysMaxStreams) listener.onMaxConcurrentStreams(Number.POSITIVE_INFINITY)
}

function takeSetting(id: number, value: number, listener: SettingsListener): void {
  switch (id) {
    case SETTING.HEADER_TABLE_SIZE:
      listener.onHeaderTableSize(value)
      return
    case SETTING.MAX_CONCURRENT_STREAMS:
      listener.onMaxConcurrentStreams(value)
      return
    case SETTING.ENABLE_PUSH:
      expect(value === 0, ERROR_CODE.PROTOCOL_ERROR)
      return
    case SETTING.INITIAL_WINDOW_SIZE:
      expect(value <= MAX_UINT31, ERROR_CODE.FLOW_CONTROL_ERROR)
      return
    case SETTING.MAX_FRAME_SIZE:
      expect(value >= MAX_FRAME_OCTETS && value <= LARGEST_FRAME_SIZE, ERROR_CODE.PROTOCOL_ERROR)
  }
}

function expect(isAllowed: boolean, code: number): void {
  if (!isAllowed) throw new Http2ConnectionError(code, 'a setting has a value it must not have')
}
