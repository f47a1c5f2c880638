/**
 * Traces by OpenTelemetry, sent over OTLP where an operator has a place for them. Loaded only then:
 * without it, nothing of it is in the way of a request. The OTEL_* variables of the specification
 * are read by the SDK itself.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { createSpanRunner } from './spans.js'
import { traceRequests } from './traced-requests.js'
import type { Tracing } from './tracing.js'
import { traceDns, traceFacilitator, traceLedger, traceRunOperation } from './tracing-wrappers.js'

const LAST_WORDS_MS = 1_000

export interface StartedTracing {
  readonly tracing: Tracing
  /** Sends what is left. */
  stop(): Promise<void>
}

export function startTracing(version: string): StartedTracing {
  const named = resourceFromAttributes({ 'service.name': 'mailgrade', 'service.version': version })
  const provider = new NodeTracerProvider({
    // What the operator says of it goes before what we do.
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  const spans = createSpanRunner(provider.getTracer('mailgrade', version))
  return {
    tracing: {
      requestMiddleware: traceRequests(spans),
      runOperation: (perform) => traceRunOperation(spans, perform),
      dns: (dns) => traceDns(spans, dns),
      facilitator: (facilitator) => traceFacilitator(spans, facilitator),
      ledger: (ledger) => traceLedger(spans, ledger),
    },
    // A collector that is gone must not hold up the end.
    stop: () => Promise.race([provider.shutdown().catch(() => {}), delay(LAST_WORDS_MS)]),
  }
}
