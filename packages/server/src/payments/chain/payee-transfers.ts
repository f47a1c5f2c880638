/** Lists the transfers to the payee, and the payment that each of them settled. */
import {
  type Hex,
  isAddressEqual,
  type Log,
  numberToHex,
  type PublicClient,
  pad,
  parseEventLogs,
  ResponseBodyTooLargeError,
  type RpcLog,
  toEventSelector,
} from 'viem'
import type { PayeeTransfer, ReadPayeeTransfers } from '../facilitator.js'
import { paymentId } from '../payment.js'
import type { PaymentTerms } from '../payment-terms.js'
import {
  BLOCKS_PER_SEARCH,
  createChainCheck,
  EIP3009_ABI,
  lowerCase,
  MAX_SEARCHES,
} from './authorization-state.js'
import { isNodeAnswer } from './chain-client.js'

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const MAX_CONCURRENT_READS = 10

/** In units of the token; every price is higher. Making many smaller transfers costs little. */
export const DUST_BELOW = 1_000n

export class SearchTooLong extends Error {
  override readonly name = 'SearchTooLong'
}

export function createPayeeTransferReader(
  client: PublicClient,
  { network, asset, payTo }: PaymentTerms,
): ReadPayeeTransfers {
  const withLimit = limitConcurrentCalls(MAX_CONCURRENT_READS)
  const checkChain = createChainCheck(client, network)

  /** Nodes limit the logs of one response: anyone can fill a range with transfers of nothing. */
  async function collect(first: bigint, last: bigint, found: FoundTransfers): Promise<void> {
    try {
      for (const log of await getTransferLogs(first, last)) add(log, found)
    } catch (error) {
      if (first === last || !isTooMuch(error)) throw error
      const middle = (first + last) / 2n
      await collect(first, middle, found)
      await collect(middle + 1n, last, found)
    }
  }

  function getTransferLogs(first: bigint, last: bigint) {
    const topics = [TRANSFER, null, pad(lowerCase(payTo))]
    const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) }
    return client.request({
      method: 'eth_getLogs',
      params: [{ address: asset, topics, ...range }],
    })
  }

  /** Searches backwards, because the block of a time is not known. */
  async function findTransfers(latest: bigint, since: number): Promise<FoundTransfers> {
    const found: FoundTransfers = { blocks: new Map(), dust: { ...NO_DUST } }
    let last = latest
    for (let searches = 0; searches < MAX_SEARCHES; searches++) {
      const first = last > BLOCKS_PER_SEARCH ? last - BLOCKS_PER_SEARCH : 0n
      const [{ timestamp }] = await Promise.all([
        client.getBlock({ blockNumber: first }),
        collect(first, last, found),
      ])
      if (first === 0n || timestamp < since) return found
      last = first - 1n
    }
    throw new SearchTooLong()
  }

  async function readBlockTimes(numbers: Iterable<bigint>): Promise<Map<bigint, number>> {
    const times = [...new Set(numbers)].map((blockNumber) =>
      withLimit(async () => {
        const { timestamp } = await client.getBlock({ blockNumber })
        return [blockNumber, Number(timestamp)] as const
      }),
    )
    return new Map(await Promise.all(times))
  }

  async function readTransaction(hash: Hex, blockTime: number): Promise<PayeeTransfer[]> {
    const { logs } = await withLimit(() => client.getTransactionReceipt({ hash }))
    return toPayeeTransfers(logs).map((transfer) => ({ ...transfer, transaction: hash, blockTime }))
  }

  /** The token logs the use of an authorization right before the transfer that it makes. */
  function toPayeeTransfers(logs: Log[]) {
    const events = parseEventLogs({ abi: EIP3009_ABI, logs }).filter((log) =>
      isAddressEqual(log.address, asset),
    )
    return events.flatMap((log) => {
      if (log.eventName !== 'Transfer' || log.args.value < DUST_BELOW) return []
      const { from, to, value: units } = log.args
      if (!isAddressEqual(to, lowerCase(payTo))) return []
      const use = events.find(({ logIndex }) => logIndex === log.logIndex - 1)
      const nonce = use?.eventName === 'AuthorizationUsed' ? use.args.nonce : null
      const id = nonce === null ? null : paymentId({ network, asset, from, nonce })
      return { paymentId: id, payer: from, units }
    })
  }

  return async (since) => {
    await checkChain()
    const { number, timestamp } = await client.getBlock()
    const { blocks, dust } = await findTransfers(number, since)
    const times = await readBlockTimes(blocks.values())
    const found = await Promise.all(
      [...blocks].map(([hash, block]) => readTransaction(hash, times.get(block) ?? 0)),
    )
    const transfers = found.flat().filter(({ blockTime }) => blockTime >= since)
    return {
      transfers: transfers.sort(byTime),
      dust,
      upTo: Number(timestamp),
    }
  }
}

interface FoundTransfers {
  /** The block of each transaction. */
  readonly blocks: Map<Hex, bigint>
  readonly dust: { count: number; units: bigint }
}

/** Keeps nothing of a transfer that is too small, because anyone can make a great many. */
function add({ data, transactionHash, blockNumber }: RpcLog, { blocks, dust }: FoundTransfers) {
  const units = BigInt(data)
  if (units < DUST_BELOW) {
    dust.count++
    dust.units += units
  } else if (transactionHash && blockNumber) {
    blocks.set(transactionHash, BigInt(blockNumber))
  }
}

/** The node refuses, or has more to say than is read of one answer. */
function isTooMuch(error: unknown): boolean {
  return isNodeAnswer(error) || error instanceof ResponseBodyTooLargeError
}

export const NO_DUST = { count: 0, units: 0n }

const byTime = (one: PayeeTransfer, other: PayeeTransfer) => one.blockTime - other.blockTime

/** A node that is behind shows fewer transfers, so all are asked and what any of them shows counts. */
export function mergePayeeTransfers(readers: readonly ReadPayeeTransfers[]): ReadPayeeTransfers {
  return async (since) => {
    const results = await Promise.allSettled(readers.map((read) => read(since)))
    const read = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (read.length === 0) throw results.find((result) => result.status === 'rejected')?.reason
    const byTransaction = new Map<string, PayeeTransfer[]>()
    for (const { transfers } of read) {
      for (const [hash, own] of groupByTransaction(transfers)) {
        if (!byTransaction.has(hash)) byTransaction.set(hash, own)
      }
    }
    return {
      transfers: [...byTransaction.values()].flat().sort(byTime),
      dust: read.reduce((most, { dust }) => (dust.count > most.count ? dust : most), NO_DUST),
      upTo: Math.min(...read.map(({ upTo }) => upTo)),
    }
  }
}

function groupByTransaction(transfers: readonly PayeeTransfer[]): Map<string, PayeeTransfer[]> {
  const groups = new Map<string, PayeeTransfer[]>()
  for (const transfer of transfers) {
    const { transaction } = transfer
    groups.set(transaction, [...(groups.get(transaction) ?? []), transfer])
  }
  return groups
}

/** Runs at most `limit` calls at once; the others wait in order. */
export function limitConcurrentCalls(limit: number) {
  const waiters: (() => void)[] = []
  let free = limit
  return async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiters.push(resolve))
    try {
      return await call()
    } finally {
      // Passed on directly, so a new call cannot overtake those that wait.
      const next = waiters.shift()
      if (next) next()
      else free += 1
    }
  }
}
