/** From a file of any kind to the XML documents in it. */
import {
  type ByteStream,
  detectFileType,
  type FileType,
  HEAD_LENGTH,
  peek,
  readAtMost,
  streamOf,
} from './byte-stream.js'
import { gunzip, gunzipDamaged, unpackZip, type ZipEntry } from './node-formats.js'
import {
  MAX_COMPRESSED_BYTES,
  MAX_RATIO,
  MAX_XML_BYTES,
  type Problem,
  type ProblemKind,
  problem,
} from './problem.js'
import { splitMbox, unpackMail } from './unpack-mail.js'

export interface XmlDocument {
  readonly kind: 'xml'
  readonly name: string
  readonly stream: ByteStream
  readonly maxBytes: number
  /** The problem with a longer document. */
  readonly overLimit: 'too-large' | 'compression-bomb'
  /** Reads what a damaged archive still holds; null where nothing can be done. */
  readonly recover: (() => ByteStream) | null
}

export type Unpacked =
  | XmlDocument
  | { readonly kind: 'problem'; readonly problem: Problem }
  /** Not a kind of file that can hold a report. */
  | { readonly kind: 'other-file'; readonly name: string }

/** Base64 makes attachments a third larger, and a message has other text too. */
const MAX_MAIL_BYTES = Math.ceil(MAX_COMPRESSED_BYTES * 1.4) + 1_000_000

/** Below this, any ratio is harmless. */
const SMALL_XML = 1_000_000

type Container = 'file' | 'mail' | 'archive'

/** Documents have to be read one after the other, each before the next is requested. */
export async function* unpack(name: string, source: ByteStream): AsyncGenerator<Unpacked> {
  yield* unpackStream(name, source, 'file')
}

async function* unpackStream(
  name: string,
  source: ByteStream,
  container: Container,
): AsyncGenerator<Unpacked> {
  const peeked = await peek(source, HEAD_LENGTH).catch(() => null)
  if (peeked === null) return yield failed('unreadable', name)
  const type = detectFileType(peeked.head)
  if (type === 'xml') {
    yield { ...plainXml, name, stream: peeked.stream }
    return
  }
  if (type === 'gzip' || type === 'zip') {
    yield* unpackArchive(name, peeked.stream, type)
    return
  }
  if (container === 'file' && type === 'mbox') {
    yield* unpackMbox(name, peeked.stream)
    return
  }
  if (container === 'file' && type === 'mail') {
    const bytes = await readAtMost(peeked.stream, MAX_MAIL_BYTES)
    yield* bytes === null
      ? [failed('too-large-compressed', name)]
      : orNothing(name, unpackOneMail(name, bytes))
    return
  }
  await peeked.close()
  yield type === 'empty' ? failed('empty', name) : { kind: 'other-file', name }
}

const plainXml = {
  kind: 'xml',
  maxBytes: MAX_XML_BYTES,
  overLimit: 'too-large',
  recover: null,
} as const

async function* unpackArchive(
  name: string,
  source: ByteStream,
  type: Extract<FileType, 'gzip' | 'zip'>,
): AsyncGenerator<Unpacked> {
  const bytes = await readAtMost(source, MAX_COMPRESSED_BYTES)
  if (bytes === null) yield failed('too-large-compressed', name)
  else if (type === 'gzip') yield await unpackGzip(name, bytes)
  else yield* unpackEntries(name, bytes)
}

async function unpackGzip(name: string, bytes: Buffer): Promise<Unpacked> {
  const recover = () => gunzipDamaged(bytes)
  const { head, close } = await peekSafely(recover())
  await close()
  const type = detectFileType(head)
  if (type === 'gzip' || type === 'zip') return failed('nested-archive', name)
  const limits = limitsOf(bytes.length, MAX_XML_BYTES)
  return { kind: 'xml', name, stream: gunzip(bytes), ...limits, recover }
}

async function* unpackEntries(name: string, bytes: Buffer): AsyncGenerator<Unpacked> {
  const zip = await unpackZip(bytes)
  if (zip.kind !== 'entries') return yield failed(zip.kind, name)
  let remaining = MAX_XML_BYTES
  let found = 0
  for (const entry of zip.entries) {
    const type = await entryType(entry)
    const entryName = `${name}: ${entry.name}`
    if (type === 'gzip' || type === 'zip') yield failed('nested-archive', entryName)
    else if (type === 'damaged') yield failed('damaged', entryName)
    if (type === 'xml') {
      const stream = counted(entry.open(), (size) => {
        remaining -= size
      })
      const limits = limitsOf(entry.compressedBytes, Math.max(remaining, 0))
      yield { kind: 'xml', name: entryName, stream, ...limits, recover: null }
    }
    if (type !== 'unknown' && type !== 'empty') found += 1
  }
  if (found === 0) yield failed('no-report-inside', name)
}

async function entryType(entry: ZipEntry): Promise<FileType | 'damaged'> {
  const { head, close, isBroken } = await peekSafely(entry.open())
  await close()
  return isBroken ? 'damaged' : detectFileType(head)
}

async function peekSafely(stream: ByteStream) {
  const close = async () => {}
  return peek(stream, HEAD_LENGTH).then(
    (peeked) => ({ ...peeked, isBroken: false }),
    () => ({ head: Buffer.alloc(0), close, isBroken: true }),
  )
}

function limitsOf(compressed: number, most: number): Pick<XmlDocument, 'maxBytes' | 'overLimit'> {
  const byRatio = Math.max(SMALL_XML, compressed * MAX_RATIO)
  return byRatio < most
    ? { maxBytes: byRatio, overLimit: 'compression-bomb' }
    : { maxBytes: most, overLimit: 'too-large' }
}

async function* counted(
  source: ByteStream,
  onChunk: (size: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    onChunk(chunk.length)
    yield chunk
  }
}

async function* unpackMbox(name: string, source: ByteStream): AsyncGenerator<Unpacked> {
  async function* mails(): AsyncGenerator<Unpacked> {
    let number = 0
    for await (const mail of splitMbox(source, MAX_MAIL_BYTES)) {
      number += 1
      const mailName = `${name}: mail ${number}`
      if (mail === null) yield failed('too-large-compressed', mailName)
      else yield* unpackOneMail(mailName, mail)
    }
  }
  yield* orNothing(name, mails())
}

/** Messages without a report are normal in a mailbox, so they are not a problem. */
async function* unpackOneMail(name: string, bytes: Buffer): AsyncGenerator<Unpacked> {
  const mail = await unpackMail(bytes)
  if (mail.kind !== 'parts') return yield failed(mail.kind, name)
  for (const part of mail.parts) {
    for await (const item of unpackStream(`${name}: ${part.name}`, streamOf(part.bytes), 'mail')) {
      yield mail.failsDmarc && item.kind === 'xml' ? failed('forged-mail', name) : item
    }
  }
}

async function* orNothing(name: string, items: AsyncGenerator<Unpacked>): AsyncGenerator<Unpacked> {
  let found = 0
  for await (const item of items) {
    found += 1
    yield item
  }
  if (found === 0) yield failed('no-report-inside', name)
}

function failed(kind: ProblemKind, name: string): Unpacked {
  return { kind: 'problem', problem: problem(kind, name) }
}
