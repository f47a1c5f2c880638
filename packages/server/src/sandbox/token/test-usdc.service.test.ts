/** The test USDC, compared with viem's EIP-712 and the behavior of Circle's token. */
import { readFileSync } from 'node:fs'
import {
  type Address,
  createWalletClient,
  custom,
  domainSeparator,
  type Hex,
  numberToHex,
  parseEventLogs,
  parseSignature,
  publicActions,
  serializeSignature,
  toHex,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { base, baseSepolia } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { EIP3009_TYPES } from '../../../test/support/eip3009.js'
import { mintTestUsdc, startSandboxChain } from '../chain/sandbox-chain.js'
import { FACILITATOR_WALLET, SANDBOX_PAYEE } from '../chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from './generated/contracts.js'

const CHAINS = [
  { chain: base, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin' },
  { chain: baseSepolia, token: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC' },
] as const

const TOKEN = 'packages/server/src/sandbox/token/'
const FOREVER = 2n ** 256n - 1n
const NONCE = toHex('one', { size: 32 })

describe.each(CHAINS)('on chain $chain.id', (facts) => {
  test('has the metadata of the real token', async () => {
    const { read, domain } = await setUp(facts)
    expect(await read('name')).toBe(facts.name)
    expect(await read('version')).toBe('2')
    expect(await read('symbol')).toBe('USDC')
    expect(await read('decimals')).toBe(6)
    expect(await read('DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain }))
  })

  test('an authorization transfers exactly its amount and emits events', async () => {
    const { pay, payer, events, read, token } = await setUp(facts)
    expect(await events(await pay())).toEqual([
      { eventName: 'AuthorizationUsed', args: { authorizer: payer.address, nonce: NONCE } },
      { eventName: 'Transfer', args: { from: payer.address, to: SANDBOX_PAYEE, value: 400n } },
    ])
    expect(await read('balanceOf', [payer.address])).toBe(600n)
    expect(await read('balanceOf', [SANDBOX_PAYEE])).toBe(400n)
    expect(await read('totalSupply')).toBe(1_000_001_000n)
    expect(token).toBe(facts.token)
  })

  test('a canceled authorization counts as used', async () => {
    const { cancel, pay, payer, events, read } = await setUp(facts)
    expect(await read('authorizationState', [payer.address, NONCE])).toBe(false)
    expect(await events(await cancel())).toEqual([
      { eventName: 'AuthorizationCanceled', args: { authorizer: payer.address, nonce: NONCE } },
    ])
    expect(await read('authorizationState', [payer.address, NONCE])).toBe(true)
    await expect(pay()).rejects.toThrow('FiatTokenV2: authorization is used or canceled')
    await expect(cancel()).rejects.toThrow('FiatTokenV2: authorization is used or canceled')
  })
})

describe('an authorization is rejected', () => {
  test('when used a second time', async () => {
    const { pay, read, payer } = await setUp()
    await pay()
    await expect(pay()).rejects.toThrow('FiatTokenV2: authorization is used or canceled')
    expect(await read('balanceOf', [payer.address])).toBe(600n)
  })

  test('from the second in which it expires', async () => {
    const { pay, stopTime, now } = await setUp()
    await stopTime(now + 100n)
    await expect(pay({ validBefore: now + 100n })).rejects.toThrow(
      'FiatTokenV2: authorization is expired',
    )
    await pay({ validBefore: now + 101n })
  })

  test('until the second after validAfter', async () => {
    const { pay, stopTime, now } = await setUp()
    await stopTime(now + 100n)
    await expect(pay({ validAfter: now + 100n })).rejects.toThrow(
      'FiatTokenV2: authorization is not yet valid',
    )
    await pay({ validAfter: now + 99n })
  })

  test.each([
    ['another amount', { value: 401n }],
    ['another payee', { to: FACILITATOR_WALLET.address }],
    ['another nonce', { nonce: toHex('two', { size: 32 }) }],
  ])('when it was signed for %s', async (_, signed) => {
    const { pay, sign } = await setUp()
    const signature = await sign('TransferWithAuthorization', signed)
    await expect(pay({ signature })).rejects.toThrow('FiatTokenV2: invalid signature')
  })

  test('when it was signed for another version of the token', async () => {
    const { pay, sign, domain } = await setUp()
    const signature = await sign('TransferWithAuthorization', {}, { ...domain, version: '1' })
    await expect(pay({ signature })).rejects.toThrow('FiatTokenV2: invalid signature')
  })

  test('when the balance is too small', async () => {
    const { pay, read, payer } = await setUp()
    await expect(pay({ value: 1_001n })).rejects.toThrow('ERC20: transfer amount exceeds balance')
    expect(await read('authorizationState', [payer.address, NONCE])).toBe(false)
  })

  test('with the high-s twin of its signature', async () => {
    const { pay, sign } = await setUp()
    const { r, s, yParity } = parseSignature(await sign('TransferWithAuthorization'))
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const twin = { r, s: numberToHex(order - BigInt(s), { size: 32 }), yParity: 1 - yParity }
    await expect(pay({ signature: serializeSignature(twin) })).rejects.toThrow(
      "ECRecover: invalid signature 's' value",
    )
  })

  test('with a malformed signature', async () => {
    const { pay } = await setUp()
    await expect(pay({ signature: '0x1234' })).rejects.toThrow('invalid signature length')
    await expect(pay({ signature: `0x${'00'.repeat(65)}` })).rejects.toThrow("'v' value")
  })

  test('when received by an account other than the payee', async () => {
    const { receive, sign } = await setUp()
    await expect(receive({ signature: await sign('ReceiveWithAuthorization') })).rejects.toThrow(
      'FiatTokenV2: caller must be the payee',
    )
    const to = FACILITATOR_WALLET.address
    await receive({ to, signature: await sign('ReceiveWithAuthorization', { to }) })
  })
})

describe('the overloads that take v, r and s', () => {
  test('transferWithAuthorization', async () => {
    const { authorization, payer, send, sign, read } = await setUp()
    const signature = split(await sign('TransferWithAuthorization'))
    await send('transferWithAuthorization', [...Object.values(authorization), ...signature])
    expect(await read('balanceOf', [payer.address])).toBe(600n)
  })

  test('receiveWithAuthorization', async () => {
    const { authorization, payer, send, sign, read } = await setUp()
    const to = FACILITATOR_WALLET.address
    const signature = split(await sign('ReceiveWithAuthorization', { to }))
    const args = [...Object.values({ ...authorization, to }), ...signature]
    await send('receiveWithAuthorization', args)
    expect(await read('balanceOf', [payer.address])).toBe(600n)
  })

  test('cancelAuthorization', async () => {
    const { payer, send, sign, read } = await setUp()
    const signature = split(await sign('CancelAuthorization'))
    await send('cancelAuthorization', [payer.address, NONCE, ...signature])
    expect(await read('authorizationState', [payer.address, NONCE])).toBe(true)
  })
})

describe('a contract signature (EIP-1271)', () => {
  test.each([
    // Returns the magic value for every call.
    [
      'is accepted',
      '0x7f1626ba7e000000000000000000000000000000000000000000000000000000005f5260205ff3',
      null,
    ],
    ['may be rejected by the contract', '0x5f5f5260205ff3', 'FiatTokenV2: invalid signature'],
    ['may revert', '0x5f5ffd', 'FiatTokenV2: invalid signature'],
    ['may come from an address that is not a wallet', '0x00', 'FiatTokenV2: invalid signature'],
  ])('%s', async (_, code, revertReason) => {
    const { request, payer, pay } = await setUp()
    await request({ method: 'hardhat_setCode', params: [payer.address, code] })
    const payment = pay({ signature: '0x' })
    if (revertReason) await expect(payment).rejects.toThrow(revertReason)
    else await payment
  })
})

test('implements ERC-20', async () => {
  const { events, payer, read, send } = await setUp()
  const owner = FACILITATOR_WALLET.address
  await send('mint', [owner, 100n])
  await send('transfer', [payer.address, 10n])
  expect(await read('balanceOf', [owner])).toBe(90n)
  await expect(send('transfer', [payer.address, 91n])).rejects.toThrow(
    'ERC20: transfer amount exceeds balance',
  )
  expect(await events(await send('approve', [owner, 50n]))).toEqual([
    { eventName: 'Approval', args: { owner, spender: owner, value: 50n } },
  ])
  await send('transferFrom', [owner, payer.address, 20n])
  expect(await read('allowance', [owner, owner])).toBe(30n)
  await expect(send('transferFrom', [owner, payer.address, 31n])).rejects.toThrow(
    'ERC20: transfer amount exceeds allowance',
  )
  await expect(send('transfer', [`0x${'00'.repeat(20)}`, 1n])).rejects.toThrow('zero address')
})

test('the stored bytecode matches the source', async () => {
  const script = new URL('../../../scripts/build-token.mjs', import.meta.url).href
  const { compileContracts } = (await import(script)) as {
    compileContracts(folder: string): unknown
  }
  const committed: unknown = JSON.parse(readFileSync(`${TOKEN}contracts.json`, 'utf8'))
  expect(compileContracts(TOKEN.slice('packages/server/'.length))).toEqual(committed)
})

interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

type Payment = Partial<Authorization & { readonly signature: Hex }>

/** A payer with 1,000 units, a payment of 400, and a facilitator that sends it. */
async function setUp(facts: (typeof CHAINS)[number] = CHAINS[0]) {
  const { chain: viemChain, token, name } = facts
  const chain = await startSandboxChain({ chainId: viemChain.id, token })
  const payer = privateKeyToAccount(generatePrivateKey())
  await mintTestUsdc(chain, payer.address, 1_000n)
  const facilitator = createWalletClient({
    account: privateKeyToAccount(FACILITATOR_WALLET.privateKey),
    chain: viemChain,
    transport: custom(chain),
  }).extend(publicActions)
  const { timestamp: now } = await facilitator.getBlock()
  const domain = { name, version: '2', chainId: viemChain.id, verifyingContract: token }
  const authorization: Authorization = {
    from: payer.address,
    to: SANDBOX_PAYEE,
    value: 400n,
    validAfter: 0n,
    validBefore: FOREVER,
    nonce: NONCE,
  }

  // Functions are called by name, which viem's types cannot follow.
  const call = (functionName: string, args: readonly unknown[]) =>
    ({ address: token, abi: TEST_USDC_ABI, functionName, args }) as never
  const read = (functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    facilitator.readContract(call(functionName, args))
  const send = (functionName: string, args: readonly unknown[]): Promise<Hex> =>
    facilitator.writeContract(call(functionName, args))
  const sign = (
    primaryType: keyof typeof EIP3009_TYPES,
    changes: Payment = {},
    signedDomain = domain,
  ) => signBy(payer, primaryType, { ...authorization, ...changes }, signedDomain)

  const authorize =
    (functionName: string, primaryType: keyof typeof EIP3009_TYPES) =>
    async ({ signature, ...changes }: Payment = {}) =>
      send(functionName, [
        ...Object.values({ ...authorization, ...changes }),
        signature ?? (await sign(primaryType, changes)),
      ])

  return {
    request: chain.request,
    token,
    payer,
    now,
    domain,
    authorization,
    read,
    send,
    sign,
    pay: authorize('transferWithAuthorization', 'TransferWithAuthorization'),
    receive: authorize('receiveWithAuthorization', 'ReceiveWithAuthorization'),
    cancel: async () =>
      send('cancelAuthorization', [payer.address, NONCE, await sign('CancelAuthorization')]),
    /** Mines a last block with this time and stops mining. */
    async stopTime(time: bigint) {
      await chain.request({ method: 'evm_setAutomine', params: [false] })
      await chain.request({ method: 'evm_mine', params: [numberToHex(time)] })
    },
    async events(hash: Hex) {
      const { logs } = await facilitator.getTransactionReceipt({ hash })
      const events = parseEventLogs({ abi: TEST_USDC_ABI, logs })
      return events.map(({ eventName, args }) => ({ eventName, args }))
    },
  }
}

function signBy(
  signer: PrivateKeyAccount,
  primaryType: keyof typeof EIP3009_TYPES,
  authorization: Authorization,
  domain: Record<string, unknown>,
): Promise<Hex> {
  const message = { ...authorization, authorizer: authorization.from }
  return signer.signTypedData({ domain, types: EIP3009_TYPES, primaryType, message })
}

function split(signature: Hex): [number, Hex, Hex] {
  const { r, s, yParity } = parseSignature(signature)
  return [27 + yParity, r, s]
}
