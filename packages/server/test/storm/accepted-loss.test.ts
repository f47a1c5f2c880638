/**
 * A ledger that is damaged in the middle of sales, and no backup: the operator accepts the loss. Its
 * buyers may then have paid for nothing, so each such payment must be listed for a refund.
 */
import { expect, test } from 'vitest'
import { paymentId } from '../../src/payments/payment.js'
import type { ChainServer } from '../support/chain-server.js'
import { runReconcile } from '../support/reconcile-process.js'
import { type Charge, readCharges } from './charges.js'
import { DAMAGE_NAMES, damageLedger, expectRefusal } from './damaged-ledger.js'
import { createSeededRandom } from './seeded-random.js'
import { createStormClients } from './storm-clients.js'
import { createPayers } from './storm-payers.js'
import { SEED } from './storm-settings.js'
import { openStormSite } from './storm-site.js'

const WALLETS = 10
const BEFORE = 12
const AFTER = 6

test.concurrent.each(DAMAGE_NAMES)(
  'reconcile lists each payment that only the chain shows: %s',
  async (damage) => {
    const random = createSeededRandom(SEED)
    const site = await openStormSite({ facilitator: 'in-process', ledger: 'disk' }, random)
    try {
      const { chain, payee, dataDir, settings } = site
      const [instance] = site.instances
      const clients = await createStormClients(site, await createPayers(chain, WALLETS), random)
      const delivered = () => clients.sales.length

      const buying = clients.run(() => delivered() >= BEFORE + AFTER)
      await expect.poll(delivered).toBeGreaterThanOrEqual(BEFORE)
      await instance.kill()
      await damageLedger(dataDir, damage)
      const number = await expectRefusal(instance, dataDir)
      await expect(instance.restart({ ACCEPT_LEDGER_LOSS: String(number + 1) })).rejects.toThrow()
      await instance.restart({ ACCEPT_LEDGER_LOSS: String(number) })
      await buying
      expect(clients.problems).toEqual([])
      await instance.terminate()
      await instance.restart()
      const { out, err } = await runReconcile(settings, '--json')
      expect(err).toBe('')
      const listed: string[] = JSON.parse(out).transfersWithoutEntry.map(toReference)

      const { paid, open } = await site.stopAndReadLedger()
      const charged = (await readCharges(chain, payee)).map((charge) => idOf(charge, chain))
      const lost = charged.filter((id) => !paid.has(id) && !open.includes(id))
      expect(lost.length).toBeGreaterThan(0)
      expect(listed).toEqual(expect.arrayContaining(lost))
      expect(listed.filter((id) => paid.has(id))).toEqual([])
      // Nobody got a report for nothing.
      expect(charged).toEqual(expect.arrayContaining(clients.sales.map(({ id }) => id)))
    } finally {
      await site.stop()
    }
  },
)

const toReference = ({ reference }: { reference: string }) => reference

const idOf = ({ payer, nonce }: Charge, { token }: ChainServer) =>
  paymentId({ network: 'eip155:8453', asset: token, from: payer, nonce })
