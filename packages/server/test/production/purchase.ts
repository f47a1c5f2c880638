/** Payments that are signed by hand and sent again until it is known what became of them. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ChainServer } from '../support/chain.js'
import { newPayer } from '../support/payer.js'
import { ask, challengeIn, type Heard, type Request } from './caller.js'

export interface Purse {
  /** A new payment for a score, about whichever domain. */
  sign(): Promise<string>
}

/** By wallets that take turns. */
export async function openPurse(url: string, chain: ChainServer): Promise<Purse> {
  const required = challengeIn(await ask(`${url}/v1/score`))
  const payers = await Promise.all(Array.from({ length: 4 }, () => newPayer(chain, 100_000_000n)))
  let turn = 0
  return { sign: async () => (payers[turn++ % payers.length] as (typeof payers)[0]).sign(required) }
}

/** What may be sent again, as docs/payments.md has it. */
const UNDECIDED = new Set([409, 502, 503, 504])
/** Sooner than they are told to, or the tests would take long. */
const RETRY_EVERY_MS = 300

/** Every answer to one payment; the last one is final. */
export async function insist(url: string, request: Request): Promise<Heard[]> {
  const answers: Heard[] = []
  for (;;) {
    const answer = await ask(url, request)
    answers.push(answer)
    if (!UNDECIDED.has(answer.status)) return answers
    await delay(RETRY_EVERY_MS)
  }
}

export const lastOf = (answers: readonly Heard[]): Heard => answers.at(-1) as Heard
