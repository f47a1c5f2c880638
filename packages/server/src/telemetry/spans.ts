/** Work with a beginning and an end, as traces show it. */
import {
  type Attributes,
  type Context,
  context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api'

interface Finish {
  /** What is known only now. */
  readonly attributes?: Attributes
  readonly name?: string
  /** It failed by a fault of ours or of somebody we need. */
  readonly isError?: boolean
}

interface SpanOptions<Value> {
  readonly attributes?: Attributes
  readonly kind?: SpanKind
  /** What it belongs to, when that is not what is going on at present. */
  readonly parent?: Context
  readonly finish?: (value: Value) => Finish
}

export interface SpanRunner {
  withSpan<Value>(
    name: string,
    work: () => Promise<Value>,
    options?: SpanOptions<Value>,
  ): Promise<Value>
}

export function createSpanRunner(tracer: Tracer): SpanRunner {
  return {
    withSpan(name, work, { attributes = {}, kind = SpanKind.INTERNAL, parent, finish } = {}) {
      const at = parent ?? context.active()
      return tracer.startActiveSpan(name, { attributes, kind }, at, async (span) => {
        try {
          const value = await work()
          const { attributes: more = {}, name: better, isError } = finish?.(value) ?? {}
          span.setAttributes(more)
          if (better) span.updateName(better)
          if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
          return value
        } catch (error) {
          // Its message may hold somebody's domain.
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
