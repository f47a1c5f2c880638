/** An x402 facilitator over HTTP, the official one, that can be killed at any step and started again. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http as overHttp, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import type { ChainServer } from './chain-server.js'

/** In the order in which a payment passes them. `sent`: the chain has it; `settled`: so has a block. */
type Step = 'verify' | 'verified' | 'settle' | 'sending' | 'sent' | 'settled'

export interface FacilitatorServer {
  readonly url: string
  /** The requests that arrived, in order. */
  readonly requests: string[]
  /** Does something when a payment next comes to this step, and waits until it is done. */
  onStep(step: Step, act: () => unknown): void
  /** The same, and then dies: connections break, the port is closed, whatever it was doing ends. */
  killAt(step: Step, act?: () => unknown): void
  /** Dies there, too, but is up again at once. */
  restartAt(step: Step): void
  /** Says this to the next request of the kind, and does nothing about it. */
  replyOnce(to: 'verify' | 'settle', status: number, body: object): void
  kill(): void
  /** On the same port, remembering nothing. */
  restart(): Promise<void>
}

interface Exchange {
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirements
}

export async function startFacilitatorServer(chain: ChainServer): Promise<FacilitatorServer> {
  const asked: string[] = []
  const acts = new Map<Step, () => unknown>()
  const replies = new Map<string, { status: number; body: object }>()
  let generation = 0
  let facilitator = openFacilitator(chain, reach)
  const server = http.createServer(async (request, response) => {
    const mine = generation
    const answer = await answerTo(request).catch(() => null)
    if (mine !== generation) return
    if (answer === null) response.destroy()
    else response.writeHead(answer.status).end(JSON.stringify(answer.body))
  })

  /** What is killed in the middle of a step never comes to the next. */
  async function reach(step: Step): Promise<void> {
    const mine = generation
    const act = acts.get(step)
    acts.delete(step)
    await act?.()
    if (mine !== generation) await new Promise(() => {})
  }

  async function answerTo(request: http.IncomingMessage) {
    asked.push(`${request.method} ${request.url}`)
    if (request.url === '/supported') return { status: 200, body: facilitator.getSupported() }
    const { paymentPayload, paymentRequirements } = (await json(request)) as Exchange
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
    return { status: 200, body }
  }

  function kill(): void {
    generation += 1
    server.close()
    server.closeAllConnections()
  }

  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)

  async function restart(): Promise<void> {
    facilitator = openFacilitator(chain, reach)
    await listen(port)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    requests: asked,
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
    replyOnce: (to, status, body) => void replies.set(`/${to}`, { status, body }),
    kill,
    restart,
  }
}

function openFacilitator(chain: ChainServer, reach: (step: Step) => Promise<void>) {
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
