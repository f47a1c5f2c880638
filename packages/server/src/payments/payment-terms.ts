/** What payments are made in: network, token, payee, and how to name them. */
import { keccak_256 } from '@noble/hashes/sha3'

export type NetworkId = 'eip155:8453' | 'eip155:84532'
export type HexText = `0x${string}`

export interface PaymentTerms {
  readonly network: NetworkId
  readonly asset: HexText
  readonly payTo: HexText
}

/** Of the nodes, in order of preference. */
export type RpcUrls = readonly [string, ...string[]]

/** How long a signed payment stays valid. */
export const MAX_TIMEOUT_SECONDS = 120

export const USDC_DECIMALS = 6

/** For logs and reports; too inexact to compare. */
export function toUsd(units: bigint | string): number {
  return Number(units) / 10 ** USDC_DECIMALS
}

interface Network {
  readonly name: string
  readonly chainId: number
  /** URL of a block explorer; append a transaction hash. */
  readonly explorer: string
  /** The public endpoint; it limits requests. */
  readonly rpcUrl: string
  readonly usdc: HexText
  /** The token's EIP-712 domain; Base and Base Sepolia differ. */
  readonly eip712Domain: { readonly name: string; readonly version: string }
}

export const NETWORKS: Record<NetworkId, Network> = {
  'eip155:8453': {
    name: 'Base',
    chainId: 8_453,
    explorer: 'https://basescan.org/tx/',
    rpcUrl: 'https://mainnet.base.org',
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    eip712Domain: { name: 'USD Coin', version: '2' },
  },
  'eip155:84532': {
    name: 'Base Sepolia',
    chainId: 84_532,
    explorer: 'https://sepolia.basescan.org/tx/',
    rpcUrl: 'https://sepolia.base.org',
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    eip712Domain: { name: 'USDC', version: '2' },
  },
}

export interface CurrencyOptions {
  readonly terms: PaymentTerms
  readonly isSandbox: boolean
}

/** The sandbox uses a test network's id but its own chain. */
export function describeCurrency({ terms, isSandbox }: CurrencyOptions): string {
  return isSandbox ? 'play money on the demo chain' : `USDC on ${NETWORKS[terms.network].name}`
}

/** EIP-55 encodes a checksum in the case of the letters; an address in one case has none. */
export function hasValidOrNoChecksum(address: string): boolean {
  const digits = address.slice(2)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isOneCase || isChecksumAddress(address)
}

export function isChecksumAddress(address: string): boolean {
  const digits = address.slice(2)
  const hash = Buffer.from(keccak_256(Buffer.from(digits.toLowerCase()))).toString('hex')
  return [...digits].every((digit, index) => {
    const isUpper = Number.parseInt(hash.charAt(index), 16) >= 8
    return digit === (isUpper ? digit.toUpperCase() : digit.toLowerCase())
  })
}
