/** The metrics of this process: what happened, what stands, and a door to fetch them at. */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { createMetricEvents, type MetricEventsOptions } from './metric-events.js'
import { type MetricsServer, serveMetrics } from './metrics-server.js'
import { type GaugeSources, registerServiceGauges } from './service-gauges.js'

interface Address {
  readonly host: string
  readonly port: number
}

export function createMetrics(options: MetricEventsOptions) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    /** To be told of what happens. */
    events: createMetricEvents(options, registry),
    serve(watched: GaugeSources, address: Address): Promise<MetricsServer> {
      registerServiceGauges(registry, watched)
      return serveMetrics(registry, address)
    },
  }
}
