/** The service itself, over a DNS in memory. */
import type { Hono } from 'hono'
import { createApp } from '../packages/server/src/app.js'
import { loadConfig } from '../packages/server/src/config.js'
import type { HttpEnv } from '../packages/server/src/http/http-env.js'
import { NETWORKS, type Terms } from '../packages/server/src/payments/terms.js'
import { openTill, type Till } from '../packages/server/src/payments/till.js'
import { FACILITATOR, PAYEE } from '../packages/server/src/sandbox/chain/wallets.js'
import { memoryState } from '../packages/server/src/state/open-state.js'
import { BASE_URL } from './pay-aims.js'
import { dns, log } from './pay-shell.js'

const NETWORK = 'eip155:84532'
const TERMS: Terms = { network: NETWORK, asset: NETWORKS[NETWORK].usdc, payTo: PAYEE }

/** Without an endpoint there is no chain, and every payment is good. */
export async function ourApp(rpcUrl: string | null): Promise<Hono<HttpEnv>> {
  const loaded = loadConfig({
    BASE_URL,
    PAY_TO_ADDRESS: PAYEE,
    X402_NETWORK: NETWORK,
    RPC_URL: rpcUrl ?? 'http://127.0.0.1:9',
    FACILITATOR_PRIVATE_KEY: FACILITATOR.privateKey,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.faults))
  const { config } = loaded
  const till = rpcUrl && config.payments ? await openTill(config.payments) : instantTill()
  const app = createApp({
    config,
    till,
    log,
    isDraining: () => false,
    state: memoryState({ config, now: () => performance.now(), wallClock: () => Date.now() }),
    dns: { resolvers: [], close: () => {}, ...dns },
  })
  return app.http
}

function instantTill(): Till {
  return {
    terms: TERMS,
    facilitator: {
      verify: async () => ({ kind: 'valid' }),
      settle: async () => ({ kind: 'settled', transaction: `0x${'ab'.repeat(32)}` }),
      complaint: async () => null,
    },
    trace: null,
  }
}
