/**
 * Queries resolvers in order of preference until one returns a definite answer. The next one is
 * queried when a resolver fails, or in parallel (a hedge) when it is slow.
 */
import { type DnsAnswer, type Failed, failed } from './dns.js'
import type { Cancel } from './doh-connection.js'
import type { DohResolver } from './doh-resolver.js'
import type { EncodedQuery } from './wire/encode-query.js'

export function queryWithFailover(
  resolvers: readonly DohResolver[],
  hedgeAfterMs: number,
  query: EncodedQuery,
  done: (answer: DnsAnswer) => void,
): Cancel {
  const attempt = new FailoverQuery(resolvers, hedgeAfterMs, query, done)
  // Starts due probes, so a resolver's recovery is known before the resolver is needed.
  for (const resolver of resolvers) resolver.checkAvailable()
  // The promise cannot reject: a probe resolves to whether the resolver is back.
  if (!attempt.queryNext()) void attempt.queryAfterProbe()
  return () => attempt.cancel()
}

/** A class, because one is created for every query in flight. */
class FailoverQuery {
  readonly #resolvers: readonly DohResolver[]
  readonly #hedgeAfterMs: number
  readonly #query: EncodedQuery
  readonly #done: (answer: DnsAnswer) => void
  #cancels: readonly Cancel[] = []
  #next = 0
  #pending = 0
  #failure: Failed | null = null
  #hedge: NodeJS.Timeout | undefined
  #isOver = false

  constructor(
    resolvers: readonly DohResolver[],
    hedgeAfterMs: number,
    query: EncodedQuery,
    done: (answer: DnsAnswer) => void,
  ) {
    this.#resolvers = resolvers
    this.#hedgeAfterMs = hedgeAfterMs
    this.#query = query
    this.#done = done
  }

  /** Queries the next available resolver; false when there is none. */
  queryNext(): boolean {
    const resolvers = this.#resolvers
    clearTimeout(this.#hedge)
    let resolver = resolvers[this.#next++]
    while (resolver && !resolver.checkAvailable()) resolver = resolvers[this.#next++]
    if (!resolver) return false
    if (this.#next < resolvers.length) {
      this.#hedge = setTimeout(() => this.queryNext(), this.#hedgeAfterMs)
    }
    this.#pending++
    const cancel = resolver.query(this.#query, (answer) => this.#onAnswer(answer))
    this.#cancels = [...this.#cancels, cancel]
    return true
  }

  #onAnswer(answer: DnsAnswer): void {
    this.#pending--
    if (this.#isOver) return
    if (answer.kind !== 'failed') {
      this.#finish(answer)
      return
    }
    const failure = moreSpecificFailure(this.#failure, answer)
    this.#failure = failure
    this.queryNext()
    if (this.#pending === 0) this.#finish(failure)
  }

  /** Slower resolvers keep running into their timeout, or one that hangs would never be noticed. */
  #finish(answer: DnsAnswer): void {
    this.#isOver = true
    clearTimeout(this.#hedge)
    this.#done(answer)
  }

  cancel(): void {
    this.#isOver = true
    clearTimeout(this.#hedge)
    for (const cancelQuery of this.#cancels) cancelQuery()
  }

  /** Every resolver is paused: waits for the probes under way, then queries one that is back. */
  async queryAfterProbe(): Promise<void> {
    const isBack = await anyProbeSucceeds(this.#resolvers)
    if (this.#isOver) return
    this.#next = 0
    if (isBack && this.queryNext()) return
    const failures = this.#resolvers.map((resolver) => resolver.lastFailure())
    const failure = failures.reduce(moreSpecificFailure, null)
    this.#finish(failure ?? failed('unreachable', 'no resolver is configured'))
  }
}

async function anyProbeSucceeds(resolvers: readonly DohResolver[]): Promise<boolean> {
  const probes = resolvers.map(async (resolver) => {
    if (!(await resolver.pendingProbe())) throw new Error(`${resolver.name} is not back`)
  })
  return Promise.any(probes).then(
    () => true,
    () => false,
  )
}

/** A DNS error about the name outranks a timeout, which outranks a connection error. */
function moreSpecificFailure<Other extends Failed | null>(one: Failed | null, other: Other) {
  return one && (!other || rank(one) >= rank(other)) ? one : other
}

function rank({ reason }: Failed): number {
  if (reason === 'servfail' || reason === 'cname-loop') return 2
  return reason === 'timeout' ? 1 : 0
}
