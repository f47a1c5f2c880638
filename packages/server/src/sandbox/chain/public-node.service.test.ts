/** The sandbox's chain, as strangers reach it. */
import { encodeFunctionData, type Hex, numberToHex, parseAbi, parseGwei } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { NETWORKS } from '../../payments/payment-terms.js'
import { openSandbox } from '../sandbox.js'
import { TEST_USDC_ABI } from '../token/generated/contracts.js'
import { PUBLIC_MAX_GAS } from './public-node.js'
import { type SandboxChain, startSandboxChain } from './sandbox-chain.js'
import { FAUCET_WALLET } from './sandbox-wallets.js'

const TOKEN = NETWORKS['eip155:84532'].usdc
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
const MULTICALL_ABI = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable',
])
const FEES = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: 0n }
const SENT = { result: expect.stringMatching(/^0x[0-9a-f]{64}$/) }
const NOT_NOW = {
  error: {
    code: -32_000,
    message: 'this transaction cannot be mined right now: check its nonce and fees',
  },
}

let chain: SandboxChain
beforeAll(async () => {
  chain = await startSandboxChain({ chainId: 84532, token: TOKEN, maxGas: PUBLIC_MAX_GAS })
})

async function ask(method: string, ...params: unknown[]) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return JSON.parse(await chain.handlePublicJsonRpc(text))
}

async function openAccount(): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey())
  const params = [account.address, numberToHex(10n ** 18n)]
  await chain.request({ method: 'hardhat_setBalance', params })
  return account
}

const sign = (account: PrivateKeyAccount, transaction: object): Promise<Hex> =>
  account.signTransaction({ chainId: 84532, gas: 21_000n, nonce: 0, ...FEES, ...transaction })

/** Reads a balance as often, for about 4,000 units of gas each. */
function readBalances(count: number): Hex {
  const args = [FAUCET_WALLET.address] as const
  const callData = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'balanceOf', args })
  const call = { target: TOKEN, allowFailure: false, callData } as const
  const calls = Array.from({ length: count }, () => call)
  return encodeFunctionData({ abi: MULTICALL_ABI, functionName: 'aggregate3', args: [calls] })
}

describe('a call', () => {
  test('gets 500,000 units of gas, whatever it asks for', async () => {
    const short = { to: MULTICALL, data: readBalances(20) }
    expect(await ask('eth_call', short)).toMatchObject({ result: expect.stringMatching(/^0x/) })
    for (const gas of [undefined, numberToHex(5_000_000)]) {
      const long = { to: MULTICALL, data: readBalances(200), gas }
      const error = { message: expect.stringContaining('limit of 500000') }
      expect(await ask('eth_call', long)).toMatchObject({ error })
      expect(await ask('eth_estimateGas', long)).toMatchObject({ error })
    }
  })

  test('of this process gets no more: payers name the contract that checks their payment', async () => {
    const params = [{ to: MULTICALL, data: readBalances(200), gas: numberToHex(5_000_000) }]
    await expect(chain.request({ method: 'eth_call', params })).rejects.toThrow('limit of 500000')
  })
})

describe('a transaction', () => {
  test('is mined before the next one is taken', async () => {
    const account = await openAccount()
    const own = { to: account.address }
    expect(await ask('eth_sendRawTransaction', await sign(account, own))).toMatchObject(SENT)
    const next = await sign(account, { ...own, nonce: 1 })
    expect(await ask('eth_sendRawTransaction', next)).toMatchObject(SENT)
  })

  test('that deploys code is rejected', async () => {
    const account = await openAccount()
    const deployment = await sign(account, { data: '0x5b600056', gas: 200_000n })
    expect(await ask('eth_sendRawTransaction', deployment)).toMatchObject({
      error: { message: 'this chain only runs its own contracts: send the call to one of them' },
    })
    expect(await ask('eth_getTransactionCount', account.address, 'pending')).toMatchObject({
      result: '0x0',
    })
  })

  test('may use 500,000 units of gas', async () => {
    const account = await openAccount()
    const transfer = { to: account.address, gas: PUBLIC_MAX_GAS + 1n }
    expect(await ask('eth_sendRawTransaction', await sign(account, transfer))).toMatchObject({
      error: { message: 'exceeds maximum gas of 500000' },
    })
    const most = await sign(account, { ...transfer, gas: PUBLIC_MAX_GAS })
    expect(await ask('eth_sendRawTransaction', most)).toMatchObject(SENT)
  })

  test.each([
    ['whose predecessor is missing', { nonce: 1 }],
    ['that pays too little', { maxFeePerGas: 1n }],
  ])('%s does not wait on the chain', async (_, fault) => {
    const account = await openAccount()
    const own = { to: account.address }
    const waiting = await sign(account, { ...own, ...fault })
    expect(await ask('eth_sendRawTransaction', waiting)).toMatchObject(NOT_NOW)
    expect(await ask('eth_sendRawTransaction', await sign(account, own))).toMatchObject(SENT)
    expect(await ask('eth_getTransactionCount', account.address, 'pending')).toMatchObject({
      result: '0x1',
    })
  })

  test.each(['0x', '0x00', 'text', null])('%j is rejected', async (text) => {
    expect(await ask('eth_sendRawTransaction', text)).toMatchObject({
      error: { message: 'invalid transaction' },
    })
  })
})

test('is what the sandbox offers', async () => {
  const { handleChainRpc } = await openSandbox()
  const ask = async (method: string, params: unknown[]) =>
    JSON.parse(await handleChainRpc(JSON.stringify({ id: 1, method, params })))
  expect(await ask('eth_chainId', [])).toMatchObject({ result: '0x14a34' })
  expect(await ask('eth_call', [{ data: '0x00' }])).toMatchObject({ error: { code: -32_000 } })
  const long = { to: MULTICALL, data: readBalances(200), gas: numberToHex(5_000_000) }
  expect(await ask('eth_call', [long])).toMatchObject({
    error: { message: expect.stringContaining('limit of 500000') },
  })
})
