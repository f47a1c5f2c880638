/**
 * Sends transactions from one account, many at a time.
 *
 * viem's nonce manager takes a number before it knows whether the transaction can be sent at all;
 * one that is refused then leaves a gap, and whatever follows waits behind it for ever. Here a
 * number is taken last, in turn, and given back when sending fails.
 */
import type { LocalAccount, PublicClient } from 'viem'
import { cachedFor } from '../cached-for.js'
import type { HexText } from '../payment-terms.js'

export interface GasPayer {
  send(request: { to: HexText; data: HexText }): Promise<HexText>
  /**
   * A transaction was not seen mined. The node may have lost it, and then whatever is numbered
   * behind it would wait for ever: the next one asks the node which number is due.
   */
  resetNonce(): void
}

/** Half a block: what it says cannot change sooner. */
const FEES_KEPT_MS = 1_000

/** What a transaction needs may grow between the estimate and the block. */
const withReserve = (gas: bigint) => (gas * 6n) / 5n

export function createGasPayer(client: PublicClient, account: LocalAccount): GasPayer {
  const { address } = account
  const estimateFees = cachedFor(() => client.estimateFeesPerGas(), {
    ms: FEES_KEPT_MS,
    now: () => performance.now(),
  })
  let nextNonce: number | null = null
  let lastInLine: Promise<unknown> = Promise.resolve()

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = lastInLine.then(work)
    lastInLine = turn.catch(() => {})
    return turn
  }

  async function send({ to, data }: { to: HexText; data: HexText }): Promise<HexText> {
    // What would revert does so here, before it costs gas or a number.
    const [gas, fees] = await Promise.all([
      client.estimateGas({ account: address, to, data }),
      estimateFees(),
    ])
    return inTurn(async () => {
      const nonce =
        nextNonce ?? (await client.getTransactionCount({ address, blockTag: 'pending' }))
      const transaction = {
        type: 'eip1559',
        nonce,
        gas: withReserve(gas),
        to,
        data,
        ...fees,
      } as const
      const serializedTransaction = await account.signTransaction({
        ...transaction,
        chainId: client.chain?.id ?? 0,
      })
      nextNonce = null
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
