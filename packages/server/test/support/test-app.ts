import type { DohDns } from '@mailgrade/doh'
import type { AbortableDns } from '@mailgrade/doh/dns'
import { createApp, type SharedState } from '../../src/app.js'
import { type HexText, NETWORKS } from '../../src/payments/terms.js'
import type { Till } from '../../src/payments/till.js'
import { memoryState } from '../../src/state/open-state.js'
import { configOf } from './load-config.js'
import { SILENT } from './silent-log.js'

export const LIVE = {
  PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  FACILITATOR_URL: 'http://127.0.0.1:9',
}

/** Takes no payments; for tests of everything else. */
export const CLOSED_TILL: Till = {
  terms: {
    network: 'eip155:8453',
    asset: NETWORKS['eip155:8453'].usdc,
    payTo: LIVE.PAY_TO_ADDRESS as HexText,
  },
  facilitator: {
    verify: async () => ({ kind: 'unavailable', cause: 'closed' }),
    settle: async () => ({ kind: 'unknown', cause: 'closed' }),
    complaint: async () => 'closed',
  },
  trace: null,
}

interface Caller {
  request(path: string, init?: RequestInit): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
}

export interface TestApp extends Caller {
  readonly faults: unknown[]
  /** How each payment ended. */
  readonly sales: string[]
  /** Which tools were called, and how that ended. */
  readonly calls: string[]
  /** A caller at this address; the app itself is asked by one at 192.0.2.1. */
  from(peerAddress: string | undefined): Caller
}

export interface TestAppOptions {
  readonly env?: Record<string, string>
  readonly isDraining?: () => boolean
  readonly now?: () => number
  readonly wallClock?: () => number
  readonly till?: Till
  readonly state?: SharedState
}

/** The whole application over a DNS of the test's choosing; live unless `env` says otherwise. */
export function testApp(
  dns: AbortableDns & Partial<DohDns>,
  { env = LIVE, isDraining = () => false, till = CLOSED_TILL, ...options }: TestAppOptions = {},
): TestApp {
  const { now = () => performance.now(), wallClock = () => Date.now() } = options
  const config = configOf({ BASE_URL: 'https://mailgrade.example', ...env })
  const faults: unknown[] = []
  const sales: string[] = []
  const calls: string[] = []
  const { http } = createApp({
    config,
    isDraining,
    till,
    log: {
      ...SILENT,
      sale: ({ outcome }) => sales.push(outcome),
      call: ({ tool, outcome }) => calls.push(`${tool} ${outcome}`),
      fault: (error) => faults.push(error),
    },
    dns: { resolvers: [], close: () => {}, ...dns },
    state: memoryState({ config, now, wallClock }),
    ...options,
  })
  const from = (remoteAddress: string | undefined): Caller => {
    const env = { incoming: { socket: { remoteAddress } } }
    const request = async (path: string, init: RequestInit = {}) => http.request(path, init, env)
    return { request, get: (path, headers = {}) => request(path, { headers }) }
  }
  return { faults, sales, calls, from, ...from('192.0.2.1') }
}
