/** Everything that needs Node: gzip, zip, hashes and a fast decoder. A browser brings its own. */
import { createHash } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import { constants, createGunzip, createInflateRaw } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { type ByteStream, streamOf } from './byte-stream.js'
import { MAX_ENTRIES } from './problem.js'

/** SHA-256 of texts, in base64. */
export function createDigest() {
  const hash = createHash('sha256')
  return {
    add(text: string): void {
      hash.update(text)
    },
    finish: (): string => hash.digest('base64'),
  }
}

/** Much faster than `TextDecoder`, whose strings take two bytes per character. */
export function createUtf8Decoder(): (bytes: Uint8Array) => string {
  const decoder = new StringDecoder('utf8')
  return (bytes) => decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

const HAS_HEADER_CRC = 0x02
const HAS_EXTRA = 0x04
const HAS_NAME = 0x08
const HAS_COMMENT = 0x10
const FIXED_HEADER = 10
/** Checksum and size. */
const TRAILER = 8

/** RFC 1952. */
export function gunzip(bytes: Buffer): ByteStream {
  const stream = createGunzip()
  stream.end(bytes)
  return stream
}

/**
 * For a file that is damaged around a complete report: ignores the checksum and anything after the
 * compressed data, and returns what a cut file has.
 */
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

export interface ZipEntry {
  readonly name: string
  readonly compressedBytes: number
  open(): ByteStream
}

export type UnpackedZip =
  | { readonly kind: 'entries'; readonly entries: readonly ZipEntry[] }
  | { readonly kind: 'damaged' | 'encrypted' | 'too-many-entries' }

const STORED = 0
const DEFLATED = 8

/** Sizes and names in the archive are never trusted, and nothing is written. */
export async function unpackZip(bytes: Buffer): Promise<UnpackedZip> {
  try {
    // Raw names: an odd name is not a reason to refuse a file that is only read.
    const zip = await fromBufferPromise(bytes, {
      lazyEntries: true,
      decodeStrings: false,
      validateEntrySizes: false,
    })
    return zip.entryCount > MAX_ENTRIES
      ? { kind: 'too-many-entries' }
      : await listEntries(zip, bytes)
  } catch {
    return { kind: 'damaged' }
  }
}

async function listEntries(zip: ZipFile, bytes: Buffer): Promise<UnpackedZip> {
  const entries: ZipEntry[] = []
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) return { kind: 'encrypted' }
    const name = entry.fileNameRaw.toString()
    if (name.endsWith('/')) continue
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
    const data = bytes.subarray(fileDataStart, fileDataStart + entry.compressedSize)
    entries.push({ name, compressedBytes: data.length, open: () => inflate(entry, data) })
  }
  return { kind: 'entries', entries }
}

function inflate({ compressionMethod }: Entry, data: Buffer): ByteStream {
  if (compressionMethod === STORED) return streamOf(data)
  if (compressionMethod !== DEFLATED) return broken(`compression method ${compressionMethod}`)
  const stream = createInflateRaw()
  stream.end(data)
  return stream
}

// biome-ignore lint/correctness/useYield: a stream that breaks before its first chunk.
async function* broken(reason: string): AsyncGenerator<Uint8Array> {
  throw new Error(reason)
}
