/** How often a check waits for the DNS, counted without a clock. */
import { setImmediate } from 'node:timers/promises'
import type { AbortableDns, Dns, DnsAnswer, RecordType } from '@mailgrade/doh/dns'

export interface RoundCountingDns extends AbortableDns {
  /** The questions of each round, such as `MX acme.test`. */
  readonly rounds: readonly (readonly string[])[]
}

/** Answers in rounds: whatever is asked goes unanswered until nothing more can be asked. */
export function createRoundCountingDns(dns: Dns): RoundCountingDns {
  const rounds: string[][] = []
  let round: { questions: string[]; over: Promise<void> } | null = null

  function begin() {
    const questions: string[] = []
    rounds.push(questions)
    // All that follows from an answer at hand happens before the event loop turns.
    const over = setImmediate().then(() => {
      round = null
    })
    return { questions, over }
  }

  async function ask(name: string, type: RecordType): Promise<DnsAnswer> {
    round ??= begin()
    const { questions, over } = round
    questions.push(`${type} ${name}`)
    await over
    return dns.query(name, type)
  }

  return { query: ask as AbortableDns['query'], rounds }
}
