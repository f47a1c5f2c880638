/** `/healthz`: the process is alive. `/readyz`: it can do its work, so send it callers. */
import type { Context } from 'hono'
import type { HttpEnv } from './http-env.js'
import { sendProblemJson } from './problem-response.js'
import { respondJson } from './respond.js'

const COMPLAINT_MS = 300

export interface ReadinessOptions {
  readonly isDraining: () => boolean
  readonly resolvers: readonly ReadyResolver[]
  /** Null when payments can be taken, else why not. */
  readonly paymentsHealthProblem: () => Promise<string | null>
}

interface ReadyResolver {
  readonly name: string
  isAnswering(): Promise<boolean>
}

export function healthz(c: Context<HttpEnv>): Response {
  return respondJson(c, '{"status":"ok"}')
}

export function readyz({ isDraining, resolvers, paymentsHealthProblem }: ReadinessOptions) {
  return async (c: Context<HttpEnv>): Promise<Response> => {
    if (isDraining()) {
      return sendProblemJson(c, 'shutting_down', { detail: 'This instance takes no new callers.' })
    }
    const [resolver, complaint] = await Promise.all([
      firstToAnswer(resolvers),
      soon(paymentsHealthProblem()),
    ])
    if (resolver === null)
      return sendProblemJson(c, 'not_ready', { detail: 'No DNS resolver answers.' })
    // Without payments the free checks still work, so that callers are welcome all the same.
    const payments = complaint === null ? 'ready' : `unavailable: ${complaint}`
    return respondJson(c, JSON.stringify({ status: 'ready', resolver, payments }))
  }
}

/** Whoever asks whether we are ready has little time; a facilitator that hangs must not cost it. */
async function soon(complaint: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, COMPLAINT_MS, 'no answer yet')
  })
  return Promise.race([complaint, late]).finally(() => clearTimeout(timer))
}

/** One is enough, and none of the others is waited for. */
function firstToAnswer(resolvers: readonly ReadyResolver[]): Promise<string | null> {
  const answers = resolvers.map(async ({ name, isAnswering }) => {
    if (await isAnswering()) return name
    throw new Error(`${name} does not answer`)
  })
  return Promise.any(answers).catch(() => null)
}
