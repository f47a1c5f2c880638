/** Reads from the token contract whether an EIP-3009 authorization was used, and whether it paid us. */
import { type Hex, isAddressEqual, type PublicClient, parseAbi, parseEventLogs } from 'viem'
import type { AuthorizationState, ReadAuthorizationState } from '../facilitator.js'
import type { Payment } from '../payment.js'
import type { HexText } from '../payment-terms.js'

const EIP3009_ABI = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

/** Half an hour of Base blocks, longer than the ledger keeps any payment. */
const BLOCKS_BACK = 900n

interface UsedEvent {
  readonly transactionHash: Hex
  readonly logIndex: number
}

export function createAuthorizationStateReader(
  client: PublicClient,
  asset: HexText,
): ReadAuthorizationState {
  async function findEvent(
    eventName: 'AuthorizationUsed' | 'AuthorizationCanceled',
    { authorization }: Payment,
  ) {
    const latest = await client.getBlockNumber()
    const logs = await client.getContractEvents({
      address: asset,
      abi: EIP3009_ABI,
      eventName,
      args: { authorizer: authorizerAddress(authorization), nonce: authorization.nonce },
      fromBlock: latest > BLOCKS_BACK ? latest - BLOCKS_BACK : 0n,
      toBlock: latest,
    })
    return logs[0] ?? null
  }

  /**
   * The payer may have signed the same nonce for another payee, so the transfer must match. The
   * token logs it right after the use; other transfers in the transaction pay for something else.
   */
  async function isTransferToPayee(
    { transactionHash, logIndex }: UsedEvent,
    { authorization }: Payment,
  ): Promise<boolean> {
    const { logs } = await client.getTransactionReceipt({ hash: transactionHash })
    const { from, to, value } = authorization
    return parseEventLogs({ abi: EIP3009_ABI, eventName: 'Transfer', logs }).some(
      (log) =>
        log.logIndex === logIndex + 1 &&
        isAddressEqual(log.address, asset) &&
        isAddressEqual(log.args.from, from) &&
        isAddressEqual(log.args.to, to) &&
        log.args.value === BigInt(value),
    )
  }

  return async function readAuthorizationState(payment): Promise<AuthorizationState> {
    const { authorization } = payment
    try {
      const isUsed = await client.readContract({
        address: asset,
        abi: EIP3009_ABI,
        functionName: 'authorizationState',
        args: [authorizerAddress(authorization), authorization.nonce],
      })
      if (!isUsed) return { kind: 'unused' }
      const used = await findEvent('AuthorizationUsed', payment)
      if (used) {
        return (await isTransferToPayee(used, payment))
          ? { kind: 'paid', transaction: used.transactionHash }
          : { kind: 'void' }
      }
      // With neither event, the node that has the logs is behind the one that has the state.
      return (await findEvent('AuthorizationCanceled', payment))
        ? { kind: 'void' }
        : { kind: 'unknown', cause: 'the AuthorizationUsed event is missing' }
    } catch (error) {
      return { kind: 'unknown', cause: error instanceof Error ? error.name : typeof error }
    }
  }
}

/** In lower case: viem rejects a mixed-case address with a wrong checksum. */
function authorizerAddress({ from }: Payment['authorization']): HexText {
  return `0x${from.slice(2).toLowerCase()}`
}
