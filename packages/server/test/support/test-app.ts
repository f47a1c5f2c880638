import type { DohDns } from '@mailgrade/doh'
import type { AbortableDns } from '@mailgrade/doh/dns'
import { createApp, type SharedState } from '../../src/app.js'
import type { PaymentBackend } from '../../src/payments/facilitator.js'
import type { OfferReceipts } from '../../src/payments/offer-receipt.js'
import { type HexText, NETWORKS } from '../../src/payments/payment-terms.js'
import { createMemoryState } from '../../src/state/open-state.js'
import { SILENT_LOG } from './silent-log.js'
import { testConfig } from './test-config.js'

export const LIVE_ENV = {
  PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  FACILITATOR_URL: 'http://127.0.0.1:9',
}

/** Takes no payments; for tests without payments. */
export const CLOSED_PAYMENT_BACKEND: PaymentBackend = {
  terms: {
    network: 'eip155:8453',
    asset: NETWORKS['eip155:8453'].usdc,
    payTo: LIVE_ENV.PAY_TO_ADDRESS as HexText,
  },
  facilitator: {
    recordsTransactions: false,
    verify: async () => ({ kind: 'unavailable', cause: 'closed' }),
    settle: async () => ({ kind: 'notSent', reason: null, cause: 'closed' }),
    healthProblem: async () => 'closed',
  },
  readAuthorizationState: async () => ({ kind: 'unknown', cause: 'closed' }),
  readPayeeTransfers: () => Promise.reject(new Error('closed')),
  readChainTime: () => Promise.reject(new Error('closed')),
}

interface Caller {
  request(path: string, init?: RequestInit): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
}

export interface TestApp extends Caller {
  /** Internal errors. */
  readonly faults: unknown[]
  /** How each payment ended. */
  readonly paymentOutcomes: string[]
  /** Each tool call and its outcome. */
  readonly toolCalls: string[]
  /** A caller at this address; the default is 192.0.2.1. */
  from(peerAddress: string | undefined): Caller
}

export interface TestAppOptions {
  readonly env?: Record<string, string>
  readonly isDraining?: () => boolean
  readonly now?: () => number
  readonly wallClock?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
  readonly waitBeforeProgress?: () => Promise<unknown>
  readonly paymentBackend?: PaymentBackend
  readonly offerReceipts?: OfferReceipts
  readonly state?: SharedState
}

/** The whole application with the test's DNS; live mode unless `env` says otherwise. */
export function createTestApp(
  dns: AbortableDns & Partial<DohDns>,
  {
    env = LIVE_ENV,
    isDraining = () => false,
    paymentBackend = CLOSED_PAYMENT_BACKEND,
    ...options
  }: TestAppOptions = {},
): TestApp {
  const { now = () => performance.now(), wallClock = () => Date.now() } = options
  const config = testConfig({ BASE_URL: 'https://mailgrade.example', ...env })
  const faults: unknown[] = []
  const paymentOutcomes: string[] = []
  const toolCalls: string[] = []
  const { http } = createApp({
    config,
    isDraining,
    paymentBackend: config.mode === 'off' ? null : paymentBackend,
    log: {
      ...SILENT_LOG,
      payment: ({ outcome }) => paymentOutcomes.push(outcome),
      toolCall: ({ tool, outcome }) => toolCalls.push(`${tool} ${outcome}`),
      error: (error) => faults.push(error),
    },
    dns: { resolvers: [], close: () => {}, ...dns },
    state: createMemoryState({ config, now, wallClock }),
    // On a busy machine any page may take longer than progress waits.
    waitBeforeProgress: () => new Promise(() => {}),
    ...options,
  })
  const from = (remoteAddress: string | undefined): Caller => {
    const env = { incoming: { socket: { remoteAddress } } }
    const request = async (path: string, init: RequestInit = {}) => http.request(path, init, env)
    return { request, get: (path, headers = {}) => request(path, { headers }) }
  }
  return { faults, paymentOutcomes, toolCalls, from, ...from('192.0.2.1') }
}
