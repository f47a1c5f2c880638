import { ED25519, PKCS1, SPKI } from '@mailgrade/testing/dkim-keys'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseKeyRecord } from './key-record.js'

const KEYS = [...Object.values(SPKI), ...Object.values(PKCS1), ED25519]

const octets = fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)) })
const base64 = fc
  .uint8Array({ maxLength: 400 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
/** A key with one piece of it replaced. */
const bruised = fc
  .tuple(fc.constantFrom(...KEYS), fc.nat(900), fc.nat(4), fc.string({ maxLength: 4 }))
  .map(([key, at, length, piece]) => key.slice(0, at) + piece + key.slice(at + length))
const value = fc.oneof(octets, base64, bruised, fc.constantFrom(...KEYS))
const tag = fc.oneof(
  fc.tuple(fc.constantFrom(...'vkphsntg', 'P', '__proto__', 'constructor'), value).map(join),
  fc.constantFrom('v=DKIM1', 'k=rsa', 'k=ed25519', 't=y:s', 's=email', 'h=sha256', 'p='),
  octets,
)
const record = fc.array(tag, { maxLength: 6 }).map((tags) => tags.join(';'))
const started = record.map((text) => `v=DKIM1;${text}`)
const sound = fc
  .tuple(fc.subarray(['k=rsa', 't=y', 's=email', 'h=sha256', '__proto__=p']), value)
  .map(([tags, text]) => `v=DKIM1; ${[...tags, `p=${text}`].join('; ')}`)

test('never throws, and a valid record has a measurable key', () => {
  const numRuns = propertyRuns(9_000)
  const seen = { none: 0, valid: 0, faulty: 0 }
  fc.assert(
    fc.property(fc.oneof(octets, record, started, sound), (text) => {
      const parsed = parseKeyRecord(text)
      seen[parsed === null ? 'none' : parsed.valid ? 'valid' : 'faulty'] += 1
      if (parsed?.valid) expect(parsed.keySize).toBeGreaterThan(0)
      if (parsed && !parsed.valid && !parsed.revoked && parsed.serviceTypes === null) {
        expect(parsed.faults).not.toEqual([])
      }
      for (const fault of parsed?.faults ?? []) {
        expect(`${fault.problem} ${fault.remedy}`).toMatch(/^[^\p{C}]{20,700}[.…]$/u)
      }
    }),
    { numRuns },
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(numRuns / 30)
})

function join([name, text]: [string, string]): string {
  return `${name}=${text}`
}
