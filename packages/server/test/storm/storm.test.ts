/**
 * Many payments from many wallets, while the facilitator, the endpoint of the chain, the resolver,
 * the store and the service are killed again and again. At the end every client has a report for
 * every payment that was charged, and the chain, the ledger and the clients agree.
 *
 * STORM_PAYMENTS sets how many in each variant; on a fast machine more follow until everything was
 * killed once. STORM_SEED repeats the order of kills and purchases.
 */
import { type Address, createPublicClient, custom, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { printCounts } from '../production/outcome-counts.js'
import type { ChainServer } from '../support/chain-server.js'
import { createContractPayer } from '../support/contract-wallets.js'
import { createTestPayer, type TestPayer } from '../support/test-payer.js'
import { startRandomKills } from './random-kills.js'
import { createSeededRandom } from './seeded-random.js'
import { createStormClients, type Sale } from './storm-clients.js'
import { PAYMENTS, SEED, WALLETS } from './storm-settings.js'
import { openStormSite, type StormVariant } from './storm-site.js'

const VARIANTS: readonly [string, StormVariant][] = [
  ['remote facilitator, ledger on disk', { facilitator: 'remote', ledger: 'disk' }],
  ['in-process facilitator, ledger on disk', { facilitator: 'in-process', ledger: 'disk' }],
  ['remote facilitator, two instances, one store', { facilitator: 'remote', ledger: 'store' }],
]

const A_THOUSAND_DOLLARS = 1_000_000_000n

/** Half of the wallets are contracts (EIP-1271), and some of those sign as in ERC-6492. */
function createPayers(chain: ChainServer): Promise<TestPayer[]> {
  const create = (index: number): Promise<TestPayer> => {
    if (index % 2 === 0) return createTestPayer(chain, A_THOUSAND_DOLLARS)
    return createContractPayer(chain, index % 5 === 0 ? 'wrapped' : 'honest', A_THOUSAND_DOLLARS)
  }
  return Promise.all(Array.from({ length: WALLETS }, (_, index) => create(index)))
}

test.concurrent.each(VARIANTS)(
  'every charge has its report: %s',
  { timeout: 900_000 + PAYMENTS * 20_000 },
  async (name, variant) => {
    const site = await openStormSite(variant)
    try {
      const random = createSeededRandom(SEED)
      const clients = await createStormClients(site, await createPayers(site.chain), random)
      const delivered = () => clients.sales.length
      const kills = startRandomKills(site, createSeededRandom(SEED + 1), delivered, PAYMENTS)
      const startedAt = performance.now()
      const begun = await clients.run((count) => count >= PAYMENTS && kills.hasKilledAll())
      const seconds = (performance.now() - startedAt) / 1_000
      await kills.stop()

      const { sales, problems, outcomes } = clients
      const title = `${name}, STORM_SEED=${SEED}`
      const rate = (sales.length / seconds).toFixed(1)
      printCounts(
        `${title}\n${sales.length} reports in ${seconds.toFixed(1)} s, ${rate} a second`,
        {
          ...outcomes,
          ...Object.fromEntries(
            Object.entries(kills.counts).map(([kind, count]) => [`${kind} killed`, count]),
          ),
        },
      )
      expect(problems).toEqual([])
      expect(sales).toHaveLength(begun)
      expect(new Set(sales.map(({ transaction }) => transaction)).size).toBe(begun)

      const charges = await readCharges(site.chain, site.payee)
      expect(sortByNonce(charges)).toEqual(sortByNonce(sales.map(toCharge)))
      const revenue = sales.reduce((sum, { units }) => sum + units, 0n)
      expect(await site.chain.balanceOf(site.payee)).toBe(revenue)

      const { paid, open } = await site.stopAndReadLedger()
      expect(open).toEqual([])
      expect(paid).toEqual(new Map(sales.map(({ id, transaction }) => [id, transaction])))
    } finally {
      await site.stop()
    }
  },
)

interface Charge {
  readonly nonce: string
  readonly payer: string
  readonly units: bigint
  readonly transaction: string
}

const toCharge = ({ nonce, payer, units, transaction }: Sale): Charge => ({
  nonce,
  payer,
  units,
  transaction,
})

const sortByNonce = (charges: readonly Charge[]): Charge[] =>
  charges.toSorted((one, other) => (one.nonce < other.nonce ? -1 : 1))

const EVENTS = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

/** Every authorization that paid the payee: the token logs its use right before the transfer. */
async function readCharges({ chain, token }: ChainServer, payee: Address): Promise<Charge[]> {
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
