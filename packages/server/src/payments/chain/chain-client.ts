import type { Chain, PublicClient, Transport } from 'viem'

export type ChainClient = PublicClient<Transport, Chain>
