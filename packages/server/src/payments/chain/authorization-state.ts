/** Reads from the chain what became of an EIP-3009 authorization, and whether it paid us. */
import {
  type Hex,
  isAddressEqual,
  type Log,
  numberToHex,
  type PublicClient,
  pad,
  parseAbi,
  parseEventLogs,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  toEventSelector,
} from 'viem'
import { memoizeAsync } from '../../state/memoize-async.js'
import type { AuthorizationState, ReadAuthorizationState } from '../facilitator.js'
import type { Payment } from '../payment.js'
import { type HexText, NETWORKS, type NetworkId, type PaymentTerms } from '../payment-terms.js'

export const EIP3009_ABI = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const USED = toEventSelector('AuthorizationUsed(address,bytes32)')
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)')

/** Half an hour of Base blocks; endpoints limit the range of one request. */
export const BLOCKS_PER_SEARCH = 900n
/** A day and a quarter, longer than the ledger keeps a payment with an unknown outcome. */
export const MAX_SEARCHES = 60

export function createAuthorizationStateReader(
  client: PublicClient,
  { network }: Pick<PaymentTerms, 'network'>,
): ReadAuthorizationState {
  const checkChain = createChainCheck(client, network)

  async function findReceipt(hash: string) {
    try {
      return await client.getTransactionReceipt({ hash: hash as Hex })
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    }
  }

  /** False if the node never got the transaction, or has dropped it. */
  async function isKnown(hash: string): Promise<boolean> {
    try {
      await client.getTransaction({ hash: hash as Hex })
      return true
    } catch (error) {
      if (error instanceof TransactionNotFoundError) return false
      throw error
    }
  }

  /** Searches backwards, because most payments are read seconds after they were mined. */
  async function findUseOrCancellation({ authorization, payload }: Payment, latest: bigint) {
    const topics = [[USED, CANCELED], pad(lowerCase(authorization.from)), authorization.nonce]
    let last = latest
    for (let searches = 0; searches < MAX_SEARCHES && last >= 0n; searches++) {
      const first = last > BLOCKS_PER_SEARCH ? last - BLOCKS_PER_SEARCH : 0n
      const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) }
      const logs = await client.request({
        method: 'eth_getLogs',
        params: [{ address: tokenOf({ payload }), topics: topics as Hex[], ...range }],
      })
      if (logs[0]) return logs[0]
      last = first - 1n
    }
    return null
  }

  async function readUsedAuthorization(
    payment: Payment,
    latest: bigint,
    hasReverted: boolean,
  ): Promise<AuthorizationState> {
    const event = await findUseOrCancellation(payment, latest)
    const hash = event?.transactionHash
    // Without an event, the node that has the logs is behind the one that has the state.
    if (!hash) return { kind: 'unknown', cause: 'the AuthorizationUsed event is missing' }
    if (event.topics[0] === CANCELED) return { kind: 'void', hasReverted }
    const { logs } = await client.getTransactionReceipt({ hash })
    return paysUs(logs, payment)
      ? { kind: 'paid', transaction: hash }
      : { kind: 'void', hasReverted }
  }

  async function readState(
    payment: Payment,
    transactions: readonly string[],
  ): Promise<AuthorizationState> {
    await checkChain()
    // The operator may have changed the network since it was sold.
    if (!isSameText(payment.payload.accepted.network, network)) throw new WrongChain()
    const receipts = await Promise.all(transactions.map(findReceipt))
    const paid = receipts.find((receipt) => receipt && paysUs(receipt.logs, payment))
    if (paid) return { kind: 'paid', transaction: paid.transactionHash }
    const { number, timestamp } = await client.getBlock()
    const { from, nonce, validBefore } = payment.authorization
    const isUsed = await client.readContract({
      address: tokenOf(payment),
      abi: EIP3009_ABI,
      functionName: 'authorizationState',
      args: [lowerCase(from), nonce],
      // The same block as its time: an older state with a newer time would prove nothing.
      blockNumber: number,
    })
    const hasReverted = receipts.some((found) => found?.status === 'reverted')
    if (isUsed) return readUsedAuthorization(payment, number, hasReverted)
    // EIP-3009: a block accepts it only before that time, and later blocks have later times.
    if (timestamp >= BigInt(validBefore)) return { kind: 'expired' }
    const unmined = transactions.filter((_, index) => receipts[index] === null)
    return {
      kind: 'unused',
      hasReverted,
      isPending: (await Promise.all(unmined.map(isKnown))).includes(true),
    }
  }

  return (payment, transactions) =>
    readState(payment, transactions).catch((error: unknown) => ({
      kind: 'unknown',
      cause: error instanceof Error ? error.name : typeof error,
    }))
}

class WrongChain extends Error {
  override readonly name = 'WrongChain'
}

/** Until it has once been the right one: on another chain every authorization is unused. */
export function createChainCheck(client: PublicClient, network: NetworkId): () => Promise<void> {
  return memoizeAsync(async () => {
    if ((await client.getChainId()) !== NETWORKS[network].chainId) throw new WrongChain()
  })
}

/**
 * Asks the endpoints in order until one shows what became of the authorization. It has expired only
 * when all that answer show it: one with a wrong chain must not release a payment on its way.
 */
export function askInOrder(
  readers: readonly [ReadAuthorizationState, ...ReadAuthorizationState[]],
): ReadAuthorizationState {
  const [first, ...others] = readers
  return async (payment, transactions) => {
    let best = await first(payment, transactions)
    for (const read of others) {
      if (isFinal(best)) break
      best = combine(best, await read(payment, transactions))
    }
    return best
  }
}

function combine(earlier: AuthorizationState, later: AuthorizationState): AuthorizationState {
  // An endpoint that does not answer says less than one that is behind.
  if (later.kind === 'unknown') return earlier
  if (later.kind === 'expired' && earlier.kind !== 'unknown') return earlier
  if (later.kind !== 'unused' || earlier.kind !== 'unused') return later
  // One that is behind does not know that a transaction failed.
  return {
    kind: 'unused',
    hasReverted: earlier.hasReverted || later.hasReverted,
    isPending: earlier.isPending || later.isPending,
  }
}

function isFinal({ kind }: AuthorizationState): boolean {
  return kind === 'paid' || kind === 'void'
}

/**
 * True if the logs of a transaction show that this authorization was used to pay us. The payer may
 * have signed its nonce for another payee too, so the transfer must match. The token logs it right
 * after the use; other transfers in the transaction pay for something else.
 */
function paysUs(logs: Log[], { authorization, payload }: Payment): boolean {
  const asset = tokenOf({ payload })
  const { from, to, value, nonce } = authorization
  const events = parseEventLogs({ abi: EIP3009_ABI, logs }).filter((log) =>
    isAddressEqual(log.address, asset),
  )
  const use = events.find(
    (log) =>
      log.eventName === 'AuthorizationUsed' &&
      isAddressEqual(log.args.authorizer, lowerCase(from)) &&
      log.args.nonce === nonce.toLowerCase(),
  )
  return events.some(
    (log) =>
      log.eventName === 'Transfer' &&
      log.logIndex === Number(use?.logIndex) + 1 &&
      isAddressEqual(log.args.from, lowerCase(from)) &&
      isAddressEqual(log.args.to, lowerCase(to)) &&
      log.args.value === BigInt(value),
  )
}

/** The payment's own, because the operator may have changed it since. */
function tokenOf({ payload }: Pick<Payment, 'payload'>): HexText {
  return lowerCase(payload.accepted.asset as HexText)
}

function isSameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** viem rejects a mixed-case address with a wrong checksum. */
export function lowerCase(address: HexText): HexText {
  return `0x${address.slice(2).toLowerCase()}`
}
