/**
 * Asks resolvers in order of preference until one gives a definite answer: the next is asked when
 * one fails, or beside it (a hedge) when it is slow.
 */
import { type Answer, type Failed, failed } from '../dns.js'
import type { Cancel } from './connection.js'
import type { EncodedQuestion, Resolver } from './resolver.js'

export function askInOrder(
  resolvers: readonly Resolver[],
  hedgeAfterMs: number,
  question: EncodedQuestion,
  done: (answer: Answer) => void,
): Cancel {
  const inquiry = new Inquiry(resolvers, hedgeAfterMs, question, done)
  // Looking probes those that are out, so that they are known to be back before they are needed.
  for (const resolver of resolvers) resolver.isAvailable()
  if (!inquiry.askNext()) inquiry.askAfterRecovery()
  return () => inquiry.cancel()
}

/** An object and not a set of functions, since there is one of them for every question in flight. */
class Inquiry {
  readonly #resolvers: readonly Resolver[]
  readonly #hedgeAfterMs: number
  readonly #question: EncodedQuestion
  readonly #done: (answer: Answer) => void
  #cancels: readonly Cancel[] = []
  #next = 0
  #pending = 0
  #failure: Failed | null = null
  #hedge: NodeJS.Timeout | undefined
  #isOver = false

  constructor(
    resolvers: readonly Resolver[],
    hedgeAfterMs: number,
    question: EncodedQuestion,
    done: (answer: Answer) => void,
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
    while (resolver && !resolver.isAvailable()) resolver = resolvers[this.#next++]
    if (!resolver) return false
    if (this.#next < resolvers.length) {
      this.#hedge = setTimeout(() => this.askNext(), this.#hedgeAfterMs)
    }
    this.#pending++
    const cancel = resolver.ask(this.#question, (answer) => this.#take(answer))
    this.#cancels = [...this.#cancels, cancel]
    return true
  }

  #take(answer: Answer): void {
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
  #finish(answer: Answer): void {
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
async function anyRecovered(resolvers: readonly Resolver[]): Promise<boolean> {
  const recoveries = resolvers.map(async (resolver) => {
    if (!(await resolver.recovery())) throw new Error(`${resolver.name} is not back`)
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
