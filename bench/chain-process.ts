/** The chain in its own process, so its CPU time is not counted for a measured server. */
import { SANDBOX_PAYEE } from '../packages/server/src/sandbox/chain/sandbox-wallets.js'
import { startChainServer } from '../packages/server/test/support/chain-server.js'

const server = await startChainServer({ chainId: 84_532 })

process.on('message', async (requestId) => {
  const paid = await server.balanceOf(SANDBOX_PAYEE)
  process.send?.({ requestId, calls: server.methods.length, paid: Number(paid) })
})
process.on('disconnect', () => process.exit())
process.send?.(server.url)
