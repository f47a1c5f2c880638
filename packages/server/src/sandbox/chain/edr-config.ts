import type { AccountOverride, ProviderConfig } from '@nomicfoundation/edr'
import { hexToBytes } from 'viem'
import { FAUCET_WALLET } from './sandbox-wallets.js'

const BLOCK_GAS_LIMIT = 60_000_000n

export interface EdrChainOptions {
  readonly chainId: number
  readonly hardfork: string
  readonly genesisState: readonly AccountOverride[]
}

export function edrConfig({ chainId, hardfork, genesisState }: EdrChainOptions): ProviderConfig {
  return {
    chainId: BigInt(chainId),
    networkId: BigInt(chainId),
    hardfork,
    genesisState: [...genesisState],
    // Only the faucet's: every other wallet signs for itself, as on a real chain.
    ownedAccounts: [FAUCET_WALLET.privateKey],
    // Seconds are too coarse for blocks as fast as ours; else the chain's clock would run ahead.
    allowBlocksWithSameTimestamp: true,
    // A call that reverts is an error, and a transaction that reverts is mined and has a receipt.
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    mining: {
      // We say when; see `miner.ts`.
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
