/** The official x402 facilitator over HTTP, which a test can kill and restart at any step. */
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { findFreePort } from '@mailgrade/testing/free-port'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http as overHttp, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import type { ChainServer } from './chain-server.js'

/** In order. `sent`: the chain has the transaction; `settled`: it is mined. */
export type FacilitatorStep = 'verify' | 'verified' | 'settle' | 'sending' | 'sent' | 'settled'

export interface FacilitatorServer {
  readonly url: string
  /** The requests that arrived, in order. */
  readonly requests: string[]
  /** Runs when the next payment reaches this step, and waits for it. */
  onStep(step: FacilitatorStep, act: () => unknown): void
  /** Like `onStep`, then closes the port and all connections and abandons its work. */
  killAt(step: FacilitatorStep, act?: () => unknown): void
  /** Like `killAt`, but restarts at once. */
  restartAt(step: FacilitatorStep): void
  /** Sends this reply to the next request of this kind instead of handling it. */
  replyOnce(endpoint: 'verify' | 'settle', status: number, body: object): void
  /** Sends this reply instead of its own to the request that is at a step now. */
  replyInstead(status: number, body: object): void
  kill(): void
  /** On the same port, without state. */
  restart(): Promise<void>
}

interface FacilitatorRequest {
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirements
}

export async function startFacilitatorServer(chain: ChainServer): Promise<FacilitatorServer> {
  const requests: string[] = []
  const acts = new Map<FacilitatorStep, () => unknown>()
  const replies = new Map<string, { status: number; body: object }>()
  let replacement: { status: number; body: object } | null = null
  let generation = 0
  let facilitator = openFacilitator(chain, reach)
  const server = http.createServer(async (request, response) => {
    const current = generation
    const reply = await handle(request).catch(() => null)
    if (current !== generation) return
    if (reply === null) response.destroy()
    else response.writeHead(reply.status).end(JSON.stringify(reply.body))
  })

  /** A payment whose server was killed never reaches the next step. */
  async function reach(step: FacilitatorStep): Promise<void> {
    const current = generation
    const act = acts.get(step)
    acts.delete(step)
    await act?.()
    if (current !== generation) await new Promise(() => {})
  }

  async function handle(request: http.IncomingMessage) {
    requests.push(`${request.method} ${request.url}`)
    if (request.url === '/supported') return { status: 200, body: facilitator.getSupported() }
    const { paymentPayload, paymentRequirements } = (await json(request)) as FacilitatorRequest
    const reply = replies.get(`${request.url}`)
    if (reply && replies.delete(`${request.url}`)) return reply
    if (request.url === '/verify') {
      await reach('verify')
      const body = await facilitator.verify(paymentPayload, paymentRequirements)
      await reach('verified')
      return { status: 200, body }
    }
    await reach('settle')
    const body = await facilitator.settle(paymentPayload, paymentRequirements)
    await reach('settled')
    const instead = replacement
    replacement = null
    return instead ?? { status: 200, body }
  }

  function kill(): void {
    generation += 1
    server.close()
    server.closeAllConnections()
  }

  const port = await listenOnLoopback(server, await findFreePort())

  async function restart(): Promise<void> {
    facilitator = openFacilitator(chain, reach)
    await listenOnLoopback(server, port)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    onStep: (step, act) => void acts.set(step, act),
    killAt: (step, act) =>
      void acts.set(step, async () => {
        await act?.()
        kill()
      }),
    restartAt: (step) =>
      void acts.set(step, async () => {
        kill()
        await restart()
      }),
    replyOnce: (endpoint, status, body) => void replies.set(`/${endpoint}`, { status, body }),
    replyInstead(status, body) {
      replacement = { status, body }
    },
    kill,
    restart,
  }
}

function openFacilitator(chain: ChainServer, reach: (step: FacilitatorStep) => Promise<void>) {
  const client = createWalletClient({
    account: privateKeyToAccount(FACILITATOR_WALLET.privateKey),
    chain: base,
    transport: overHttp(chain.url, { retryCount: 0 }),
    pollingInterval: 50,
  }).extend(publicActions)
  const signer = toFacilitatorEvmSigner({
    ...client,
    address: client.account.address,
    async writeContract(args: never) {
      await reach('sending')
      const hash = await client.writeContract(args)
      await reach('sent')
      return hash
    },
  } as never)
  return new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer))
}
