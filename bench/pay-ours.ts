/** The service itself, over a DNS in memory. */
import type { Hono } from 'hono'
import { createApp } from '../packages/server/src/app.js'
import { loadConfig } from '../packages/server/src/config.js'
import type { HttpEnv } from '../packages/server/src/http/http-env.js'
import {
  openPaymentBackend,
  type PaymentBackend,
} from '../packages/server/src/payments/payment-backend.js'
import { NETWORKS, type PaymentTerms } from '../packages/server/src/payments/payment-terms.js'
import {
  FACILITATOR_WALLET,
  SANDBOX_PAYEE,
} from '../packages/server/src/sandbox/chain/sandbox-wallets.js'
import { createMemoryState } from '../packages/server/src/state/open-state.js'
import { BENCH_BASE_URL } from './pay-aims.js'
import { benchHttpLog, benchZoneDns } from './pay-shell.js'

const NETWORK = 'eip155:84532'
const TERMS: PaymentTerms = {
  network: NETWORK,
  asset: NETWORKS[NETWORK].usdc,
  payTo: SANDBOX_PAYEE,
}

/** Without an endpoint there is no chain, and every payment is good. */
export async function createMailgradeApp(rpcUrl: string | null): Promise<Hono<HttpEnv>> {
  const loaded = loadConfig({
    BASE_URL: BENCH_BASE_URL,
    PAY_TO_ADDRESS: SANDBOX_PAYEE,
    X402_NETWORK: NETWORK,
    RPC_URL: rpcUrl ?? 'http://127.0.0.1:9',
    FACILITATOR_PRIVATE_KEY: FACILITATOR_WALLET.privateKey,
    RATE_LIMIT_PER_MINUTE: '1000000',
  })
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.faults))
  const { config } = loaded
  const till = rpcUrl && config.payments ? await openPaymentBackend(config.payments) : instantTill()
  const app = createApp({
    config,
    paymentBackend: till,
    log: benchHttpLog,
    isDraining: () => false,
    state: createMemoryState({ config, now: () => performance.now(), wallClock: () => Date.now() }),
    dns: { resolvers: [], close: () => {}, ...benchZoneDns },
  })
  return app.http
}

function instantTill(): PaymentBackend {
  return {
    terms: TERMS,
    facilitator: {
      verify: async () => ({ kind: 'valid' }),
      settle: async () => ({ kind: 'settled', transaction: `0x${'ab'.repeat(32)}` }),
      healthProblem: async () => null,
    },
    readAuthorizationState: null,
  }
}
