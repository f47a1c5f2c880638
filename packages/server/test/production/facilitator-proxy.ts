/**
 * The door to a facilitator: lets settlements in one by one, since its account numbers its
 * transactions, and stops whoever a test wants to be stopped.
 */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FacilitatorServer } from '../support/facilitator-server.js'
import { waitUntil } from './wait-until.js'

/** Before it checks, before it settles, and when it has settled but not yet said so. */
type Step = 'verify' | 'settle' | 'settled'

interface Barrier {
  /** Resolves when so many stand before it. */
  waitForCount(count: number): Promise<void>
  release(): void
}

export interface FacilitatorProxy {
  readonly url: string
  /** From now on nobody gets past this step. */
  hold(step: Step): Barrier
  kill(): void
  restart(): Promise<void>
}

interface Held {
  waiting: number
  readonly opened: Promise<void>
}

export async function startFacilitatorProxy(
  facilitator: FacilitatorServer,
): Promise<FacilitatorProxy> {
  const held = new Map<Step, Held>()
  let generation = 0
  let settling: Promise<unknown> = Promise.resolve()

  async function pass(step: Step): Promise<void> {
    const barrier = held.get(step)
    if (!barrier) return
    barrier.waiting++
    await barrier.opened
  }

  async function ask(path: string | undefined, init: RequestInit) {
    const response = await fetch(`${facilitator.url}${path}`, init)
    return { status: response.status, body: await response.text() }
  }

  async function settle(init: RequestInit) {
    await pass('settle')
    const mine = generation
    const turn = settling.then(() => {
      if (mine !== generation) throw new Error('killed while it waited')
      return ask('/settle', init)
    })
    settling = turn.catch(() => {})
    const answer = await turn
    await pass('settled')
    return answer
  }

  async function answerTo(request: http.IncomingMessage) {
    if (request.method === 'GET') return ask(request.url, {})
    const body = await text(request)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    if (request.url === '/settle') return settle(init)
    await pass('verify')
    return ask(request.url, init)
  }

  const server = http.createServer(async (request, response) => {
    const answer = await answerTo(request).catch(() => null)
    if (answer === null) response.destroy()
    else response.writeHead(answer.status).end(answer.body)
  })
  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)

  return {
    url: `http://127.0.0.1:${port}`,
    hold(step) {
      let open = () => {}
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      const barrier: Held = { waiting: 0, opened }
      held.set(step, barrier)
      return {
        waitForCount: (count) => waitUntil(`${count} at ${step}`, () => barrier.waiting >= count),
        release() {
          held.delete(step)
          open()
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
      await listen(port)
    },
  }
}
