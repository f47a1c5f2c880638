/**
 * OpenTelemetry traces over OTLP, loaded only when an endpoint is configured. The SDK itself reads
 * the OTEL_* variables.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { Tracing } from './tracing.js'
import {
  createSpanRunner,
  traceDns,
  traceFacilitator,
  traceLedger,
  traceRequests,
  traceRunOperation,
} from './tracing-wrappers.js'

const FLUSH_TIMEOUT_MS = 1_000

export interface StartedTracing {
  readonly tracing: Tracing
  /** Sends the remaining spans. */
  stop(): Promise<void>
}

export function startTracing(version: string): StartedTracing {
  const resource = resourceFromAttributes({
    'service.name': 'mailgrade',
    'service.version': version,
  })
  const provider = new NodeTracerProvider({
    // The operator's OTEL_* attributes take precedence.
    resource: resource.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  const spans = createSpanRunner(provider.getTracer('mailgrade', version))
  return {
    tracing: {
      requestMiddleware: traceRequests(spans),
      runOperation: (runOperation) => traceRunOperation(spans, runOperation),
      dns: (dns) => traceDns(spans, dns),
      facilitator: (facilitator) => traceFacilitator(spans, facilitator),
      ledger: (ledger) => traceLedger(spans, ledger),
    },
    // An unreachable collector must not delay the shutdown.
    stop: () => Promise.race([provider.shutdown().catch(() => {}), delay(FLUSH_TIMEOUT_MS)]),
  }
}
