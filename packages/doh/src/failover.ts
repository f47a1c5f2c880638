/**
 * Asks resolvers in order of preference until one gives a definite answer: the next is asked when
 * one fails, or beside it (a hedge) when it is slow.
 */
import { type DnsAnswer, type Failed, failed } from './dns.js'
import type { Cancel } from './doh-connection.js'
import type { DohResolver, EncodedQuery } from './doh-resolver.js'

export function queryWithFailover(
  resolvers: readonly DohResolver[],
  hedgeAfterMs: number,
  question: EncodedQuery,
  done: (answer: DnsAnswer) => void,
): Cancel {
  const inquiry = new Inquiry(resolvers, hedgeAfterMs, question, done)
  // Looking probes those that are out, so that they are known to be back before they are needed.
  for (const resolver of resolvers) resolver.checkAvailable()
  if (!inquiry.askNext()) inquiry.askAfterRecovery()
  return () => inquiry.cancel()
}

/** An object and not a set of functions, since there is one of them for every question in flight. */
class Inquiry {
  readonly #resolvers: readonly DohResolver[]
  readonly #hedgeAfterMs: number
  readonly #question: EncodedQuery
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
    question: EncodedQuery,
    done: (answer: DnsAnswer) => void,
  ) {
    this.#resolvers = resolvers
    this.#hedgeAfterMs = hedgeAfterMs
    this.#question = question
    this.#done = done
  }

  /** Asks the next one that is available; false when there is none. */
  askNext(): boolean {
    const resolvers = this.#resolvers
    clearTimeout(this.#hedge)
    let resolver = resolvers[this.#next++]
    while (resolver && !resolver.checkAvailable()) resolver = resolvers[this.#next++]
    if (!resolver) return false
    if (this.#next < resolvers.length) {
      this.#hedge = setTimeout(() => this.askNext(), this.#hedgeAfterMs)
    }
    this.#pending++
    const cancel = resolver.query(this.#question, (answer) => this.#take(answer))
    this.#cancels = [...this.#cancels, cancel]
    return true
  }

  #take(answer: DnsAnswer): void {
    this.#pending--
    if (this.#isOver) return
    if (answer.kind !== 'failed') {
      this.#finish(answer)
      return
    }
    const failure = moreTelling(this.#failure, answer)
    this.#failure = failure
    this.askNext()
    if (this.#pending === 0) this.#finish(failure)
  }

  /** Whoever was overtaken may use up its time: else a resolver that only hangs is never found out. */
  #finish(answer: DnsAnswer): void {
    this.#isOver = true
    clearTimeout(this.#hedge)
    this.#done(answer)
  }

  cancel(): void {
    this.#isOver = true
    clearTimeout(this.#hedge)
    for (const cancelOne of this.#cancels) cancelOne()
  }

  async askAfterRecovery(): Promise<void> {
    const isBack = await anyRecovered(this.#resolvers)
    if (this.#isOver) return
    this.#next = 0
    if (isBack && this.askNext()) return
    const known = this.#resolvers.map((resolver) => resolver.lastFailure())
    const failure = known.reduce(moreTelling, null)
    this.#finish(failure ?? failed('unreachable', 'there is no resolver to ask'))
  }
}

/** Whether one of the resolvers being probed right now comes back. */
async function anyRecovered(resolvers: readonly DohResolver[]): Promise<boolean> {
  const recoveries = resolvers.map(async (resolver) => {
    if (!(await resolver.pendingProbe())) throw new Error(`${resolver.name} is not back`)
  })
  return Promise.any(recoveries).then(
    () => true,
    () => false,
  )
}

/** What the DNS said of the name outranks a time-out, which outranks a connection's trouble. */
function moreTelling<Other extends Failed | null>(one: Failed | null, other: Other) {
  return one && (!other || rank(one) >= rank(other)) ? one : other
}

function rank({ reason }: Failed): number {
  if (reason === 'servfail' || reason === 'cname-loop') return 2
  return reason === 'timeout' ? 1 : 0
}
