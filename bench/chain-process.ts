/** The chain as a process of its own, so that its work is nobody's who has it done. */
import { SANDBOX_PAYEE } from '../packages/server/src/sandbox/chain/sandbox-wallets.js'
import { startChainServer } from '../packages/server/test/support/chain-server.js'

const server = await startChainServer({ chainId: 84_532 })

process.on('message', async () => {
  const paid = await server.balanceOf(SANDBOX_PAYEE)
  process.send?.({ calls: server.methods.length, paid: Number(paid) })
})
process.on('disconnect', () => process.exit())
process.send?.(server.url)
