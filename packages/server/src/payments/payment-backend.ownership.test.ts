import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { provesOwnership } from './payment-backend.js'

const payee = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const baseUrl = 'https://mailgrade.example/mail'
const payTo = payee.address

test('the payee signs the origin, without a path or a slash', async () => {
  const signature = await payee.signMessage({ message: 'https://mailgrade.example' })
  expect(await provesOwnership(signature, { baseUrl, payTo })).toBe(true)
  expect(await provesOwnership(signature, { baseUrl, payTo: payTo.toLowerCase() })).toBe(true)
})

test.each(['https://mailgrade.example/', 'mailgrade.example', baseUrl])(
  'a signature of %s proves nothing',
  async (message) => {
    const signature = await payee.signMessage({ message })
    expect(await provesOwnership(signature, { baseUrl, payTo })).toBe(false)
  },
)

test('another key proves nothing, nor does a signature that is none', async () => {
  const receiptKey = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const signature = await receiptKey.signMessage({ message: 'https://mailgrade.example' })
  expect(await provesOwnership(signature, { baseUrl, payTo })).toBe(false)
  expect(await provesOwnership(`0x${'ff'.repeat(65)}`, { baseUrl, payTo })).toBe(false)
})
