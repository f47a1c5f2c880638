/** Lists the files in a zip archive. Sizes and names in it are never trusted, and nothing is written. */
import { createInflateRaw } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { type ByteStream, streamOf } from './byte-stream.js'
import { MAX_ENTRIES } from './problem.js'

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

export async function unpackZip(bytes: Buffer): Promise<UnpackedZip> {
  try {
    // Raw names: an odd name is not a reason to refuse a file that is only read.
    const zip = await fromBufferPromise(bytes, {
      lazyEntries: true,
      decodeStrings: false,
      validateEntrySizes: false,
    })
    return zip.entryCount > MAX_ENTRIES ? { kind: 'too-many-entries' } : await list(zip, bytes)
  } catch {
    return { kind: 'damaged' }
  }
}

async function list(zip: ZipFile, bytes: Buffer): Promise<UnpackedZip> {
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
