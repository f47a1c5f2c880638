/** Steady traffic of four kinds, sent whether or not what was sent before has been answered. */

import { CLUSTER_DNS_TIMEOUT_MS, type Cluster } from './cluster.js'
import type { ClusterPayer } from './cluster-payer.js'
import { type CallerResponse, sendRequest } from './send-request.js'
import { waitUntil } from './wait-until.js'

/** `greedy`: free checks of one caller who does not stop at the limit. */
export type LoadKind = 'free' | 'greedy' | 'unpaid' | 'paid'

interface Sent {
  readonly id: number
  readonly kind: LoadKind
  readonly startedAt: number
  readonly url: string
  readonly payment: string
}

export interface AnsweredRequest extends Sent {
  readonly response: CallerResponse
}

export interface SteadyLoad {
  readonly sent: readonly Sent[]
  /** In the order of the answers. */
  readonly answered: readonly AnsweredRequest[]
  stop(): Promise<void>
}

const PER_SECOND = 50
const TURNS: readonly LoadKind[] = [
  ...(['free', 'unpaid', 'free', 'paid', 'free', 'unpaid'] as const),
  ...(['greedy', 'unpaid', 'free', 'free', 'unpaid', 'greedy'] as const),
]
/** Enough of them that nobody comes near the limit. */
const CALLERS = 250
const DOMAINS = ['workspace', 'microsoft365', 'flat', 'chain', 'tree', 'no-mail', 'wildcard']

/** Looking up, waiting for a place, and what a busy machine takes. */
const FREE_DEADLINE_MS = CLUSTER_DNS_TIMEOUT_MS + 2_000 + 3_000
/** Verifying and settling besides. */
const PAID_DEADLINE_MS = FREE_DEADLINE_MS + 35_000

export function startSteadyLoad({ url }: Cluster, purse: ClusterPayer): SteadyLoad {
  const sent: Sent[] = []
  const answered: AnsweredRequest[] = []
  let turn = 0

  async function send(): Promise<void> {
    const id = turn++
    const kind = TURNS[id % TURNS.length] as LoadKind
    const domain = `${DOMAINS[id % DOMAINS.length]}-${id % 50}.test`
    const from = kind === 'greedy' ? '127.0.2.1' : `127.0.1.${1 + (id % CALLERS)}`
    const payment = kind === 'paid' ? await purse.sign() : ''
    const isFree = kind === 'free' || kind === 'greedy'
    const one: Sent = {
      id,
      kind,
      startedAt: performance.now(),
      url: `${url}/v1/${isFree ? 'check' : 'score'}?domain=${domain}`,
      payment,
    }
    sent.push(one)
    const heard = await sendRequest(one.url, {
      localAddress: from,
      ...(kind === 'paid' && { payment }),
      deadlineMs: kind === 'paid' ? PAID_DEADLINE_MS : FREE_DEADLINE_MS,
    })
    answered.push({ ...one, response: heard })
  }

  const ticking = setInterval(() => void send(), 1_000 / PER_SECOND)
  return {
    sent,
    answered,
    async stop() {
      clearInterval(ticking)
      await waitUntil('all are answered', () => answered.length === sent.length, PAID_DEADLINE_MS)
    },
  }
}
