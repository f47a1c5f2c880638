/** Remembers answers, so each query is sent once, alone or together with others. */
import {
  type Dns,
  type DnsAnswer,
  type DnsQuery,
  type OnEachAnswer,
  type RecordType,
  toQueryAllMethod,
  toQueryMethod,
} from './dns.js'

/** Sends queries together. May answer before it returns. */
export type SendQueries = (queries: readonly DnsQuery[], onAnswer: OnEachAnswer) => void

export function createAnswerMemo(send: SendQueries): Required<Dns> {
  const byType = new Map<RecordType, Map<string, MemoizedAnswer>>()

  function answersOf(type: RecordType): Map<string, MemoizedAnswer> {
    const known = byType.get(type)
    if (known) return known
    const created = new Map<string, MemoizedAnswer>()
    byType.set(type, created)
    return created
  }

  function query(name: string, type: RecordType): Promise<DnsAnswer> {
    const answers = answersOf(type)
    const known = answers.get(name)
    if (known) return known.promise()
    const memoized = new MemoizedAnswer()
    answers.set(name, memoized)
    send([{ name, type }], (answer) => memoized.settle(answer))
    return memoized.promise()
  }

  function queryAll(queries: readonly DnsQuery[]): Promise<readonly DnsAnswer[]> {
    return new Promise((resolve) => {
      const answers = new Array<DnsAnswer>(queries.length)
      let left = queries.length
      const collect = (answer: DnsAnswer, index: number) => {
        answers[index] = answer
        left--
        if (left === 0) resolve(answers)
      }
      if (left === 0) resolve(answers)
      else lookUpAll(queries, collect)
    })
  }

  function lookUpAll(queries: readonly DnsQuery[], collect: OnEachAnswer): void {
    const unsent: DnsQuery[] = []
    const awaited: MemoizedAnswer[] = []
    queries.forEach((query, index) => {
      const answers = answersOf(query.type)
      let memoized = answers.get(query.name)
      if (!memoized) {
        memoized = new MemoizedAnswer()
        answers.set(query.name, memoized)
        unsent.push(query)
        awaited.push(memoized)
      }
      memoized.wait(collect, index)
    })
    if (unsent.length > 0) send(unsent, (answer, index) => awaited[index]?.settle(answer))
  }

  return { query: toQueryMethod(query), queryAll: toQueryAllMethod(queryAll) }
}

/** The memo of a `Dns` that sends each query alone. */
export function memoizeQuery(
  send: (name: string, type: RecordType) => Promise<DnsAnswer>,
): Dns['query'] {
  const memo = new Map<string, Promise<DnsAnswer>>()
  return toQueryMethod((name, type) => {
    const key = `${type} ${name}`
    const answer = memo.get(key) ?? send(name, type)
    memo.set(key, answer)
    return answer
  })
}

/** An answer that is known or awaited. A class, because a report has one for every query. */
class MemoizedAnswer {
  #answer: DnsAnswer | null = null
  #promise: Promise<DnsAnswer> | null = null
  /** Most answers have one waiter. */
  #onAnswer: OnEachAnswer | null = null
  #index = 0
  #others: ((answer: DnsAnswer) => void)[] | null = null

  settle(answer: DnsAnswer): void {
    this.#answer = answer
    this.#onAnswer?.(answer, this.#index)
    for (const onAnswer of this.#others ?? []) onAnswer(answer)
    this.#onAnswer = this.#others = null
  }

  wait(onAnswer: OnEachAnswer, index: number): void {
    if (this.#answer) onAnswer(this.#answer, index)
    else if (this.#onAnswer) {
      this.#others ??= []
      this.#others.push((answer) => onAnswer(answer, index))
    } else {
      this.#onAnswer = onAnswer
      this.#index = index
    }
  }

  promise(): Promise<DnsAnswer> {
    this.#promise ??= new Promise((resolve) => this.wait(resolve, 0))
    return this.#promise
  }
}
