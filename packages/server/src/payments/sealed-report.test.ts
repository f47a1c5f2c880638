import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { unsignedPayment } from '../../test/support/payment-fixtures.js'
import { digestRequestKey, MAX_SEALED_CHARACTERS, openReport, sealReport } from './sealed-report.js'

const PAYMENT = unsignedPayment()
const OTHERS = [
  ['signature', unsignedPayment({ signature: `0x${'cd'.repeat(65)}` })],
  ['authorization', unsignedPayment({ authorization: { nonce: `0x${'5d'.repeat(32)}` } })],
] as const
const toQuestion = (payment = PAYMENT, requestKey = 'score acme.test') => ({ payment, requestKey })
const REPORT = JSON.stringify({ email: 'zoë@exämple.test', note: '郵便 🦊', empty: '' })

async function seal(report: string): Promise<string> {
  const sealed = await sealReport(toQuestion(), report)
  if (sealed === null) throw new Error('too large')
  return sealed
}

describe('a sealed report', () => {
  test.each([REPORT, '', 'x'.repeat(1_000_000)])('opens with its payment', async (report) => {
    expect(await openReport(toQuestion(), await seal(report))).toBe(report)
  })

  test('opens with the same payment in another case', async () => {
    const upperCase = unsignedPayment({ signature: `0x${'AB'.repeat(65)}` })
    expect(await openReport(toQuestion(upperCase), await seal(REPORT))).toBe(REPORT)
  })

  test.each(OTHERS)('does not open with another %s', async (_, other) => {
    expect(await openReport(toQuestion(other), await seal(REPORT))).toBeNull()
  })

  test('does not open for another request with the same payment', async () => {
    expect(await openReport(toQuestion(PAYMENT, 'score other.test'), await seal(REPORT))).toBeNull()
  })

  test('does not open if any byte of it is damaged or missing', async () => {
    const bytes = Buffer.from(await seal(REPORT), 'base64')
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes)
      damaged[at] = ~(damaged[at] ?? 0)
      expect(await openReport(toQuestion(), damaged.toString('base64'))).toBeNull()
      expect(await openReport(toQuestion(), bytes.subarray(0, at).toString('base64'))).toBeNull()
    }
  })

  test.each(['', 'not base64 \u0000', REPORT])('does not open if it is %j', async (text) => {
    expect(await openReport(toQuestion(), text)).toBeNull()
  })

  test('shows nothing of the report, and is never the same twice', async () => {
    const [first, second] = [await seal(REPORT), await seal(REPORT)]
    expect(first).toMatch(/^[A-Za-z0-9+/]+=*$/)
    expect(Buffer.from(first, 'base64').toString('latin1')).not.toMatch(/email|mple|note/)
    expect(first).not.toBe(second)
  })

  test('is stored up to its limit, and not beyond it', async () => {
    const text = (bytes: number) => randomBytes(bytes).toString('latin1')
    // Random Latin-1 text takes about one and a half bytes a character in UTF-8, which compress.
    expect((await seal(text(15_000))).length).toBeLessThanOrEqual(MAX_SEALED_CHARACTERS)
    expect(await sealReport(toQuestion(), text(30_000))).toBeNull()
  })
})

describe('the digest of a request key', () => {
  test('is the same for the same payment and request key', () => {
    const digest = digestRequestKey(PAYMENT, 'score acme.test')
    expect(digest).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(digestRequestKey(unsignedPayment(), 'score acme.test')).toBe(digest)
  })

  test('differs for another request key', () => {
    expect(digestRequestKey(PAYMENT, 'score acme.test')).not.toBe(
      digestRequestKey(PAYMENT, 'score other.test'),
    )
  })

  test.each(OTHERS)('differs for a payment with another %s', (_, other) => {
    expect(digestRequestKey(PAYMENT, 'score acme.test')).not.toBe(
      digestRequestKey(other, 'score acme.test'),
    )
  })
})
