/** The metrics of this process: what happened, what stands, and a door to fetch them at. */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createEvents, type EventsOptions } from './events.js'
import { type MetricsServer, serveMetrics } from './metrics-server.js'
import { type Watched, watch } from './watch.js'

interface Address {
  readonly host: string
  readonly port: number
}

export function createMetrics(options: EventsOptions) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    /** To be told of what happens. */
    events: createEvents(options, registry),
    serve(watched: Watched, address: Address): Promise<MetricsServer> {
      watch(registry, watched)
      return serveMetrics(registry, address)
    },
  }
}
