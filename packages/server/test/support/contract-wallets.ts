/** Payers that are contracts (EIP-1271, ERC-6492), honest ones and hostile ones. */
import { randomBytes } from 'node:crypto'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import {
  type Address,
  createWalletClient,
  custom,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  pad,
  parseGwei,
  publicActions,
  serializeErc6492Signature,
  toHex,
} from 'viem'
import { base } from 'viem/chains'
import { TEST_USDC_ABI } from '../../src/sandbox/token/generated/contracts.js'
import type { ChainServer } from './chain-server.js'
import {
  COSTLY_WALLET_CODE,
  GAS_BURNING_WALLET_CODE,
  GAS_LEFT_WALLET_CODE,
  GAS_PRICE_WALLET_CODE,
  HONEST_WALLET_ABI,
  HONEST_WALLET_CODE,
  TEST_WALLET_FACTORY_ABI,
  TEST_WALLET_FACTORY_CODE,
} from './contracts/generated/contracts.js'
import { EIP3009_TYPES } from './eip3009.js'
import {
  createTestPayer,
  decodeBase64Json,
  encodeBase64Json,
  type TestPayer,
} from './test-payer.js'

const WALLET_CODES = {
  honest: HONEST_WALLET_CODE,
  /** Valid only without a gas price, as in a call; otherwise it returns too much data. */
  'gas-price': GAS_PRICE_WALLET_CODE,
  /** Valid in calls and with the estimated gas, invalid with a fifth more. */
  'gas-left': GAS_LEFT_WALLET_CODE,
  /** Valid, for 1.3 million units of gas. */
  costly: COSTLY_WALLET_CODE,
  /** Valid, for 12 million units of gas. */
  'gas-burning': GAS_BURNING_WALLET_CODE,
}

/** `wrapped` and `counterfactual` sign as in ERC-6492; the latter does not exist yet. */
export type ContractWalletKind = keyof typeof WALLET_CODES | 'wrapped' | 'counterfactual'

const MODES = { byKind: 0, honest: 1, rejecting: 2 } as const

export interface ContractPayer extends TestPayer {
  /** What the owner lets the wallet do with signatures from now on. */
  setMode(mode: keyof typeof MODES): Promise<void>
}

interface Wallet {
  readonly address: Address
  readonly wrapSignature: (signature: Hex) => Hex
}

/** High, to be mined before other pending transactions. */
const FEES = { maxPriorityFeePerGas: parseGwei('50'), maxFeePerGas: parseGwei('100') } as const
const OTHER_PAYEE: Address = '0x00000000000000000000000000000000000E15e0'

/** A payer with one dollar by default. */
export async function createContractPayer(
  chain: ChainServer,
  kind: ContractWalletKind,
  units = 1_000_000n,
): Promise<ContractPayer> {
  const owner = await chain.newWallet(0n)
  const client = createWalletClient({ account: owner, chain: base, transport: custom(chain.chain) })
  const { address, wrapSignature } =
    kind === 'wrapped' || kind === 'counterfactual'
      ? await prepareWithFactory(chain, owner.address, kind === 'wrapped')
      : await placeWallet(chain, owner.address, WALLET_CODES[kind])
  await chain.fund(address, units)
  const keyPayer = await createTestPayer(chain, 0n)
  const domain = {
    name: 'USD Coin',
    version: '2',
    chainId: chain.chain.chainId,
    verifyingContract: chain.token,
  }
  const wallet = { address, abi: HONEST_WALLET_ABI, ...FEES } as const
  const token = { address: chain.token, abi: TEST_USDC_ABI, ...FEES } as const

  const setMode: ContractPayer['setMode'] = async (mode) => {
    await client.writeContract({ ...wallet, functionName: 'setMode', args: [MODES[mode]] })
  }

  return {
    address,
    setMode,
    async sign(required, overrides = {}) {
      const header = await keyPayer.sign(required, {
        signer: owner,
        ...overrides,
        authorization: { from: address, ...overrides.authorization },
      })
      if ('signature' in overrides) return header
      const payment = decodeBase64Json(header)
      payment.payload.signature = wrapSignature(payment.payload.signature)
      return encodeBase64Json(payment)
    },
    wrapFetch(fetch) {
      const signTypedData = async (data: unknown) =>
        wrapSignature(await owner.signTypedData(data as Parameters<typeof owner.signTypedData>[0]))
      const scheme = new ExactEvmScheme({ address, signTypedData })
      return wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', scheme))
    },
    async cancel(header) {
      const { nonce } = decodeBase64Json(header).payload.authorization
      const signature = await owner.signTypedData({
        domain,
        types: EIP3009_TYPES,
        primaryType: 'CancelAuthorization',
        message: { authorizer: address, nonce },
      })
      await setMode('honest')
      const args = [address, nonce, encodeSignature(signature)] as const
      await client.writeContract({ ...token, functionName: 'cancelAuthorization', args })
      await setMode('byKind')
    },
    async spendAll() {
      const data = encodeFunctionData({
        abi: TEST_USDC_ABI,
        functionName: 'transfer',
        args: [OTHER_PAYEE, await chain.balanceOf(address)],
      })
      const args = [chain.token, data] as const
      await client.writeContract({ ...wallet, functionName: 'execute', args })
    },
    async spendNonceElsewhere(header) {
      const { authorization } = decodeBase64Json(header).payload
      const message = {
        from: address,
        to: OTHER_PAYEE,
        value: 1n,
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
        nonce: authorization.nonce as Hex,
      }
      const signature = await owner.signTypedData({
        domain,
        types: EIP3009_TYPES,
        primaryType: 'TransferWithAuthorization',
        message,
      })
      const { from, to, value, validAfter, validBefore, nonce } = message
      await setMode('honest')
      await client.writeContract({
        ...token,
        functionName: 'transferWithAuthorization',
        args: [from, to, value, validAfter, validBefore, nonce, encodeSignature(signature)],
      })
      await setMode('byKind')
    },
  }
}

/** The owner's index and signature, as TestWallets.sol expects them. */
function encodeSignature(signature: Hex): Hex {
  return encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [0n, signature])
}

async function placeWallet(chain: ChainServer, owner: Address, code: Hex): Promise<Wallet> {
  const address = await placeCode(chain, code)
  const params = [address, '0x0', pad(owner)]
  await chain.chain.request({ method: 'hardhat_setStorageAt', params })
  return { address, wrapSignature: encodeSignature }
}

async function placeCode(chain: ChainServer, code: Hex): Promise<Address> {
  const address = toHex(randomBytes(20))
  await chain.chain.request({ method: 'hardhat_setCode', params: [address, code] })
  return address
}

async function prepareWithFactory(
  chain: ChainServer,
  owner: Address,
  isDeployed: boolean,
): Promise<Wallet> {
  const factory = await placeCode(chain, TEST_WALLET_FACTORY_CODE)
  const deployment = {
    address: factory,
    abi: TEST_WALLET_FACTORY_ABI,
    functionName: 'deploy',
    args: [owner, toHex(randomBytes(32))],
  } as const
  const account = await chain.newWallet(0n)
  const client = createWalletClient({
    account,
    chain: base,
    transport: custom(chain.chain),
  }).extend(publicActions)
  const { result: address } = await client.simulateContract(deployment)
  if (isDeployed) await client.writeContract(deployment)
  const data = encodeFunctionData(deployment)
  return {
    address,
    wrapSignature: (signature) =>
      serializeErc6492Signature({ address: factory, data, signature: encodeSignature(signature) }),
  }
}
