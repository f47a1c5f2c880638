import { verifyTypedData } from 'viem'
import { expect, test } from 'vitest'
import { DEMO_PAYER_WALLET } from './chain/sandbox-wallets.js'
import { createDemoWallet } from './sandbox.js'

const handle = createDemoWallet(84_532)

const ask = async (method: string, params: unknown[] = []) =>
  JSON.parse(await handle(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })))

const typedData = {
  types: {
    EIP712Domain: [{ name: 'name', type: 'string' }],
    Greeting: [{ name: 'words', type: 'string' }],
  },
  primaryType: 'Greeting',
  domain: { name: 'Test' },
  message: { words: 'hello' },
} as const

test('returns the demo payer and the sandbox chain id', async () => {
  const account = { jsonrpc: '2.0', id: 7, result: [DEMO_PAYER_WALLET.address] }
  expect(await ask('eth_requestAccounts')).toEqual(account)
  expect(await ask('eth_accounts')).toEqual(account)
  expect(await ask('eth_chainId')).toMatchObject({ result: '0x14a34' })
})

test('signs typed data as the demo payer', async () => {
  const params = [DEMO_PAYER_WALLET.address, JSON.stringify(typedData)]
  const { result: signature } = await ask('eth_signTypedData_v4', params)
  const { address } = DEMO_PAYER_WALLET
  expect(await verifyTypedData({ ...typedData, address, signature })).toBe(true)
})

test.each([[[]], [['0x0', '{']], [['0x0', '{}']]])(
  'rejects invalid parameters: %j',
  async (params) => {
    expect(await ask('eth_signTypedData_v4', params)).toMatchObject({ error: { code: -32602 } })
  },
)

test.each(['eth_sendTransaction', 'personal_sign', 'toString'])(
  'does not support %s',
  async (method) => {
    expect(await ask(method)).toMatchObject({ id: 7, error: { code: -32601 } })
  },
)

test.each(['{', 'null', '[]', '1'])('answers the malformed request %s', async (text) => {
  expect(JSON.parse(await handle(text))).toMatchObject({ id: null, error: { code: -32601 } })
})
