/**
 * Sends transactions from one account, many at a time.
 *
 * viem's nonce manager takes a nonce before it knows whether the transaction can be sent. A failed
 * one leaves a gap that blocks all later transactions. Here a nonce is taken last, one at a time,
 * and reused if sending fails.
 */
import { keccak256, type LocalAccount } from 'viem'
import { memoizeAsync } from '../../state/memoize-async.js'
import { GAS_TOO_EXPENSIVE } from '../payment-problems.js'
import type { HexText } from '../payment-terms.js'
import type { ChainClient } from './chain-client.js'

export interface GasPayer {
  send(request: GasPayerRequest): Promise<HexText>
  /**
   * Call this if a transaction was not seen mined. The node may have dropped it, so the next
   * transaction reads the nonce from the node again.
   */
  resetNonce(): void
}

export interface GasPayerRequest {
  readonly to: HexText
  readonly data: HexText
  /** Units of gas; a transaction that needs more is not sent. */
  readonly maxGas: bigint
  /** What its gas may cost in wei; a transaction that costs more is not sent. */
  readonly maxCost: bigint
  /** Called with the hash before the transaction is sent, and what its gas costs by now in wei. */
  readonly recordTransaction: (hash: HexText, cost: bigint) => Promise<void>
}

/** The transaction was not sent: it needs more gas than any wallet should. */
export class TooMuchGas extends Error {
  override readonly name = 'TooMuchGas'
}

/** The transaction was not sent: its gas would cost more than it earns, now that gas is expensive. */
export class GasTooExpensive extends Error {
  override readonly name = GAS_TOO_EXPENSIVE
}

/** Half a block time; fees do not change faster. */
const FEE_CACHE_MS = 1_000

interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * Room for a base fee that doubles, which takes a minute at least: one that overtakes a transaction
 * would stop all later ones of this account. With less room nothing is sent; the tip shrinks first.
 */
function capFees({ maxFeePerGas, maxPriorityFeePerGas: tip }: Fees, maxPerGas: bigint) {
  // viem leaves room for a fifth.
  const baseFee = ((maxFeePerGas - tip) * 10n) / 12n
  const room = maxPerGas - 2n * baseFee
  if (room <= 0n) throw new GasTooExpensive()
  const maxPriorityFeePerGas = min(tip, room)
  return { baseFee, maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

const min = (one: bigint, other: bigint) => (one < other ? one : other)

/** Writing a balance costs that much more if it is zero: the payee may move all of it meanwhile. */
const EMPTIED_BALANCE = 20_000n

/** The gas needed may grow by 20% between the estimate and the block, and by an emptied balance. */
function limitGas(gas: bigint, maxGas: bigint): bigint {
  const limit = (gas * 6n) / 5n
  if (limit > maxGas) throw new TooMuchGas()
  return min(limit + EMPTIED_BALANCE, maxGas)
}

export function createGasPayer(client: ChainClient, account: LocalAccount): GasPayer {
  const { address } = account
  const estimateFees = memoizeAsync(() => client.estimateFeesPerGas(), {
    ttlMs: FEE_CACHE_MS,
    now: () => performance.now(),
  })
  let nextNonce: number | null = null
  let queueTail: Promise<unknown> = Promise.resolve()

  function enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = queueTail.then(task)
    queueTail = result.catch(() => {})
    return result
  }

  async function send(request: GasPayerRequest): Promise<HexText> {
    const { to, data, maxGas, maxCost, recordTransaction } = request
    // A call that would revert fails here, before it costs gas or a nonce.
    const [gas, fees] = await Promise.all([
      // With a limit, a node does not run a call for longer than we would pay for.
      client.estimateGas({ account: address, to, data, gas: maxGas }),
      estimateFees(),
    ])
    const limit = limitGas(gas, maxGas)
    const { baseFee, maxFeePerGas, maxPriorityFeePerGas } = capFees(fees, maxCost / limit)
    const expectedCost = limit * (baseFee + maxPriorityFeePerGas)
    return enqueue(async () => {
      const nonce =
        nextNonce ?? (await client.getTransactionCount({ address, blockTag: 'pending' }))
      const serializedTransaction = await account.signTransaction({
        type: 'eip1559',
        nonce,
        gas: limit,
        to,
        data,
        maxFeePerGas,
        maxPriorityFeePerGas,
        chainId: client.chain.id,
      })
      nextNonce = null
      await recordTransaction(keccak256(serializedTransaction), expectedCost)
      const hash = await client.sendRawTransaction({ serializedTransaction })
      nextNonce = nonce + 1
      return hash
    })
  }

  return {
    send,
    resetNonce() {
      nextNonce = null
    },
  }
}
