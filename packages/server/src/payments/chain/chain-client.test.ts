import http from 'node:http'
import { json } from 'node:stream/consumers'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { createPublicClient } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RpcUrls } from '../payment-terms.js'
import { createNodeTransport } from './chain-client.js'

const STALLS = 'x-stalls'

type Answer = 'block' | 'silence' | 'headers' | 'trickle' | 'limit' | 'revert' | 'html'

const ERRORS = {
  limit: { code: -32_005, message: 'limit exceeded' },
  revert: { code: 3, message: 'execution reverted' },
}

/** Nodes that answer a question for the latest block as the test says, each with its own number. */
async function startNodes(...answers: Answer[]) {
  const asked: number[] = []
  const expire = controlTimeouts()
  const clock = { ms: 0 }
  const urls = await Promise.all(answers.map((_, index) => startNode(index)))

  async function startNode(index: number): Promise<string> {
    const server = http.createServer(async (request, response) => {
      const { id } = (await json(request)) as { id: number }
      asked.push(index)
      const answer = answers[index] as Answer
      response.setHeader('content-type', 'application/json')
      switch (answer) {
        case 'silence':
          return expire()
        case 'headers':
          return response.setHeader(STALLS, '1').write('{')
        case 'trickle': {
          response.setHeader(STALLS, '1').write('{')
          const more = () => response.write(' ', (error) => error ?? setImmediate(more))
          response.on('error', () => {})
          return more()
        }
        case 'html':
          return response.writeHead(503).end('<html>')
        case 'block':
          return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: `0x${index}` }))
        default:
          return response.end(JSON.stringify({ jsonrpc: '2.0', id, error: ERRORS[answer] }))
      }
    })
    const port = await listenOnLoopback(server)
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return `http://127.0.0.1:${port}`
  }

  const transport = createNodeTransport(urls as unknown as RpcUrls, {
    timeoutMs: 10_000,
    now: () => clock.ms,
  })
  const client = createPublicClient({ transport, cacheTime: 0 })
  /** The node that answered, and those that were asked for it. */
  async function ask() {
    asked.length = 0
    const block = await client.getBlockNumber()
    return [Number(block), [...asked]]
  }
  return { answers, asked, clock, client, ask }
}

/** Timeouts pass when a node is silent, or when the headers of one that stalls have arrived. */
function controlTimeouts(): () => void {
  const { fetch } = globalThis
  let latest = new AbortController()
  const expire = () => latest.abort(new DOMException('signal timed out', 'TimeoutError'))
  const spies = [
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      latest = new AbortController()
      return latest.signal
    }),
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
      const response = await fetch(...request)
      if (response.headers.has(STALLS)) setImmediate(expire)
      return response
    }),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return expire
}

describe.each([
  ['accepts the connection and says nothing', 'silence'],
  ['sends headers and nothing else', 'headers'],
  ['sends its answer so slowly that it never ends', 'trickle'],
  ['is behind a proxy that answers for it', 'html'],
] as const)('a node that %s', (_, answer) => {
  test('is given up, and the next one is asked', async () => {
    const { ask } = await startNodes(answer, 'block')
    expect(await ask()).toEqual([1, [0, 1]])
  })

  test('is asked last for 30 seconds, and then first again', async () => {
    const { ask, clock, answers } = await startNodes(answer, 'block')
    await ask()
    clock.ms = 29_999
    expect(await ask()).toEqual([1, [1]])
    clock.ms = 30_000
    expect(await ask()).toEqual([1, [0, 1]])
    answers[0] = 'block'
    clock.ms = 60_000
    expect(await ask()).toEqual([0, [0]])
  })

  test('is still asked when the others do not answer either', async () => {
    const { ask, answers } = await startNodes(answer, 'block')
    await ask()
    answers.splice(0, 2, 'block', 'silence')
    expect(await ask()).toEqual([0, [1, 0]])
  })

  test('makes the call fail if it is the only one', async () => {
    const { client, asked } = await startNodes(answer)
    await expect(client.getBlockNumber()).rejects.toMatchObject({ name: 'HttpRequestError' })
    expect(asked).toEqual([0])
  })
})

test('a node that refuses a call has answered, so it stays the first', async () => {
  const { ask, answers } = await startNodes('limit', 'block')
  expect(await ask()).toEqual([1, [0, 1]])
  answers[0] = 'block'
  expect(await ask()).toEqual([0, [0]])
})

test('what a contract refuses is asked of no other node', async () => {
  const { client, asked } = await startNodes('revert', 'block')
  await expect(client.getBlockNumber()).rejects.toThrow('execution reverted')
  expect(asked).toEqual([0])
})
