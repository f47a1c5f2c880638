/** An EVM inside this process: EDR, the one that Hardhat runs on. */
import type { AccountOverride, EdrContext } from '@nomicfoundation/edr'
import { type Address, type Hex, hexToBytes } from 'viem'
import { edrConfig } from './edr-config.js'
import { toNodeError } from './node-error.js'
import type { NodeRpcRequest, NodeRpcResponse } from './sandbox-json-rpc.js'

type Edr = typeof import('@nomicfoundation/edr')

const MISSING =
  "The sandbox's chain needs the development packages; " +
  'run npm ci without --omit=dev, or set PAY_TO_ADDRESS'

export interface GenesisAccount {
  readonly address: Address
  readonly balance?: bigint
  readonly code?: Hex
}

let loaded: Promise<{ edr: Edr; context: EdrContext }> | undefined

/** Starts a chain of the kind that Base is, with these accounts besides those that Base begins with. */
export async function startEdr(
  chainId: number,
  accounts: readonly GenesisAccount[],
): Promise<NodeRpcRequest> {
  loaded ??= load()
  const { edr, context } = await loaded
  const hardfork = edr.opLatestHardfork()
  const provider = await context.createProvider(
    edr.OP_CHAIN_TYPE,
    edrConfig({
      chainId,
      hardfork: edr.opHardforkToString(hardfork),
      genesisState: [...edr.opGenesisState(hardfork), ...accounts.map(toOverride)],
    }),
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    new edr.ContractDecoder(),
  )
  return async (method, params) => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 0, method, params })
    const { data } = await provider.handleRequest(request)
    const answer = (typeof data === 'string' ? JSON.parse(data) : data) as NodeRpcResponse
    return 'error' in answer ? { error: toNodeError(answer.error) } : answer
  }
}

/** By need only: the product is installed without it. EDR allows one context for a process. */
async function load() {
  const edr = await import('@nomicfoundation/edr').catch((cause: unknown) => {
    throw new Error(MISSING, { cause })
  })
  const context = new edr.EdrContext()
  await context.registerProviderFactory(edr.OP_CHAIN_TYPE, edr.opProviderFactory())
  return { edr, context }
}

function toOverride({ address, balance = 0n, code }: GenesisAccount): AccountOverride {
  return { address: hexToBytes(address), balance, ...(code && { code: hexToBytes(code) }) }
}
