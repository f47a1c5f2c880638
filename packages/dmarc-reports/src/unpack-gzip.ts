/** Unpacks gzip (RFC 1952), even if the file is damaged around a complete report. */
import { constants, createGunzip, createInflateRaw } from 'node:zlib'
import type { ByteStream } from './byte-stream.js'

const HAS_HEADER_CRC = 0x02
const HAS_EXTRA = 0x04
const HAS_NAME = 0x08
const HAS_COMMENT = 0x10
const FIXED_HEADER = 10
/** Checksum and size. */
const TRAILER = 8

export function gunzip(bytes: Buffer): ByteStream {
  const stream = createGunzip()
  stream.end(bytes)
  return stream
}

/** Ignores the checksum and anything after the compressed data, and returns what a cut file has. */
export async function* gunzipDamaged(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let rest = bytes; isMember(rest); ) {
    const stream = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })
    const header = headerLength(rest)
    stream.end(rest.subarray(header))
    yield* stream
    rest = rest.subarray(header + stream.bytesWritten + TRAILER)
  }
}

/** RFC 1952 §2.3.1. */
function isMember(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** RFC 1952 §2.3. */
function headerLength(bytes: Buffer): number {
  const flags = bytes[3] ?? 0
  let at = FIXED_HEADER
  if (flags & HAS_EXTRA) at += 2 + (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256
  if (flags & HAS_NAME) at = afterZero(bytes, at)
  if (flags & HAS_COMMENT) at = afterZero(bytes, at)
  return flags & HAS_HEADER_CRC ? at + 2 : at
}

function afterZero(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(0, from)
  return at === -1 ? bytes.length : at + 1
}
