import {
  appendPaymentIdentifierToExtensions,
  PAYMENT_IDENTIFIER,
  validatePaymentIdentifier,
} from '@x402/extensions/payment-identifier'
import { describe, expect, test, vi } from 'vitest'
import { unsignedPayment } from '../../test/support/payment-fixtures.js'
import {
  CLAIMS_FAILURE,
  createTestPaymentFlow,
  expectedDelivery,
  expectedPaymentRequired,
  expectedRedelivery,
  UNUSED,
} from '../../test/support/payment-flow-fixture.js'
import { paymentIdentifierExtension, readPaymentIdentifier } from './payment.js'
import {
  IDENTIFIER_IN_PROGRESS,
  IDENTIFIER_USED,
  MALFORMED_IDENTIFIER,
} from './payment-problems.js'

const ID = 'pay_7d5d747be160e280504c099d984bcfe0'
const SECOND_NONCE = { nonce: `0x${'6d'.repeat(32)}` }
const THIRD_NONCE = { nonce: `0x${'7e'.repeat(32)}` }
const OTHER_PAYER = { from: '0x00000000000000000000000000000000000E15e0', ...SECOND_NONCE }

/** Extensions as the official client builds them from the declaration. */
const withId = (id = ID) => ({
  extensions: appendPaymentIdentifierToExtensions(
    structuredClone(paymentIdentifierExtension()),
    id,
  ),
})
const withInfo = (info: unknown) => ({ extensions: { [PAYMENT_IDENTIFIER]: { info } } })
const read = (top: Record<string, unknown>, authorization = {}) =>
  readPaymentIdentifier(unsignedPayment({ top, authorization }))

test('the declaration passes the official check and does not require an id', () => {
  const { [PAYMENT_IDENTIFIER]: declaration } = paymentIdentifierExtension()
  expect(validatePaymentIdentifier(declaration)).toEqual({ valid: true })
  expect(declaration.info).toEqual({ required: false })
})

describe('reads', () => {
  test('a digest, which is another one for another payer or id', () => {
    const digests = [read(withId()), read(withId(), OTHER_PAYER), read(withId(`${ID}1`))]
    expect(digests).toEqual(
      Array(3).fill({ kind: 'valid', digest: expect.stringMatching(/^[\w-]{43}$/) }),
    )
    expect(new Set(digests.map((it) => JSON.stringify(it))).size).toBe(3)
    expect(JSON.stringify(digests)).not.toContain(ID)
    expect(read(withId(), SECOND_NONCE)).toEqual(digests[0])
  })

  test.each([
    ['no extensions', { extensions: undefined }],
    ['the declaration without an id', { extensions: paymentIdentifierExtension() }],
    ['null', { extensions: { [PAYMENT_IDENTIFIER]: null } }],
    ['an id of null', withInfo({ required: false, id: null })],
  ])('nothing from %s', (_, top) => {
    expect(read(top)).toEqual({ kind: 'valid', digest: null })
  })

  test.each([
    ['16 characters', 'a'.repeat(16)],
    ['128 characters', 'a'.repeat(128)],
    ['hyphens and underscores', '-_-_-_-_-_-_-_-_'],
  ])('an id with %s', (_, id) => {
    expect(read(withInfo({ id }))).toMatchObject({ digest: expect.any(String) })
  })

  test.each([
    ['15 characters', { id: 'a'.repeat(15) }],
    ['129 characters', { id: 'a'.repeat(129) }],
    ['other characters', { id: 'an identifier!!!!' }],
    ['a line end', { id: `${ID}\n` }],
    ['a number', { id: 1_234_567_890_123_456 }],
    ['an empty id', { id: '' }],
    ['no object', ID],
  ])('rejects %s', (_, info) => {
    expect(read(withInfo(info))).toEqual({ kind: 'invalid' })
  })
})

describe('a payment with an identifier', () => {
  test('is rejected before anything happens if the identifier is invalid', async () => {
    const flow = createTestPaymentFlow()
    expect(await flow.pay({ top: withInfo({ id: 'short' }) })).toEqual(MALFORMED_IDENTIFIER)
    expect(MALFORMED_IDENTIFIER.code).toBe('malformed_payment')
    expect(flow.calls()).toEqual([])
  })

  test('gets the same report when it is sent again', async () => {
    const flow = createTestPaymentFlow()
    expect(await flow.pay({ top: withId() })).toEqual(expectedDelivery())
    expect(await flow.pay({ top: withId() })).toEqual(expectedRedelivery())
  })

  test('gives nothing to a stranger, who can read everything else from the chain', async () => {
    const flow = createTestPaymentFlow()
    await flow.pay({ top: withId() })
    const used = expectedPaymentRequired('payment_already_used')
    expect(await flow.pay()).toEqual(used)
    expect(await flow.pay({ top: withId(`${'guess'.repeat(5)}`) })).toEqual(used)
  })

  test('that was signed again is not charged after the first was paid', async () => {
    const flow = createTestPaymentFlow()
    expect(await flow.pay({ top: withId() })).toEqual(expectedDelivery())
    flow.calls()
    const second = await flow.pay({ top: withId(), authorization: SECOND_NONCE })
    expect(second).toEqual(IDENTIFIER_USED)
    expect(second).toMatchObject({ code: 'identifier_used', charged: 'no' })
    expect(flow.calls()).toEqual([])
    expect(await flow.pay({ top: withId() })).toEqual(expectedRedelivery())
  })

  test('that was signed again is not charged for another request either', async () => {
    const flow = createTestPaymentFlow()
    await flow.pay({ top: withId() })
    const other = { top: withId(), authorization: SECOND_NONCE }
    expect(await flow.pay(other, 'score other.test')).toEqual(IDENTIFIER_USED)
  })

  test('that was signed again is not charged while the first is unknown', async () => {
    const flow = createTestPaymentFlow({
      settle: [CLAIMS_FAILURE],
      readState: [UNUSED, UNUSED, UNUSED],
    })
    expect(await flow.pay({ top: withId() })).toMatchObject({ charged: 'unknown' })
    flow.calls()
    expect(await flow.pay({ top: withId(), authorization: SECOND_NONCE })).toEqual(IDENTIFIER_USED)
    expect(flow.calls()).toEqual([])
    expect(await flow.pay({ top: withId() })).toEqual(expectedDelivery())
  })

  test('that was signed again waits while the first is in progress', async () => {
    const flow = createTestPaymentFlow({ settle: [new Promise(() => {})] })
    void flow.pay({ top: withId() })
    await vi.waitUntil(() => flow.calls().includes('settle'))
    const second = await flow.pay({ top: withId(), authorization: SECOND_NONCE })
    expect(second).toEqual(IDENTIFIER_IN_PROGRESS)
    expect(second).toMatchObject({ condition: 'waiting', charged: 'no', retryAfterSeconds: 2 })
    const third = await flow.pay({ top: withId(), authorization: THIRD_NONCE })
    expect(third).toEqual(IDENTIFIER_IN_PROGRESS)
  })

  test('does not keep another one out before it is verified', async () => {
    const flow = createTestPaymentFlow({ verify: [new Promise(() => {})] })
    void flow.pay({ top: withId() })
    await vi.waitUntil(() => flow.calls().includes('verify'))
    expect(await flow.pay({ top: withId(), authorization: SECOND_NONCE })).toEqual(
      expectedDelivery(),
    )
  })

  test('that was signed again is charged if the first was not', async () => {
    const flow = createTestPaymentFlow({
      verify: [{ kind: 'invalid', reason: 'insufficient_funds' }],
    })
    expect(await flow.pay({ top: withId() })).toMatchObject({ reason: 'insufficient_funds' })
    expect(await flow.pay({ top: withId(), authorization: SECOND_NONCE })).toEqual(
      expectedDelivery(),
    )
  })

  test('of another payer is its own', async () => {
    const flow = createTestPaymentFlow()
    await flow.pay({ top: withId() })
    expect(await flow.pay({ top: withId(), authorization: OTHER_PAYER })).toMatchObject({
      kind: 'delivered',
      isRedelivery: false,
      settlement: { payer: OTHER_PAYER.from },
    })
  })
})
