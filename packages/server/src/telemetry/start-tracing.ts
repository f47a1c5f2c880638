/**
 * OpenTelemetry traces over OTLP: spans around requests, reports, DNS queries and payments. Loaded
 * only when an endpoint is configured; the SDK itself reads the OTEL_* variables.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { AbortableDns } from '@mailgrade/doh/dns'
import type { RunOperation } from '@mailgrade/operations/run-operation'
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { MiddlewareHandler } from 'hono'
import type { HttpEnv } from '../http/respond.js'
import type { Facilitator } from '../payments/facilitator.js'
import type { Ledger } from '../state/ledger.js'
import type { Tracing } from './tracing.js'

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

interface SpanEnd {
  /** Attributes that are known only at the end. */
  readonly attributes?: Attributes
  readonly name?: string
  /** The service, or a service it depends on, failed. */
  readonly isError?: boolean
}

interface SpanOptions<Value> {
  readonly attributes?: Attributes
  readonly kind?: SpanKind
  /** The active span, unless given. */
  readonly parent?: Context
  readonly finish?: (value: Value) => SpanEnd
}

interface SpanRunner {
  withSpan<Value>(
    name: string,
    work: () => Promise<Value>,
    options?: SpanOptions<Value>,
  ): Promise<Value>
}

function createSpanRunner(tracer: Tracer): SpanRunner {
  return {
    withSpan(name, work, { attributes = {}, kind = SpanKind.INTERNAL, parent, finish } = {}) {
      const parentContext = parent ?? context.active()
      return tracer.startActiveSpan(name, { attributes, kind }, parentContext, async (span) => {
        try {
          const value = await work()
          const { attributes: endAttributes = {}, name: endName, isError } = finish?.(value) ?? {}
          span.setAttributes(endAttributes)
          if (endName) span.updateName(endName)
          if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
          return value
        } catch (error) {
          // No message: it may contain a domain.
          span.setStatus({ code: SpanStatusCode.ERROR })
          span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
          throw error
        } finally {
          span.end()
        }
      })
    },
  }
}

/** Joins the caller's trace (W3C Trace Context). */
function traceRequests(spans: SpanRunner): MiddlewareHandler<HttpEnv> {
  return async function traceRequest(c, next) {
    const { method } = c.req
    const parent = propagation.extract(ROOT_CONTEXT, c.req.header())
    await spans.withSpan(method, () => next(), {
      parent,
      kind: SpanKind.SERVER,
      // The request id also identifies the log line.
      attributes: { 'http.request.method': method, 'mailgrade.request_id': c.get('requestId') },
      finish() {
        const { route, operation, problem } = c.var
        const { status } = c.res
        return {
          ...(route && { name: `${method} ${route}` }),
          attributes: {
            'http.response.status_code': status,
            ...(route && { 'http.route': route }),
            ...(operation && { 'mailgrade.operation': operation }),
            ...(problem && { 'error.type': problem }),
          },
          isError: status >= 500,
        }
      },
    })
  }
}

/** Without the domain: traces leave the service and are kept longer than anything here. */
function traceRunOperation(spans: SpanRunner, runOperation: RunOperation): RunOperation {
  return (prepared, requestContext) =>
    spans.withSpan('report', () => runOperation(prepared, requestContext), {
      finish: (outcome) =>
        outcome.kind === 'result'
          ? { attributes: { 'mailgrade.dns_queries': outcome.result.meta.dnsQueries } }
          : { attributes: { 'error.type': outcome.code } },
    })
}

function traceDns(spans: SpanRunner, dns: AbortableDns): AbortableDns {
  return {
    query: (name, type, signal) =>
      spans.withSpan('dns query', () => dns.query(name, type, signal), {
        attributes: { 'dns.question.type': type },
        finish: (answer) =>
          answer.kind === 'failed'
            ? { attributes: { 'error.type': answer.reason }, isError: true }
            : { attributes: { 'mailgrade.dns_answer': answer.kind } },
      }),
  }
}

function traceFacilitator(spans: SpanRunner, facilitator: Facilitator): Facilitator {
  return {
    ...facilitator,
    verify: (...payment) =>
      spans.withSpan('verify payment', () => facilitator.verify(...payment), {
        finish: ({ kind }) => ({
          attributes: { 'mailgrade.payment': kind },
          isError: kind === 'unavailable',
        }),
      }),
    settle: (...payment) =>
      spans.withSpan('settle payment', () => facilitator.settle(...payment), {
        finish: ({ kind }) => ({
          attributes: { 'mailgrade.payment': kind },
          isError: kind === 'notSent',
        }),
      }),
  }
}

/** Traces the steps of a delivered payment; `markUnknown` and `release` have no spans. */
function traceLedger(spans: SpanRunner, ledger: Ledger): Ledger {
  return {
    ...ledger,
    reserve: (...payment) =>
      spans.withSpan('reserve payment', () => ledger.reserve(...payment), {
        finish: ({ kind }) => ({ attributes: { 'mailgrade.reservation': kind } }),
      }),
    prepare: (...report) => spans.withSpan('prepare report', () => ledger.prepare(...report)),
    complete: (...settlement) =>
      spans.withSpan('complete payment', () => ledger.complete(...settlement)),
  }
}
