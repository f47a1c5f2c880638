/** Steady traffic of four kinds, sent whether or not earlier requests are answered. */
import { CLUSTER_DNS_TIMEOUT_MS, type Cluster } from './cluster.js'
import type { ClusterPayer } from './cluster-payer.js'
import { type CallerResponse, sendRequest } from './send-request.js'

/** `overLimit`: free checks of one caller that ignores the rate limit. */
export type LoadKind = 'free' | 'overLimit' | 'unpaid' | 'paid'

interface SentRequest {
  readonly id: number
  readonly kind: LoadKind
  readonly startedAt: number
  readonly url: string
  readonly payment: string
}

export interface AnsweredRequest extends SentRequest {
  readonly response: CallerResponse
}

export interface SteadyLoad {
  readonly sent: readonly SentRequest[]
  /** In the order of the responses. */
  readonly answered: readonly AnsweredRequest[]
  /** Waits for the response to every request sent since the last call, and returns them. */
  takeUnverified(): Promise<AnsweredRequest[]>
  /** Sends no more, and waits for the responses. */
  stop(): Promise<void>
}

const PER_SECOND = 50
const TURNS: readonly LoadKind[] = [
  ...(['free', 'unpaid', 'free', 'paid', 'free', 'unpaid'] as const),
  ...(['overLimit', 'unpaid', 'free', 'free', 'unpaid', 'overLimit'] as const),
]
/** So many that none of them comes near the rate limit. */
const CALLERS = 250
const DOMAINS = ['workspace', 'microsoft365', 'flat', 'chain', 'tree', 'no-mail', 'wildcard']

/** Looking up, waiting for a free slot, and the delays of a busy machine. */
const FREE_DEADLINE_MS = CLUSTER_DNS_TIMEOUT_MS + 2_000 + 3_000
/** Verifying and settling as well. */
const PAID_DEADLINE_MS = FREE_DEADLINE_MS + 35_000

export function startSteadyLoad({ url }: Cluster, payer: ClusterPayer): SteadyLoad {
  const sent: SentRequest[] = []
  const answered: AnsweredRequest[] = []
  let pending: Promise<AnsweredRequest>[] = []

  async function send(id: number): Promise<AnsweredRequest> {
    const kind = TURNS[id % TURNS.length] as LoadKind
    const domain = `${DOMAINS[id % DOMAINS.length]}-${id % 50}.test`
    const localAddress = kind === 'overLimit' ? '127.0.2.1' : `127.0.1.${1 + (id % CALLERS)}`
    const payment = kind === 'paid' ? await payer.sign() : ''
    const isFree = kind === 'free' || kind === 'overLimit'
    const request: SentRequest = {
      id,
      kind,
      startedAt: performance.now(),
      url: `${url}/v1/${isFree ? 'check' : 'score'}?domain=${domain}`,
      payment,
    }
    sent.push(request)
    const response = await sendRequest(request.url, {
      localAddress,
      ...(kind === 'paid' && { payment }),
      deadlineMs: kind === 'paid' ? PAID_DEADLINE_MS : FREE_DEADLINE_MS,
    })
    const complete = { ...request, response }
    answered.push(complete)
    return complete
  }

  let count = 0
  const timer = setInterval(() => {
    const request = send(count++)
    // takeUnverified and stop report the rejection.
    request.catch(() => {})
    pending.push(request)
  }, 1_000 / PER_SECOND)
  return {
    sent,
    answered,
    takeUnverified() {
      const taken = pending
      pending = []
      return Promise.all(taken)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
    },
  }
}
