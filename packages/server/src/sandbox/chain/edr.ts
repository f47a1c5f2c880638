/** An EVM in this process: EDR, which Hardhat uses too. */
import type { AccountOverride, EdrContext, ProviderConfig } from '@nomicfoundation/edr'
import { type Address, type Hex, hexToBytes } from 'viem'
import { FAUCET_WALLET } from './sandbox-wallets.js'

export interface NodeRpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type NodeRpcResponse = { readonly result: unknown } | { readonly error: NodeRpcError }

export type NodeRpcRequest = (
  method: string,
  params: readonly unknown[],
) => Promise<NodeRpcResponse>

type Edr = typeof import('@nomicfoundation/edr')

const MISSING =
  'The demo chain needs the development packages. ' +
  'Run npm ci without --omit=dev, or set PAY_TO_ADDRESS'

export interface GenesisAccount {
  readonly address: Address
  readonly balance?: bigint
  readonly code?: Hex
}

let loaded: Promise<{ edr: Edr; context: EdrContext }> | undefined

/** Starts a chain like Base, with these accounts in addition to Base's own. */
export async function startEdr(
  chainId: number,
  accounts: readonly GenesisAccount[],
): Promise<NodeRpcRequest> {
  loaded ??= loadEdr()
  const { edr, context } = await loaded
  const hardfork = edr.opLatestHardfork()
  const provider = await context.createProvider(
    edr.OP_CHAIN_TYPE,
    createEdrConfig(chainId, edr.opHardforkToString(hardfork), [
      ...edr.opGenesisState(hardfork),
      ...accounts.map(toOverride),
    ]),
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new edr.ContractDecoder(),
  )
  return async (method, params) => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 0, method, params })
    const { data } = await provider.handleRequest(request)
    const response = (typeof data === 'string' ? JSON.parse(data) : data) as NodeRpcResponse
    return 'error' in response ? { error: toNodeError(response.error) } : response
  }
}

/** Lazy, because production installs leave EDR out. It allows one context for each process. */
export async function loadEdr(
  importEdr: () => Promise<Edr> = () => import('@nomicfoundation/edr'),
) {
  const edr = await importEdr().catch((cause: unknown) => {
    throw new Error(MISSING, { cause })
  })
  const context = new edr.EdrContext()
  await context.registerProviderFactory(edr.OP_CHAIN_TYPE, edr.opProviderFactory())
  return { edr, context }
}

function toOverride({ address, balance = 0n, code }: GenesisAccount): AccountOverride {
  return { address: hexToBytes(address), balance, ...(code && { code: hexToBytes(code) }) }
}

const BLOCK_GAS_LIMIT = 60_000_000n

function createEdrConfig(
  chainId: number,
  hardfork: string,
  genesisState: AccountOverride[],
): ProviderConfig {
  return {
    chainId: BigInt(chainId),
    networkId: BigInt(chainId),
    hardfork,
    genesisState,
    // Only the faucet's key; all other wallets sign for themselves, as on a real chain.
    ownedAccounts: [FAUCET_WALLET.privateKey],
    // Several blocks may fall into one second; without this the chain's clock would run ahead.
    allowBlocksWithSameTimestamp: true,
    // A call that reverts is an error; a transaction that reverts is mined and has a receipt.
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    mining: {
      // `miner.ts` mines.
      autoMine: false,
      blockGasLimit: BLOCK_GAS_LIMIT,
      memPool: { order: 'Priority' as ProviderConfig['mining']['memPool']['order'] },
    },
    network: {
      genesisBlockGasLimit: BLOCK_GAS_LIMIT,
      genesisBlockTime: BigInt(Math.floor(Date.now() / 1_000)),
      genesisBlobGas: { gasUsed: 0n, excessGas: 0n },
    },
    defaultTransactionGasLimit: 16_777_216n,
    initialBaseFeePerGas: 1_000_000n,
    minGasPrice: 0n,
    initialParentBeaconBlockRoot: new Uint8Array(32),
    coinbase: hexToBytes('0x4200000000000000000000000000000000000011'),
    allowUnlimitedContractSize: false,
    observability: {},
    precompileOverrides: [],
  }
}

const METHOD_NOT_SUPPORTED = -32_004
const METHOD_NOT_FOUND = -32_601
const EXECUTION_REVERTED = 3

/** EDR's messages, and what Base nodes say instead: clients match on the latter. */
const NODE_MESSAGES: readonly (readonly [edr: RegExp, node: string])[] = [
  [/^Known transaction: .*/, 'already known'],
  [/^Transaction nonce too low\b/, 'nonce too low'],
  [/^Replacement transaction underpriced\b/, 'replacement transaction underpriced'],
  [/^Sender doesn't have enough funds to send tx\b/, 'insufficient funds for gas * price + value'],
]

export function toNodeError({ code, message, data }: NodeRpcError): NodeRpcError {
  if (isRevert(data))
    return { code: EXECUTION_REVERTED, message: revertMessage(message), data: data.data }
  // EDR's data repeats the request, which the sender has; it is left out.
  if (code === METHOD_NOT_SUPPORTED) return { code: METHOD_NOT_FOUND, message }
  const nodeMessage = NODE_MESSAGES.reduce((text, [edr, node]) => text.replace(edr, node), message)
  return { code, message: nodeMessage }
}

interface Revert {
  readonly reason: { readonly Revert: string }
  readonly data: string
}

function isRevert(data: unknown): data is Revert {
  return typeof (data as Revert | null | undefined)?.reason?.Revert === 'string'
}

function revertMessage(message: string): string {
  const reason = /^reverted with reason string '(.*)'$/s.exec(message)?.[1]
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}
