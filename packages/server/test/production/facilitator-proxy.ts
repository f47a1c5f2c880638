/**
 * A proxy in front of a facilitator. It forwards settlements one at a time, as transactions of one
 * account have consecutive nonces, and can hold requests at a step.
 */
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { findFreePort } from '@mailgrade/testing/free-port'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { waitUntil } from '@mailgrade/testing/wait-until'
import type { FacilitatorServer } from '../support/facilitator-server.js'

/** Before it verifies, before it settles, and after settling but before it responds. */
type Step = 'verify' | 'settle' | 'settled'

interface Barrier {
  /** Resolves when so many requests wait at it. */
  waitForCount(count: number): Promise<void>
  release(): void
}

export interface FacilitatorProxy {
  readonly url: string
  /** Holds every request at this step until the barrier is released. */
  hold(step: Step): Barrier
  kill(): void
  restart(): Promise<void>
}

interface HeldStep {
  waiting: number
  readonly released: Promise<void>
}

export async function startFacilitatorProxy(
  facilitator: FacilitatorServer,
): Promise<FacilitatorProxy> {
  const held = new Map<Step, HeldStep>()
  let generation = 0
  let settling: Promise<unknown> = Promise.resolve()

  async function pass(step: Step): Promise<void> {
    const barrier = held.get(step)
    if (!barrier) return
    barrier.waiting++
    await barrier.released
  }

  async function forward(path: string | undefined, init: RequestInit) {
    const response = await fetch(`${facilitator.url}${path}`, init)
    return { status: response.status, body: await response.text() }
  }

  async function settle(init: RequestInit) {
    await pass('settle')
    const startedIn = generation
    const settlement = settling.then(() => {
      if (startedIn !== generation) throw new Error('killed while it waited')
      return forward('/settle', init)
    })
    settling = settlement.catch(() => {})
    const response = await settlement
    await pass('settled')
    return response
  }

  async function handle(request: http.IncomingMessage) {
    if (request.method === 'GET') return forward(request.url, {})
    const body = await text(request)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    if (request.url === '/settle') return settle(init)
    await pass('verify')
    return forward(request.url, init)
  }

  const server = http.createServer(async (request, response) => {
    const forwarded = await handle(request).catch(() => null)
    if (forwarded === null) response.destroy()
    else response.writeHead(forwarded.status).end(forwarded.body)
  })
  const port = await listenOnLoopback(server, await findFreePort())

  return {
    url: `http://127.0.0.1:${port}`,
    hold(step) {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const heldStep: HeldStep = { waiting: 0, released }
      held.set(step, heldStep)
      return {
        waitForCount: (count) => waitUntil(`${count} at ${step}`, () => heldStep.waiting >= count),
        release() {
          held.delete(step)
          release()
        },
      }
    },
    kill() {
      generation++
      server.close()
      server.closeAllConnections()
      facilitator.kill()
    },
    async restart() {
      await facilitator.restart()
      await listenOnLoopback(server, port)
    },
  }
}
