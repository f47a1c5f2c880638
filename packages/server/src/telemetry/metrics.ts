/** The metrics of this process, and the server that Prometheus scrapes. */
import { createServer } from 'node:http'
import { hasTool } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { RELEASE_VERSION } from '@mailgrade/operations/release-version'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Config } from '../config.js'
import { listen } from '../http/http-server.js'
import type { PaymentTerms } from '../payments/payment-terms.js'
import type { Ledger } from '../state/ledger.js'
import { createMetricEvents } from './metric-events.js'

type ListenAddress = Parameters<typeof listen>[1]

export interface MetricsServer {
  readonly port: number
  close(): void
}

/** State that is read at each scrape. */
export interface GaugeSources {
  readonly reports: { running(): number; waiting(): number; readonly limit: number }
  readonly resolvers: readonly { readonly name: string; isPaused(): boolean }[]
  /** Rejects when a shared store is unavailable. */
  readonly ledger: Pick<Ledger, 'size' | 'listUnknown'>
  /** Null without a shared store. */
  readonly isStoreUp: (() => boolean) | null
  readonly isDraining: () => boolean
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/** A settlement takes less, so an outcome that is unknown for longer needs attention. */
const UNKNOWN_MS = 60_000

const OPERATION_BY_TOOL = new Map(OPERATIONS.filter(hasTool).map(({ id, tool }) => [tool.name, id]))

export function openMetrics({ mode }: Config, terms: PaymentTerms | null) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const options = {
    build: { version: RELEASE_VERSION, mode, network: terms?.network ?? 'none' },
    operationOf: (tool: string) => OPERATION_BY_TOOL.get(tool) ?? tool,
    now: () => performance.now(),
  }
  return {
    events: createMetricEvents(options, registry),
    serve(sources: GaugeSources, address: ListenAddress): Promise<MetricsServer> {
      registerServiceGauges(registry, sources)
      return serveMetrics(registry, address)
    },
  }
}

function registerServiceGauges(
  registry: Registry,
  { reports, resolvers, ledger, isStoreUp, isDraining, wallClock }: GaugeSources,
): void {
  const registers = [registry]

  function addGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }

  addGauge('mailgrade_reports_running', 'Reports in progress', reports.running)
  addGauge('mailgrade_reports_waiting', 'Reports waiting for a free slot', reports.waiting)
  addGauge('mailgrade_reports_limit', 'Reports allowed at the same time', () => reports.limit)
  addGauge('mailgrade_draining', '1 during shutdown', () => Number(isDraining()))
  if (isStoreUp) {
    addGauge('mailgrade_store_up', '1 while the store answers', () => Number(isStoreUp()))
  }
  new Gauge({
    name: 'mailgrade_resolver_available',
    help: '0 while a resolver gets no queries, because it failed too often or asked for a pause',
    labelNames: ['resolver'],
    registers,
    collect() {
      for (const { name, isPaused } of resolvers) {
        this.set({ resolver: name }, Number(!isPaused()))
      }
    },
  })

  /** Absent while the store is unavailable. */
  function addLedgerGauge(name: string, help: string, read: () => Promise<number>): void {
    new Gauge({
      name,
      help: `${help}; absent while the store is unavailable`,
      registers,
      async collect() {
        const value = await read().catch(() => null)
        // `reset` sets 0, so only `remove` makes the series absent.
        this.reset()
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  }

  addLedgerGauge('mailgrade_ledger_entries', 'Payments in the ledger', ledger.size)
  addLedgerGauge(
    'mailgrade_payments_unknown',
    'Payments whose outcome has been unknown for more than a minute, at most 1,000',
    async () => {
      const unknown = await ledger.listUnknown()
      return unknown.filter(({ since }) => wallClock() - since > UNKNOWN_MS).length
    },
  )
}

/** On its own port, because revenue must not be public. */
async function serveMetrics(registry: Registry, address: ListenAddress): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
  return {
    port: await listen(server, address),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
