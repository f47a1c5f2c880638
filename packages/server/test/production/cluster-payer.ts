/** Payments that are signed by hand and sent again until it is known what became of them. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ChainServer } from '../support/chain-server.js'
import { createTestPayer } from '../support/test-payer.js'
import {
  type CallerRequest,
  type CallerResponse,
  decodePaymentRequiredHeader,
  sendRequest,
} from './send-request.js'

export interface ClusterPayer {
  /** A new payment for a score, about whichever domain. */
  sign(): Promise<string>
}

/** By wallets that take turns. */
export async function createClusterPayer(url: string, chain: ChainServer): Promise<ClusterPayer> {
  const required = decodePaymentRequiredHeader(await sendRequest(`${url}/v1/score`))
  const payers = await Promise.all(
    Array.from({ length: 4 }, () => createTestPayer(chain, 100_000_000n)),
  )
  let turn = 0
  return { sign: async () => (payers[turn++ % payers.length] as (typeof payers)[0]).sign(required) }
}

/** What may be sent again, as docs/payments.md has it. */
const UNDECIDED = new Set([409, 502, 503, 504])
/** Sooner than they are told to, or the tests would take long. */
const RETRY_EVERY_MS = 300

/** Every answer to one payment; the last one is final. */
export async function retryUntilDecided(
  url: string,
  request: CallerRequest,
): Promise<CallerResponse[]> {
  const answers: CallerResponse[] = []
  for (;;) {
    const answer = await sendRequest(url, request)
    answers.push(answer)
    if (!UNDECIDED.has(answer.status)) return answers
    await delay(RETRY_EVERY_MS)
  }
}

export const finalResponse = (answers: readonly CallerResponse[]): CallerResponse =>
  answers.at(-1) as CallerResponse
