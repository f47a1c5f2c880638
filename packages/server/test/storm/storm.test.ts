/**
 * Many payments from many wallets, while the facilitator, the endpoint of the chain, the resolver,
 * the store and the service are killed again and again, the clock of the service jumps, and a ledger
 * on disk is damaged and restored. At the end every client has a report for every payment that was
 * charged, and the chain, the ledger and the clients agree.
 *
 * STORM_PAYMENTS sets how many in each variant; on a fast machine more follow until everything was
 * killed once. STORM_SEED repeats the order of kills and purchases.
 */
import { expect, test } from 'vitest'
import { printCounts } from '../production/outcome-counts.js'
import { type Charge, readCharges } from './charges.js'
import { startRandomKills } from './random-kills.js'
import { createSeededRandom } from './seeded-random.js'
import { createStormClients, type Sale } from './storm-clients.js'
import { createPayers } from './storm-payers.js'
import { PAYMENTS, SEED, WALLETS } from './storm-settings.js'
import { openStormSite, type StormVariant } from './storm-site.js'
import { startClockJumps } from './wrong-clocks.js'

const VARIANTS: readonly [string, StormVariant][] = [
  ['remote facilitator, ledger on disk', { facilitator: 'remote', ledger: 'disk' }],
  ['in-process facilitator, ledger on disk', { facilitator: 'in-process', ledger: 'disk' }],
  ['remote facilitator, two instances, one store', { facilitator: 'remote', ledger: 'store' }],
]

test.concurrent.each(VARIANTS)(
  'every charge has its report: %s',
  { timeout: 900_000 + PAYMENTS * 20_000 },
  async (name, variant) => {
    const site = await openStormSite(variant, createSeededRandom(SEED + 2))
    try {
      const random = createSeededRandom(SEED)
      const clients = await createStormClients(
        site,
        await createPayers(site.chain, WALLETS),
        random,
      )
      const delivered = () => clients.sales.length
      const kills = startRandomKills(site, createSeededRandom(SEED + 1), delivered, PAYMENTS)
      const jumps = startClockJumps(site.clocks, createSeededRandom(SEED + 3), clients.answered)
      const startedAt = performance.now()
      const begun = await Promise.race([
        clients.run((count) => count >= PAYMENTS && kills.hasKilledAll()),
        kills.failure,
      ])
      const seconds = (performance.now() - startedAt) / 1_000
      await kills.stop()
      await jumps.stop()

      const { sales, problems, outcomes } = clients
      const title = `${name}, STORM_SEED=${SEED}`
      const rate = (sales.length / seconds).toFixed(1)
      printCounts(
        `${title}\n${sales.length} reports in ${seconds.toFixed(1)} s, ${rate} a second`,
        {
          ...outcomes,
          ...Object.fromEntries(
            Object.entries(kills.counts).map(([kind, count]) => [`${kind} lost`, count]),
          ),
          ...Object.fromEntries(
            Object.entries(site.jumps).map(([jump, count]) => [`clock ${jump}`, count]),
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

const toCharge = ({ nonce, payer, units, transaction }: Sale): Charge => ({
  nonce,
  payer,
  units,
  transaction,
})

const sortByNonce = (charges: readonly Charge[]): Charge[] =>
  charges.toSorted((one, other) => (one.nonce < other.nonce ? -1 : 1))
