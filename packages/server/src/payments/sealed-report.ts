/**
 * What the ledger stores about a request: nothing that can be read without the payment. The keys
 * come from the payment's signature, which is not stored. It becomes public when the payment is
 * mined; that of a report also comes from the request, so whoever reads the store and the chain still
 * has to guess what was asked.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import type { Payment } from './payment.js'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)
/** As small as gzip's best level in a third of its time. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** A larger report is not stored; if it is needed again, it is made again. */
export const MAX_SEALED_CHARACTERS = 32 * 1024

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** A payment, and what is asked with it. */
export interface PaidQuestion {
  readonly payment: Pick<Payment, 'signature' | 'id'>
  /** The same text for the same report. */
  readonly requestKey: string
}

/** The same text for the same payment and request key. */
export function digestRequestKey(payment: PaidQuestion['payment'], requestKey: string): string {
  return createHmac('sha256', deriveKey(payment, 'request')).update(requestKey).digest('base64url')
}

/** Null if it is too large to store. */
export async function sealReport(question: PaidQuestion, report: string): Promise<string | null> {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, deriveReportKey(question), iv)
  const compressed = await compress(report, COMPRESSION)
  const sealed = Buffer.concat([iv, cipher.update(compressed), cipher.final(), cipher.getAuthTag()])
  const text = sealed.toString('base64')
  return text.length <= MAX_SEALED_CHARACTERS ? text : null
}

/** Null if it was not sealed for this question or is damaged. */
export async function openReport(question: PaidQuestion, sealed: string): Promise<string | null> {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < IV_BYTES + TAG_BYTES) return null
  try {
    const iv = bytes.subarray(0, IV_BYTES)
    const decipher = createDecipheriv(CIPHER, deriveReportKey(question), iv)
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const compressed = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
    const report = await decompress(Buffer.concat([compressed, decipher.final()]))
    return report.toString('utf8')
  } catch {
    return null
  }
}

function deriveReportKey({ payment, requestKey }: PaidQuestion): Uint8Array {
  const digest = createHash('sha256').update(requestKey).digest('base64url')
  return deriveKey(payment, `report ${digest}`)
}

function deriveKey({ signature, id }: PaidQuestion['payment'], purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', signature, id, `mailgrade ${purpose}`, 32))
}
