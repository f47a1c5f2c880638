/** The sandbox's chain as viem, x402 and JSON-RPC clients see it. */
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as ClientScheme } from '@x402/evm/exact/client'
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator'
import { type PaymentPayload, x402Client } from '@x402/fetch'
import {
  type Account,
  createWalletClient,
  custom,
  type Hex,
  http,
  nonceManager,
  publicActions,
  type Transport,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base, baseSepolia } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  DEMO_PAYER_WALLET,
  FACILITATOR_WALLET,
  SANDBOX_PAYEE,
} from '../../src/sandbox/chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from '../../src/sandbox/token/generated/contracts.js'
import { type ChainServer, startChainServer } from '../support/chain-server.js'
import { EIP3009_TYPES } from '../support/eip3009.js'

const NO_RETRIES = { retryCount: 0 }

let server: ChainServer

beforeEach(async () => {
  server = await startChainServer({ chainId: 8453 })
})

afterEach(() => server.close())

describe('JSON-RPC', () => {
  test('funds the demo wallet, not the payee', async () => {
    expect(await server.balanceOf(DEMO_PAYER_WALLET.address)).toBe(1_000_000_000n)
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(0n)
  })

  test('answers a request, and a batch in order', async () => {
    const chainId = { jsonrpc: '2.0', id: 'a', method: 'eth_chainId', params: [] }
    expect(await ask(chainId)).toEqual({ jsonrpc: '2.0', id: 'a', result: '0x2105' })
    expect(
      await ask([
        { ...chainId, id: 2 },
        { id: 1, method: 'net_version' },
      ]),
    ).toEqual([
      { jsonrpc: '2.0', id: 2, result: '0x2105' },
      { jsonrpc: '2.0', id: 1, result: '8453' },
    ])
  })

  test('returns errors for invalid requests', async () => {
    const error = (code: number) => ({ error: expect.objectContaining({ code }) })
    expect(await ask({ id: 1, method: 'eth_nonsense' })).toMatchObject({ id: 1, ...error(-32601) })
    expect(await ask({ id: 1, method: 'eth_call', params: 'x' })).toMatchObject(error(-32600))
    expect(await ask([1])).toMatchObject([{ id: null, ...error(-32600) }])
    expect(JSON.parse(await server.chain.handleJsonRpc('{'))).toMatchObject(error(-32700))
  })

  test('returns the reason and data of a revert like a Base node', async () => {
    const transfer = `0xa9059cbb${'1'.padStart(64, '0')}${'1'.padStart(64, '0')}`
    const call = {
      id: 1,
      method: 'eth_call',
      params: [{ to: server.token, data: transfer }, 'latest'],
    }
    expect(await ask(call)).toMatchObject({
      error: {
        code: 3,
        message: 'execution reverted: ERC20: transfer amount exceeds balance',
        data: expect.stringMatching(/^0x08c379a0/),
      },
    })
  })

  test('rejects requests after it is closed', async () => {
    server.chain.close()
    await expect(server.chain.request({ method: 'eth_chainId' })).rejects.toThrow('closed')
    expect(await ask({ id: 1, method: 'eth_chainId' })).toMatchObject({ error: { code: -32000 } })
  })

  async function ask(request: unknown): Promise<unknown> {
    const response = await fetch(server.url, { method: 'POST', body: JSON.stringify(request) })
    return response.json()
  }
})

describe('transactions', () => {
  test('mines fifty concurrent transactions without moving the clock ahead', async () => {
    const client = walletClient(http(server.url), { isManaged: true })
    const hashes = await Promise.all(Array.from({ length: 50 }, () => mintOne(client)))
    const receipts = await Promise.all(
      hashes.map((hash) => client.waitForTransactionReceipt({ hash })),
    )
    expect(receipts.map(({ status }) => status)).toEqual(Array(50).fill('success'))
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(50n)
    expect((await client.getBlock()).timestamp).toBeLessThanOrEqual(Date.now() / 1_000)
  })

  test('accepts transactions from several clients', async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => server.newWallet()))
    await Promise.all(
      accounts.map((account) => mintOne(walletClient(http(server.url), { account }))),
    )
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(5n)
  })

  test('has no receipt for a held transaction until it is mined', async () => {
    const client = walletClient(http(server.url))
    await server.holdMining()
    const hash = await mintOne(client)
    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow('could not be found')
    expect(await client.getTransaction({ hash })).toMatchObject({ blockNumber: null })
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(0n)
    await server.mine()
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    const next = await mintOne(client)
    await server.releaseMining()
    expect(await client.getTransactionReceipt({ hash: next })).toMatchObject({ status: 'success' })
  })

  test('mines a reverted transaction with a receipt', async () => {
    const client = walletClient(http(server.url))
    const hash = await client.sendTransaction({ to: server.token, data: '0x1234', gas: 100_000n })
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'reverted' })
  })

  test('logs can be searched, fees estimated, states restored', async () => {
    const client = walletClient(http(server.url))
    const snapshot = await server.chain.request({ method: 'evm_snapshot' })
    await mintOne(client)
    const transfers = { address: server.token, abi: TEST_USDC_ABI, eventName: 'Transfer' } as const
    const toPayee = { ...transfers, args: { to: SANDBOX_PAYEE }, fromBlock: 0n } as const
    expect(await client.getContractEvents(toPayee)).toMatchObject([{ args: { value: 1n } }])
    expect((await client.estimateFeesPerGas()).maxFeePerGas).toBeGreaterThan(0n)
    expect(
      (await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })).reward,
    ).toHaveLength(2)
    await server.chain.request({ method: 'evm_revert', params: [snapshot] })
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(0n)
  })

  test('several contracts can be read in one call', async () => {
    const client = walletClient(custom(server.chain))
    const call = { address: server.token, abi: TEST_USDC_ABI } as const
    const results = await client.multicall({
      contracts: [
        { ...call, functionName: 'balanceOf', args: [DEMO_PAYER_WALLET.address] },
        { ...call, functionName: 'transfer', args: [SANDBOX_PAYEE, 1n] },
      ] as const,
    })
    expect(results).toMatchObject([
      { status: 'success', result: 1_000_000_000n },
      { status: 'failure', error: { message: expect.stringContaining('exceeds balance') } },
    ])
  })
})

describe('the network between may fail', () => {
  test('before the chain has heard of it', async () => {
    const client = walletClient(http(server.url, NO_RETRIES))
    const heal = server.dropConnections('eth_sendRawTransaction')
    await expect(mintOne(client)).rejects.toThrow('HTTP request failed')
    heal()
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(0n)
    await mintOne(client)
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(1n)
  })

  test('after the chain has done it', async () => {
    const client = walletClient(http(server.url, NO_RETRIES))
    server.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    await expect(mintOne(client)).rejects.toThrow('HTTP request failed')
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(1n)
    await mintOne(client)
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(2n)
  })

  test('or be slow', async () => {
    const hasty = walletClient(http(server.url, { ...NO_RETRIES, timeout: 50 }))
    const heal = server.delayResponses('eth_chainId', 500)
    await expect(hasty.getChainId()).rejects.toThrow('took too long')
    heal()
    const patient = walletClient(http(server.url, NO_RETRIES))
    expect(await patient.getChainId()).toBe(8453)
  })
})

describe.each([
  { viemChain: base, chainId: 8453, name: 'USD Coin' },
  { viemChain: baseSepolia, chainId: 84532, name: 'USDC' },
] as const)('x402 on chain $chainId', ({ viemChain, chainId, name }) => {
  const network = `eip155:${chainId}` as const

  beforeEach(async () => {
    await server.close()
    server = await startChainServer({ chainId })
  })

  test('a payment of the demo wallet is verified and settled', async () => {
    const { verify, settle } = facilitator()
    const payment = await paymentOf(privateKeyToAccount(DEMO_PAYER_WALLET.privateKey))
    expect(await verify(payment)).toMatchObject({ isValid: true, payer: DEMO_PAYER_WALLET.address })
    expect(await settle(payment)).toMatchObject({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      payer: DEMO_PAYER_WALLET.address,
    })
    expect(await server.balanceOf(SANDBOX_PAYEE)).toBe(10_000n)
  })

  test('an empty wallet cannot pay', async () => {
    const payment = await paymentOf(await server.newWallet(9_999n))
    expect(await refusal(payment)).toBe('invalid_exact_evm_insufficient_balance')
  })

  test('a payment cannot be used twice', async () => {
    const payment = await paymentOf(await server.newWallet())
    await facilitator().settle(payment)
    expect(await refusal(payment)).toBe('invalid_exact_evm_nonce_already_used')
  })

  test('a payment can be cancelled by its payer', async () => {
    const payer = await server.newWallet()
    const payment = await paymentOf(payer)
    const { nonce } = authorizationOf(payment)
    const signature = await payer.signTypedData({
      domain: { name, version: '2', chainId, verifyingContract: server.token },
      types: EIP3009_TYPES,
      primaryType: 'CancelAuthorization',
      message: { authorizer: payer.address, nonce },
    })
    await walletClient(custom(server.chain), { viemChain }).writeContract({
      address: server.token,
      abi: TEST_USDC_ABI,
      functionName: 'cancelAuthorization',
      args: [payer.address, nonce, signature],
    })
    expect(await refusal(payment)).toBe('invalid_exact_evm_nonce_already_used')
  })

  test('rejects a signature of another account', async () => {
    const payment = await paymentOf(await server.newWallet())
    const authorization = { ...authorizationOf(payment), from: DEMO_PAYER_WALLET.address }
    const forged = { ...payment, payload: { ...payment.payload, authorization } }
    expect(await refusal(forged)).toBe('invalid_exact_evm_signature')
  })

  test('a payment expires', async () => {
    const payment = await paymentOf(await server.newWallet(), { maxTimeoutSeconds: 5 })
    expect(await refusal(payment)).toBe('invalid_exact_evm_payload_authorization_valid_before')
  })

  function requirements(maxTimeoutSeconds = 60) {
    return {
      scheme: 'exact',
      network,
      amount: '10000',
      asset: server.token,
      payTo: SANDBOX_PAYEE,
      maxTimeoutSeconds,
      extra: { name, version: '2' },
    }
  }

  function paymentOf(
    payer: ConstructorParameters<typeof ClientScheme>[0],
    { maxTimeoutSeconds = 60 } = {},
  ): Promise<PaymentPayload> {
    return new x402Client().register(network, new ClientScheme(payer)).createPaymentPayload({
      x402Version: 2,
      resource: { url: 'http://localhost/v1/check' },
      accepts: [requirements(maxTimeoutSeconds)],
    })
  }

  function facilitator() {
    const client = walletClient(custom(server.chain), { viemChain })
    const { address } = client.account
    const signer = toFacilitatorEvmSigner({ ...client, address } as never)
    const x402 = new x402Facilitator().register(network, new FacilitatorScheme(signer))
    return {
      verify: (payment: PaymentPayload) => x402.verify(payment, payment.accepted),
      settle: (payment: PaymentPayload) => x402.settle(payment, payment.accepted),
    }
  }

  async function refusal(payment: PaymentPayload): Promise<string | undefined> {
    const { isValid, invalidReason } = await facilitator().verify(payment)
    expect(isValid).toBe(false)
    return invalidReason
  }
})

interface Sender {
  readonly account?: Account
  readonly isManaged?: boolean
  readonly viemChain?: typeof base | typeof baseSepolia
}

/** The facilitator's by default. */
function walletClient(transport: Transport, { account, isManaged, viemChain = base }: Sender = {}) {
  const options = isManaged ? { nonceManager } : {}
  return createWalletClient({
    account: account ?? privateKeyToAccount(FACILITATOR_WALLET.privateKey, options),
    chain: viemChain,
    transport,
  }).extend(publicActions)
}

function mintOne(client: ReturnType<typeof walletClient>): Promise<Hex> {
  return client.writeContract({
    address: server.token,
    abi: TEST_USDC_ABI,
    functionName: 'mint',
    args: [SANDBOX_PAYEE, 1n],
  })
}

const exactPayload = z.object({
  authorization: z.looseObject({
    from: z.templateLiteral(['0x', z.string()]),
    nonce: z.templateLiteral(['0x', z.string()]),
  }),
})

function authorizationOf({ payload }: PaymentPayload): { from: Hex; nonce: Hex } {
  return exactPayload.parse(payload).authorization
}
