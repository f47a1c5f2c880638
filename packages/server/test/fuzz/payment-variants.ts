/** Valid and invalid payments, which the wallet creates when they are sent. */
import fc from 'fast-check'
import type { PaymentVariant } from './fuzz-request.js'
import { hostileText } from './hostile-texts.js'
import { anyJsonValue } from './json-values.js'
import { toSingleLine } from './request-headers.js'

/** Members of an x402 v2 payload with an EIP-3009 authorization. */
const MEMBERS = [
  'x402Version',
  'resource',
  'resource.url',
  'accepted',
  'accepted.scheme',
  'accepted.network',
  'accepted.asset',
  'accepted.amount',
  'accepted.payTo',
  'accepted.maxTimeoutSeconds',
  'accepted.extra',
  'accepted.extra.name',
  'payload',
  'payload.signature',
  'payload.authorization',
  'payload.authorization.from',
  'payload.authorization.to',
  'payload.authorization.value',
  'payload.authorization.validAfter',
  'payload.authorization.validBefore',
  'payload.authorization.nonce',
  'extensions',
  'extensions.bazaar',
  '__proto__',
]

/** Well-formed but wrong values. */
const WRONG_VALUES = [
  `0x${'00'.repeat(65)}`,
  `0x${'ff'.repeat(65)}`,
  `0x${'ab'.repeat(4_000)}`,
  `0x${'00'.repeat(20)}`,
  `0x${'5c'.repeat(32)}`,
  '0',
  '9999',
  '1000000',
  '99999999999',
  String(2n ** 256n - 1n),
  String(2n ** 256n),
  'eip155:1',
  'solana:x',
  'upto',
  'http://localhost:0/v1/score',
  undefined,
]

const tampered = fc.record({
  kind: fc.constant('tampered' as const),
  path: fc.constantFrom(...MEMBERS).map((member) => member.split('.')),
  value: fc.oneof(fc.constantFrom<unknown>(...WRONG_VALUES), anyJsonValue),
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const malformed = fc.record({
  kind: fc.constant('malformed' as const),
  text: fc.oneof(
    hostileText.map(toSingleLine),
    hostileText.map(base64),
    fc.base64String({ maxLength: 400 }),
    anyJsonValue.map((value) => base64(JSON.stringify(value))),
    fc.nat(15_000).map((length) => 'A'.repeat(length)),
  ),
})

export const paymentVariant: fc.Arbitrary<PaymentVariant> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<PaymentVariant>({ kind: 'valid' }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('replayed' as const), index: fc.nat(1_000) }),
  },
  { weight: 6, arbitrary: tampered },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('oversized' as const), characters: fc.nat(13_000) }),
  },
  { weight: 4, arbitrary: malformed },
)
