/** An OTLP/HTTP collector (JSON) that keeps the spans. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'

export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Record<string, unknown>
  readonly isError: boolean
  readonly service: unknown
}

export interface TraceCollector {
  readonly url: string
  /** The raw requests. */
  readonly texts: string[]
  /** Waits for a span with this name and returns all spans so far. */
  waitForSpan(name: string): Promise<CollectedSpan[]>
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const texts: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Sent
    texts.push(JSON.stringify(body))
    spans.push(...spansIn(body))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    waitForSpan: (name) =>
      vi.waitUntil(() => spans.some((span) => span.name === name) && spans, { timeout: 150_000 }),
  }
}

type Attributes = readonly { readonly key: string; readonly value: Record<string, unknown> }[]

/** The part of OTLP's JSON that the tests read. */
interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

interface SentSpan extends Pick<CollectedSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId'> {
  readonly attributes: Attributes
  readonly status: { readonly code: number }
}

function spansIn({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, status, ...span }) => ({
        ...span,
        attributes: valuesOf(attributes),
        isError: status.code === 2,
        service: valuesOf(resource.attributes)['service.name'],
      })),
  )
}

function valuesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
