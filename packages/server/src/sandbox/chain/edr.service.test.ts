import { expect, test } from 'vitest'
import { loadEdr, startEdr } from './edr.js'

test('explains what to install if EDR is missing', async () => {
  const missing = () => Promise.reject(new Error("Cannot find package '@nomicfoundation/edr'"))
  await expect(loadEdr(missing)).rejects.toThrow(
    'The demo chain needs the development packages. Run npm ci without --omit=dev, or set PAY_TO_ADDRESS',
  )
})

test('starts independent chains', async () => {
  const [one, two] = await Promise.all([startEdr(8453, []), startEdr(84532, [])])
  expect(await one('eth_chainId', [])).toEqual({ result: '0x2105' })
  expect(await two('eth_chainId', [])).toEqual({ result: '0x14a34' })
})
