/** What the chain shows that was charged. */
import { type Address, createPublicClient, custom, parseAbi } from 'viem'
import type { ChainServer } from '../support/chain-server.js'

export interface Charge {
  readonly nonce: string
  readonly payer: string
  readonly units: bigint
  readonly transaction: string
}

const EVENTS = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

/** Every authorization that paid the payee: the token logs its use right before the transfer. */
export async function readCharges(
  { chain, token }: ChainServer,
  payee: Address,
): Promise<Charge[]> {
  const client = createPublicClient({ transport: custom(chain) })
  const options = { address: token, abi: EVENTS, fromBlock: 0n } as const
  const uses = await client.getContractEvents({ ...options, eventName: 'AuthorizationUsed' })
  const transfers = await client.getContractEvents({
    ...options,
    eventName: 'Transfer',
    args: { to: payee },
  })
  const position = (hash: string, logIndex: number) => `${hash} ${logIndex}`
  const nonces = new Map(
    uses.map(({ transactionHash, logIndex, args }) => [
      position(transactionHash, logIndex),
      args.nonce,
    ]),
  )
  return transfers.map(({ transactionHash: transaction, logIndex, args }) => ({
    nonce: nonces.get(position(transaction, logIndex - 1)) ?? 'none',
    payer: String(args.from).toLowerCase(),
    units: args.value ?? 0n,
    transaction,
  }))
}
