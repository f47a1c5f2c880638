/** What we ask of the server, and what it asks of us (RFC 9113 §6.5). */

import type { Frame } from './frame-reader.js'
import { MAX_HEADER_LIST_OCTETS } from './hpack-decoder.js'
import { CODE, MAX_31_BITS, MAX_FRAME_OCTETS, ProtocolError } from './protocol.js'

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
export const STREAM_WINDOW = 262_144

/** Nobody would read what a resolver pushes (RFC 8484 §5.3). */
export const OUR_SETTINGS = Buffer.concat([
  setting(SETTING.ENABLE_PUSH, 0),
  setting(SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW),
  setting(SETTING.MAX_HEADER_LIST_SIZE, MAX_HEADER_LIST_OCTETS),
])

function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(SETTING_OCTETS)
  bytes.writeUInt16BE(id, 0)
  bytes.writeUInt32BE(value, 2)
  return bytes
}

export interface SettingsListener {
  onTableSize(octets: number): void
  onMaxStreams(count: number): void
}

/** Tells of those settings that concern someone who only asks, and never sends a body. */
export function readSettings(
  { bytes, start, end }: Frame,
  listener: SettingsListener,
  isFirst: boolean,
): void {
  if ((end - start) % SETTING_OCTETS !== 0) {
    throw new ProtocolError(CODE.FRAME_SIZE_ERROR, 'a setting is cut off')
  }
  let saysMaxStreams = false
  for (let offset = start; offset < end; offset += SETTING_OCTETS) {
    const id = bytes.readUInt16BE(offset)
    saysMaxStreams ||= id === SETTING.MAX_CONCURRENT_STREAMS
    takeSetting(id, bytes.readUInt32BE(offset + 2), listener)
  }
  // Not before: it would let go all that wait.
  if (isFirst && !saysMaxStreams) listener.onMaxStreams(Number.POSITIVE_INFINITY)
}

function takeSetting(id: number, value: number, listener: SettingsListener): void {
  switch (id) {
    case SETTING.HEADER_TABLE_SIZE:
      listener.onTableSize(value)
      return
    case SETTING.MAX_CONCURRENT_STREAMS:
      listener.onMaxStreams(value)
      return
    case SETTING.ENABLE_PUSH:
      expect(value === 0, CODE.PROTOCOL_ERROR)
      return
    case SETTING.INITIAL_WINDOW_SIZE:
      expect(value <= MAX_31_BITS, CODE.FLOW_CONTROL_ERROR)
      return
    case SETTING.MAX_FRAME_SIZE:
      expect(value >= MAX_FRAME_OCTETS && value <= LARGEST_FRAME_SIZE, CODE.PROTOCOL_ERROR)
  }
}

function expect(isAllowed: boolean, code: number): void {
  if (!isAllowed) throw new ProtocolError(code, 'a setting has a value it must not have')
}
