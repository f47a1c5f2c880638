/** Payments signed by hand, and sent again until their outcome is final. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ChainServer } from '../support/chain-server.js'
import { createTestPayer, type TestPayer } from '../support/test-payer.js'
import {
  type CallerRequest,
  type CallerResponse,
  decodePaymentRequiredHeader,
  sendRequest,
} from './send-request.js'

export interface ClusterPayer {
  /** A new payment for the score of any domain. */
  sign(): Promise<string>
}

/** Several wallets take turns. */
export async function createClusterPayer(url: string, chain: ChainServer): Promise<ClusterPayer> {
  const required = decodePaymentRequiredHeader(await sendRequest(`${url}/v1/score`))
  const payers = await Promise.all(
    Array.from({ length: 4 }, () => createTestPayer(chain, 100_000_000n)),
  )
  let turn = 0
  return { sign: async () => (payers[turn++ % payers.length] as TestPayer).sign(required) }
}

/** Statuses after which docs/payments.md allows to send the same payment again. */
const UNDECIDED = new Set([409, 502, 503, 504])
/** Sooner than Retry-After says, to keep the tests short. */
const RETRY_EVERY_MS = 300

/** Every response to one payment; the last one is final. */
export async function retryUntilDecided(
  url: string,
  request: CallerRequest,
): Promise<CallerResponse[]> {
  const responses: CallerResponse[] = []
  for (;;) {
    const response = await sendRequest(url, request)
    responses.push(response)
    if (!UNDECIDED.has(response.status)) return responses
    await delay(RETRY_EVERY_MS)
  }
}

export const firstResponse = (responses: readonly CallerResponse[]): CallerResponse =>
  responses[0] as CallerResponse

export const finalResponse = (responses: readonly CallerResponse[]): CallerResponse =>
  responses.at(-1) as CallerResponse
