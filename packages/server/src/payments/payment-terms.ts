/** On what terms we sell: who is paid, in which token, on which chain. */

export type NetworkId = 'eip155:8453' | 'eip155:84532'
export type HexText = `0x${string}`

export interface PaymentTerms {
  readonly network: NetworkId
  readonly asset: HexText
  readonly payTo: HexText
}

/** For how long a payment may be settled once it is signed. */
export const MAX_TIMEOUT_SECONDS = 120

export const USDC_DECIMALS = 6

interface Network {
  readonly name: string
  readonly chainId: number
  /** Where people look up a transaction, by its hash behind it. */
  readonly explorer: string
  readonly usdc: HexText
  /** What the token calls itself in EIP-712 signatures; Base and its test network differ. */
  readonly domain: { readonly name: string; readonly version: string }
}

export const NETWORKS: Record<NetworkId, Network> = {
  'eip155:8453': {
    name: 'Base',
    chainId: 8_453,
    explorer: 'https://basescan.org/tx/',
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    domain: { name: 'USD Coin', version: '2' },
  },
  'eip155:84532': {
    name: 'Base Sepolia',
    chainId: 84_532,
    explorer: 'https://sepolia.basescan.org/tx/',
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    domain: { name: 'USDC', version: '2' },
  },
}
