import { createApp } from '../../src/app.js'
import { loadConfig } from '../../src/config.js'
import type { AbortableDns } from '../../src/dns/dns.js'
import type { DohDns } from '../../src/dns/doh/doh-dns.js'

const LIVE = { PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' }

interface Caller {
  request(path: string, init?: RequestInit): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
}

export interface TestApp extends Caller {
  readonly faults: unknown[]
  /** A caller at this address; the app itself is asked by one at 192.0.2.1. */
  from(peerAddress: string | undefined): Caller
}

export interface TestAppOptions {
  readonly env?: Record<string, string>
  readonly isDraining?: () => boolean
  readonly now?: () => number
}

/** The whole application over a DNS of the test's choosing; live unless `env` says otherwise. */
export function testApp(
  dns: AbortableDns & Partial<DohDns>,
  { env = LIVE, isDraining = () => false, ...clock }: TestAppOptions = {},
): TestApp {
  const loaded = loadConfig({ BASE_URL: 'https://mailgrade.example', ...env })
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.faults))
  const faults: unknown[] = []
  const { http } = createApp({
    config: loaded.config,
    isDraining,
    log: { request: () => {}, problem: () => {}, fault: (error) => faults.push(error) },
    dns: { resolvers: [], close: () => {}, ...dns },
    ...clock,
  })
  const from = (remoteAddress: string | undefined): Caller => {
    const env = { incoming: { socket: { remoteAddress } } }
    const request = async (path: string, init: RequestInit = {}) => http.request(path, init, env)
    return { request, get: (path, headers = {}) => request(path, { headers }) }
  }
  return { faults, from, ...from('192.0.2.1') }
}
