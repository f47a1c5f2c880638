/** A facilitator over HTTP with scripted replies. */
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { onTestFinished, vi } from 'vitest'
import { createRemoteFacilitator } from '../../src/payments/remote-facilitator.js'
import {
  TEST_CALLER,
  TEST_OFFER,
  TEST_VERIFY_CONTEXT,
  unsignedPayment,
} from './payment-fixtures.js'

export const SCRIPTED_PAYMENT = unsignedPayment({
  top: {
    resource: { url: 'https://elsewhere.example/', description: 'Sold by someone else.' },
    extensions: { 'of-the-buyer': { info: {} } },
  },
})
const PURCHASE = { offer: TEST_OFFER, caller: TEST_CALLER }
export const HANG_REPLY = 'hang'
export const DISCONNECT_REPLY = 'disconnect'

/** A status and a body, or a failure to reply. */
export type ScriptedReply =
  | readonly [status: number, body: unknown]
  | typeof HANG_REPLY
  | typeof DISCONNECT_REPLY

/** Sends these replies in order and repeats the last one. */
export async function startScriptedFacilitator(...replies: [ScriptedReply, ...ScriptedReply[]]) {
  const requests: string[] = []
  const bodies: unknown[] = []
  const expire = replies.includes(HANG_REPLY) ? controlTimeouts() : () => {}
  const server = http.createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (request.method === 'POST') bodies.push(await json(request))
    const reply = replies[Math.min(requests.length, replies.length) - 1]
    if (reply === DISCONNECT_REPLY) request.socket.destroy()
    if (reply === HANG_REPLY) expire()
    if (typeof reply !== 'object') return
    const [status, body] = reply
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const port = await listenOnLoopback(server)
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(stop)
  // Longer than a test: a reply that comes is never late, whatever else the machine does.
  const timeoutMs = 600_000
  const remote = createRemoteFacilitator({
    url: `http://127.0.0.1:${port}/x402`,
    network: 'eip155:8453',
    verifyTimeoutMs: timeoutMs,
    settleTimeoutMs: timeoutMs,
  })
  return {
    /** Method and path of every request. */
    requests,
    bodies,
    stop,
    verify: () => remote.verify(SCRIPTED_PAYMENT, PURCHASE, TEST_VERIFY_CONTEXT),
    settle: () => remote.settle(SCRIPTED_PAYMENT, PURCHASE, async () => {}),
    healthProblem: () => remote.healthProblem(),
  }
}

/** Timeouts pass only when the returned function is called, for the latest request. */
function controlTimeouts(): () => void {
  let latest = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    latest = new AbortController()
    return latest.signal
  })
  onTestFinished(() => timeout.mockRestore())
  return () => latest.abort(new DOMException('signal timed out', 'TimeoutError'))
}
