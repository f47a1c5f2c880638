/** Asks the chain what became of a payment: its token remembers every authorization that is used up. */
import { type Hex, isAddressEqual, type PublicClient, parseAbi, parseEventLogs } from 'viem'
import type { AuthorizationState, ReadAuthorizationState } from '../facilitator.js'
import type { Payment } from '../payment.js'
import type { HexText } from '../payment-terms.js'

/** EIP-3009. */
const ABI = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

/** Half an hour of Base's blocks: more than any payment we remember is old. */
const BLOCKS_BACK = 900n

interface Use {
  readonly transactionHash: Hex
  readonly logIndex: number
}

export function createAuthorizationStateReader(
  client: PublicClient,
  asset: HexText,
): ReadAuthorizationState {
  async function find(
    eventName: 'AuthorizationUsed' | 'AuthorizationCanceled',
    { authorization }: Payment,
  ) {
    const latest = await client.getBlockNumber()
    const logs = await client.getContractEvents({
      address: asset,
      abi: ABI,
      eventName,
      args: { authorizer: ownerOf(authorization), nonce: authorization.nonce as Hex },
      fromBlock: latest > BLOCKS_BACK ? latest - BLOCKS_BACK : 0n,
      toBlock: latest,
    })
    return logs[0] ?? null
  }

  /**
   * The same nonce may have been signed for somebody else, too; only the transfer tells. The token
   * logs it right behind the use: another one in the same transaction pays for something else.
   */
  async function isPaidBy({ transactionHash, logIndex }: Use, { authorization }: Payment) {
    const { logs } = await client.getTransactionReceipt({ hash: transactionHash })
    const { from, to, value } = authorization
    return parseEventLogs({ abi: ABI, eventName: 'Transfer', logs }).some(
      (log) =>
        log.logIndex === logIndex + 1 &&
        isAddressEqual(log.address, asset) &&
        isAddressEqual(log.args.from, from as Hex) &&
        isAddressEqual(log.args.to, to as Hex) &&
        log.args.value === BigInt(value),
    )
  }

  return async function trace(payment): Promise<AuthorizationState> {
    const { authorization } = payment
    try {
      const isUsed = await client.readContract({
        address: asset,
        abi: ABI,
        functionName: 'authorizationState',
        args: [ownerOf(authorization), authorization.nonce as Hex],
      })
      if (!isUsed) return { kind: 'unused' }
      const use = await find('AuthorizationUsed', payment)
      if (use) {
        return (await isPaidBy(use, payment))
          ? { kind: 'paid', transaction: use.transactionHash }
          : { kind: 'void' }
      }
      // Neither: the node that knows the state is ahead of the one that has the logs.
      return (await find('AuthorizationCanceled', payment))
        ? { kind: 'void' }
        : { kind: 'unknown', cause: 'the log of its use is missing' }
    } catch (error) {
      return { kind: 'unknown', cause: error instanceof Error ? error.name : typeof error }
    }
  }
}

/** In lower case: viem takes no other for an address unless its checksum is right. */
function ownerOf({ from }: Payment['authorization']): Hex {
  return from.toLowerCase() as Hex
}
