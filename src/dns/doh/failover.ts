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
  const waiting = resolvers.filter((resolver) => resolver.isAvailable())
  const pending = new Map<Resolver, Cancel>()
  let failure: Failed | null = null
  let hedge: NodeJS.Timeout | undefined
  let isOver = false

  function askNext(): void {
    clearTimeout(hedge)
    const resolver = waiting.shift()
    if (!resolver) return
    if (waiting.length > 0) hedge = setTimeout(askNext, hedgeAfterMs)
    pending.set(
      resolver,
      resolver.ask(question, (answer) => take(resolver, answer)),
    )
  }

  function take(resolver: Resolver, answer: Answer): void {
    pending.delete(resolver)
    if (answer.kind !== 'failed') {
      finish(answer)
      return
    }
    failure = moreTelling(failure, answer)
    askNext()
    if (pending.size === 0) finish(failure)
  }

  function finish(answer: Answer): void {
    stop()
    done(answer)
  }

  function stop(): void {
    isOver = true
    clearTimeout(hedge)
    for (const cancel of pending.values()) cancel()
    pending.clear()
  }

  async function askAfterRecovery(): Promise<void> {
    const isBack = await anyRecovered(resolvers)
    if (isOver) return
    if (isBack) waiting.push(...resolvers.filter((resolver) => resolver.isAvailable()))
    if (waiting.length > 0) askNext()
    else finish(failed('unreachable', 'no resolver is answering; all are resting after failures'))
  }

  if (waiting.length > 0) askNext()
  else askAfterRecovery()
  return stop
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
function moreTelling(one: Failed | null, other: Failed): Failed {
  return one && rank(one) >= rank(other) ? one : other
}

function rank({ reason }: Failed): number {
  if (reason === 'servfail' || reason === 'cname-loop') return 2
  return reason === 'timeout' ? 1 : 0
}
