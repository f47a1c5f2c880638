import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.doUnmock('@nomicfoundation/edr')
  vi.resetModules()
})

test('explains what to install if EDR is missing', async () => {
  vi.doMock('@nomicfoundation/edr', () => {
    throw new Error("Cannot find package '@nomicfoundation/edr'")
  })
  const { startEdr } = await import('./edr.js')
  await expect(startEdr(8453, [])).rejects.toThrow(
    'The demo chain needs the development packages. Run npm ci without --omit=dev, or set PAY_TO_ADDRESS',
  )
})

test('starts independent chains', async () => {
  const { startEdr } = await import('./edr.js')
  const [one, two] = await Promise.all([startEdr(8453, []), startEdr(84532, [])])
  expect(await one('eth_chainId', [])).toEqual({ result: '0x2105' })
  expect(await two('eth_chainId', [])).toEqual({ result: '0x14a34' })
})
