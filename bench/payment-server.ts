/** One of the compared payment servers: ours, the stock middleware, a free one or a fixed 402. */
import { randomBytes, randomUUID } from 'node:crypto'
import { createReportDns } from '@mailgrade/doh'
import { createZoneDns } from '@mailgrade/doh/zone'
import { type RunOperation, type Runtime, runOperation } from '@mailgrade/operations/run-operation'
import { score } from '@mailgrade/operations/score'
import { x402Facilitator } from '@x402/core/facilitator'
import type { FacilitatorClient } from '@x402/core/server'
import type { Network, PaymentRequired, SupportedResponse } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as ExactEvmFacilitator } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/hono'
import { Hono, type MiddlewareHandler } from 'hono'
import { type Abi, createWalletClient, http, publicActions } from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { createApp } from '../packages/server/src/app.js'
import { loadConfig } from '../packages/server/src/config.js'
import { addGetRoute } from '../packages/server/src/http/add-route.js'
import { accessLog, commonHeaders, requestId } from '../packages/server/src/http/http-app.js'
import { startHttpServer } from '../packages/server/src/http/http-server.js'
import { freeReportHandler } from '../packages/server/src/http/report-handlers.js'
import {
  createReadCaller,
  createReadRequestContext,
} from '../packages/server/src/http/request-context.js'
import type { HttpEnv } from '../packages/server/src/http/respond.js'
import type { PaymentBackend } from '../packages/server/src/payments/facilitator.js'
import { openPaymentBackend } from '../packages/server/src/payments/payment-backend.js'
import { NETWORKS } from '../packages/server/src/payments/payment-terms.js'
import {
  FACILITATOR_WALLET,
  SANDBOX_PAYEE,
} from '../packages/server/src/sandbox/chain/sandbox-wallets.js'
import { createMemoryState } from '../packages/server/src/state/open-state.js'
import { createAppLog, createLogger } from '../packages/server/src/telemetry/log.js'
import { BENCH_BASE_URL } from './bench-targets.js'
import { benchZoneText } from './bench-zones.js'
import type { FixedResponse } from './http-load.js'
import './report-usage.js'

const { BENCH_SERVER, BENCH_RPC, BENCH_REQUIRED = '{}', BENCH_RESPONSE = '{}' } = process.env
/** Changes of our own configuration. */
const { BENCH_CONFIG = '{}' } = process.env
/** Without a chain, every payment is accepted. */
const rpcUrl = BENCH_RPC || null

const NETWORK = 'eip155:84532'
const TRANSACTION = `0x${'ab'.repeat(32)}` as const
const log = createAppLog(createLogger('info'))
/** Answers from memory, as DNS is not measured here. */
const dns = createZoneDns('bench', benchZoneText())

async function createBenchApp(): Promise<Hono<HttpEnv>> {
  switch (BENCH_SERVER) {
    case 'ours':
      return createMailgradeApp()
    case 'stock':
      return createScoreApp(createStockMiddleware(JSON.parse(BENCH_REQUIRED)))
    case 'free':
      return createScoreApp()
    default:
      return createFixedApp(JSON.parse(BENCH_RESPONSE))
  }
}

/** The least work a 402 can take. */
function createFixedApp({ body, headers }: FixedResponse): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.get('*', (c) => c.body(body, 402, headers))
  return app
}

async function createMailgradeApp(): Promise<Hono<HttpEnv>> {
  const loaded = loadConfig({
    BASE_URL: BENCH_BASE_URL,
    PAY_TO_ADDRESS: SANDBOX_PAYEE,
    X402_NETWORK: NETWORK,
    RPC_URL: rpcUrl ?? 'http://127.0.0.1:9',
    FACILITATOR_PRIVATE_KEY: FACILITATOR_WALLET.privateKey,
    RATE_LIMIT_PER_MINUTE: '1000000',
    ETH_USD: '1',
    ...JSON.parse(BENCH_CONFIG),
  })
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.faults))
  const { config } = loaded
  const app = createApp({
    config,
    paymentBackend:
      rpcUrl && config.payments ? await openPaymentBackend(config.payments) : instantBackend(),
    log,
    isDraining: () => false,
    state: createMemoryState({ config, now: () => performance.now(), wallClock: () => Date.now() }),
    dns: { resolvers: [], close: () => {}, ...dns },
  })
  return app.http
}

function instantBackend(): PaymentBackend {
  return {
    terms: { network: NETWORK, asset: NETWORKS[NETWORK].usdc, payTo: SANDBOX_PAYEE },
    facilitator: {
      recordsTransactions: false,
      verify: async () => ({ kind: 'valid' }),
      settle: async () => ({
        kind: 'sent',
        isClaimedPaid: true,
        transaction: TRANSACTION,
        cause: '',
      }),
      healthProblem: async () => null,
    },
    readAuthorizationState: async () => ({ kind: 'paid', transaction: TRANSACTION }),
    readPayeeTransfers: async () => ({ transfers: [], dust: { count: 0, units: 0n }, upTo: 0 }),
    readChainTime: async () => 0,
  }
}

/**
 * The score as a free report with our headers, request ids and access log. The stock middleware
 * goes in front of it, so the compared servers differ only in how they take payments.
 */
function createScoreApp(...middleware: MiddlewareHandler[]): Hono<HttpEnv> {
  const runtime: Runtime = {
    openReportDns: (_, signal) =>
      createReportDns(dns, { deadlineMs: 5_000, ...(signal && { signal }) }),
    now: () => performance.now(),
    currentTime: () => new Date(),
    baseUrl: BENCH_BASE_URL,
    randomLabel: () => randomBytes(10).toString('hex'),
  }
  const run: RunOperation = (request, { signal }) => runOperation(request, runtime, signal())
  const app = new Hono<HttpEnv>()
  app.use(requestId(randomUUID))
  app.use(commonHeaders({ baseUrl: BENCH_BASE_URL, isDraining: () => false }))
  app.use(accessLog(log, runtime.now))
  for (const handler of middleware) app.use(handler)
  const readRequestContext = createReadRequestContext(createReadCaller(0))
  const handler = freeReportHandler(score, { runOperation: run, readRequestContext, log })
  addGetRoute(app, score.path, handler)
  return app
}

/** @x402/hono with the price and the payee that our own 402 states. */
function createStockMiddleware(required: PaymentRequired): MiddlewareHandler {
  const { resource, accepts, extensions } = required
  const [accepted] = accepts
  if (!resource || !accepted || !extensions) throw new Error('the 402 of our server is incomplete')
  const { scheme, network, payTo, maxTimeoutSeconds } = accepted
  const { url, ...description } = resource
  const facilitator = rpcUrl ? chainFacilitator(rpcUrl, network) : instantFacilitator(network)
  const server = new x402ResourceServer(facilitator).register(network, new ExactEvmScheme())
  const route = {
    accepts: { scheme, network, price: `$${score.price}`, payTo, maxTimeoutSeconds },
    resource: url,
    ...description,
    extensions,
  }
  return paymentMiddleware({ [`GET ${score.path}`]: route }, server)
}

function instantFacilitator(network: Network): FacilitatorClient {
  return {
    verify: async () => ({ isValid: true }),
    settle: async () => ({ success: true, transaction: TRANSACTION, network }),
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network }],
      extensions: [],
      signers: {},
    }),
  }
}

function chainFacilitator(url: string, network: Network): FacilitatorClient {
  const facilitator = new x402Facilitator().register(
    network,
    new ExactEvmFacilitator(createStockSigner(url)),
  )
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => facilitator.getSupported() as SupportedResponse,
  }
}

/** viem with its defaults; our own settings of it are part of the comparison. */
function createStockSigner(url: string) {
  const account = privateKeyToAccount(FACILITATOR_WALLET.privateKey, { nonceManager })
  const transport = http(url)
  const client = createWalletClient({ account, chain: baseSepolia, transport }).extend(
    publicActions,
  )
  return toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args) => client.getCode(args),
    readContract: (args) => client.readContract({ ...args, abi: args.abi as Abi }),
    // x402 types the arguments of these two more loosely than viem does.
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract: (args) => client.writeContract({ ...args, abi: args.abi as Abi } as never),
    sendTransaction: (args) => client.sendTransaction(args),
    waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
  })
}

const { port } = await startHttpServer(await createBenchApp(), {
  host: '127.0.0.1',
  port: 0,
  baseUrl: BENCH_BASE_URL,
  trustProxyHops: Number(JSON.parse(BENCH_CONFIG).TRUST_PROXY_HOPS ?? 0),
  newRequestId: () => randomUUID(),
  onClientError: () => {},
})
process.send?.(port)
