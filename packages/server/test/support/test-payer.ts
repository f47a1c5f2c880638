/** A payer that signs by hand, with any field wrong if needed, or with the official x402 client. */
import { randomBytes } from 'node:crypto'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { type Address, createWalletClient, custom, type Hex, parseGwei, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { TEST_USDC_ABI } from '../../src/sandbox/token/generated/contracts.js'
import type { ChainServer } from './chain-server.js'
import { EIP3009_TYPES } from './eip3009.js'

interface Authorization {
  readonly from: Address
  readonly to: Address
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: Hex
}

/** Differences from what a correct client sends. */
export interface PaymentOverrides {
  readonly accepted?: Record<string, unknown>
  /** Before signing, so the signature is valid. */
  readonly authorization?: Partial<Authorization>
  /** After signing. */
  readonly tampered?: Record<string, unknown>
  readonly signature?: unknown
  /** Signs instead of the payer. */
  readonly signer?: PrivateKeyAccount
  /** For the whole payload; `undefined` removes a field. */
  readonly payload?: Record<string, unknown>
}

export interface TestPayer {
  readonly address: Address
  /** The value of a PAYMENT-SIGNATURE header. */
  /** Throws if no payment is required. */
  sign(required: PaymentRequired | null, overrides?: PaymentOverrides): Promise<string>
  /** Wraps fetch with @x402/fetch, which pays on 402. */
  wrapFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch
  /** Cancels an authorization on chain. */
  cancel(header: string): Promise<void>
  /** Transfers all funds of the payer to another address. */
  spendAll(): Promise<void>
  /** Uses the same nonce on chain to pay one unit to another address. */
  spendNonceElsewhere(header: string): Promise<void>
}

const OTHER_PAYEE: Address = '0x00000000000000000000000000000000000E15e0'

export const nowSeconds = () => Math.floor(Date.now() / 1_000)

export function encodeBase64Json(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON, valid or not
export function decodeBase64Json(header: string): any {
  return JSON.parse(Buffer.from(header, 'base64').toString())
}

export async function createTestPayer(chain: ChainServer, units?: bigint): Promise<TestPayer> {
  const account = await chain.newWallet(units)
  const { address } = account
  const domain = {
    name: 'USD Coin',
    version: '2',
    chainId: chain.chain.chainId,
    verifyingContract: chain.token,
  }
  const wallet = createWalletClient({ account, chain: base, transport: custom(chain.chain) })
  const contract = {
    address: chain.token,
    abi: TEST_USDC_ABI,
    // High, to be mined before other pending transactions.
    maxPriorityFeePerGas: parseGwei('50'),
    maxFeePerGas: parseGwei('100'),
  } as const

  function signTransfer(message: Authorization, signer = account): Promise<Hex> {
    const { value, validAfter, validBefore } = message
    return signer.signTypedData({
      domain,
      types: EIP3009_TYPES,
      primaryType: 'TransferWithAuthorization',
      message: {
        ...message,
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
      },
    })
  }

  return {
    address,
    async sign(required, { signer, ...overrides } = {}) {
      if (!required) throw new Error('no payment is required')
      const [offered] = required.accepts as [PaymentRequirements]
      const authorization = {
        from: address,
        to: offered.payTo as Address,
        value: offered.amount,
        validAfter: '0',
        validBefore: String(nowSeconds() + offered.maxTimeoutSeconds),
        nonce: toHex(randomBytes(32)),
        ...overrides.authorization,
      }
      const signature = await signTransfer(authorization, signer)
      return encodeBase64Json({
        x402Version: 2,
        resource: required.resource,
        accepted: { ...offered, ...overrides.accepted },
        payload: {
          signature: 'signature' in overrides ? overrides.signature : signature,
          authorization: { ...authorization, ...overrides.tampered },
        },
        extensions: required.extensions,
        ...overrides.payload,
      })
    },
    wrapFetch(fetch) {
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
      return wrapFetchWithPayment(fetch, client)
    },
    async cancel(header) {
      const { nonce } = decodeBase64Json(header).payload.authorization
      const message = { authorizer: address, nonce }
      const primaryType = 'CancelAuthorization'
      const signature = await account.signTypedData({
        domain,
        types: EIP3009_TYPES,
        primaryType,
        message,
      })
      const args = [address, nonce, signature] as const
      await wallet.writeContract({ ...contract, functionName: 'cancelAuthorization', args })
    },
    async spendAll() {
      const args = [OTHER_PAYEE, await chain.balanceOf(address)] as const
      await wallet.writeContract({ ...contract, functionName: 'transfer', args })
    },
    async spendNonceElsewhere(header) {
      const { authorization } = decodeBase64Json(header).payload
      const { from, to, value, ...rest } = { ...authorization, to: OTHER_PAYEE, value: '1' }
      const signature = await signTransfer({ from, to, value, ...rest })
      const { validAfter, validBefore, nonce } = rest
      await wallet.writeContract({
        ...contract,
        functionName: 'transferWithAuthorization',
        args: [from, to, 1n, BigInt(validAfter), BigInt(validBefore), nonce, signature],
      })
    },
  }
}
