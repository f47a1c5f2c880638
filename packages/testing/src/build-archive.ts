/** Zip archives and mails for tests, well-formed or not. */
import { crc32, deflateRawSync } from 'node:zlib'

export interface EntryValues {
  readonly name: string
  readonly content: Buffer | string
  /** What the archive says about the size, if not the truth. */
  readonly declaredSize?: number
  readonly isEncrypted?: boolean
  readonly method?: number
}

const DEFLATED = 8

export function buildZip(entries: readonly EntryValues[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const content = Buffer.from(entry.content)
    const method = entry.method ?? DEFLATED
    const data = method === DEFLATED ? deflateRawSync(content) : content
    const name = Buffer.from(entry.name)
    const shared = sharedFields(entry, method, content, data, name)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, data])
    const central = Buffer.concat([
      Buffer.from('PK\x01\x02\x14\x00'),
      shared,
      Buffer.alloc(10),
      uint32(offset),
      name,
    ])
    locals.push(local)
    centrals.push(central)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.concat([
    Buffer.from('PK\x05\x06'),
    uint16(0, 0, entries.length, entries.length),
    uint32(directory.length, offset),
    uint16(0),
  ])
  return Buffer.concat([...locals, directory, end])
}

function sharedFields(
  { isEncrypted, declaredSize }: EntryValues,
  method: number,
  content: Buffer,
  data: Buffer,
  name: Buffer,
): Buffer {
  return Buffer.concat([
    uint16(20, isEncrypted ? 1 : 0, method, 0, 0),
    uint32(checksum(content), data.length, declaredSize ?? content.length),
    uint16(name.length, 0),
  ])
}

/** Node 20 has `zlib.crc32` from 20.15 on; its types have it later. */
function checksum(content: Buffer): number {
  return crc32(content)
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2)
  return bytes
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}

export interface MailValues {
  readonly headers?: readonly string[]
  readonly attachments?: readonly {
    readonly name: string
    readonly type?: string
    readonly content: Buffer | string
  }[]
}

export function buildMail({ headers = [], attachments = [] }: MailValues): string {
  const parts = attachments.map(({ name, type = 'application/octet-stream', content }) => [
    '--part',
    `Content-Type: ${type}; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(content)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
  ])
  return [
    ...headers,
    'From: dmarc@receiver.test',
    'To: reports@example.com',
    'Subject: Report Domain: example.com Submitter: receiver.test Report-ID: <1>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="part"',
    '',
    '--part',
    'Content-Type: text/plain',
    '',
    'From the start of a line, this is a report.',
    ...parts.flat(),
    '--part--',
    '',
  ].join('\r\n')
}
