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
  const cancels: Cancel[] = []
  let next = 0
  let pending = 0
  let failure: Failed | null = null
  let hedge: NodeJS.Timeout | undefined
  let isOver = false

  /** Asks the next one that is available; false when there is none. */
  function askNext(): boolean {
    clearTimeout(hedge)
    let resolver = resolvers[next++]
    while (resolver && !resolver.isAvailable()) resolver = resolvers[next++]
    if (!resolver) return false
    if (next < resolvers.length) hedge = setTimeout(askNext, hedgeAfterMs)
    pending++
    cancels.push(resolver.ask(question, take))
    return true
  }

  function take(answer: Answer): void {
    pending--
    if (isOver) return
    if (answer.kind !== 'failed') {
      finish(answer)
      return
    }
    failure = moreTelling(failure, answer)
    askNext()
    if (pending === 0) finish(failure)
  }

  /** Whoever was overtaken may use up its time: else a resolver that only hangs is never found out. */
  function finish(answer: Answer): void {
    isOver = true
    clearTimeout(hedge)
    done(answer)
  }

  function cancel(): void {
    isOver = true
    clearTimeout(hedge)
    for (const cancelOne of cancels) cancelOne()
  }

  async function askAfterRecovery(): Promise<void> {
    const isBack = await anyRecovered(resolvers)
    if (isOver) return
    next = 0
    if (isBack && askNext()) return
    const known = resolvers.map((resolver) => resolver.lastFailure())
    finish(known.reduce(moreTelling, null) ?? failed('unreachable', 'there is no resolver to ask'))
  }

  // Looking probes those that are out, so that they are known to be back before they are needed.
  for (const resolver of resolvers) resolver.isAvailable()
  if (!askNext()) askAfterRecovery()
  return cancel
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
