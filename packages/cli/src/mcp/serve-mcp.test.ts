/** `mailgrade mcp` in this process, with messages written by hand. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { AbortableDns } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../command-line/program.js'
import { createReportSlots } from './serve-mcp.js'

const ZONE = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
const SCORE = 'email_security_score'
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
}

interface StartOptions {
  readonly dns?: AbortableDns
  readonly isTTY?: boolean
  readonly env?: Record<string, string>
}

/** Starts the program; stops it at the end of the test. */
function start({ dns = createZoneDns('zone', ZONE), isTTY = false, env = {} }: StartOptions = {}) {
  const stdin = new PassThrough()
  const interrupted = new AbortController()
  const replies = new Map<number, (reply: unknown) => void>()
  const output: string[] = []
  const messages: string[] = []
  let isDnsClosed = false
  const exitCode = runProgram(['mcp'], {
    stdout: {
      write(text) {
        output.push(text)
        const { id } = JSON.parse(text)
        replies.get(id)?.(JSON.parse(text))
        return true
      },
      once() {},
    },
    stderr: { write: (text) => messages.push(text) > 0, once() {} },
    stdin: Object.assign(stdin, { isTTY }),
    env,
    signal: interrupted.signal,
    stopOnSigterm() {},
    now: () => new Date('2026-11-17T12:00:00Z'),
    openDns: () => ({
      ...dns,
      close() {
        isDnsClosed = true
      },
    }),
  })
  onTestFinished(async () => {
    interrupted.abort()
    await exitCode
  })

  const send = (message: object) => stdin.write(`${JSON.stringify(message)}\n`)
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  const request = (id: number, method: string, params: object = {}): Promise<any> => {
    const reply = new Promise((resolve) => replies.set(id, resolve))
    send({ jsonrpc: '2.0', id, method, params })
    return reply
  }
  return {
    stdin,
    exitCode,
    messages,
    output,
    interrupt: () => interrupted.abort(),
    isDnsClosed: () => isDnsClosed,
    send,
    request,
    callTool: (id: number, name: string, input: object) =>
      request(id, 'tools/call', { name, arguments: input }),
    async initialize() {
      const { result } = await request(0, 'initialize', INITIALIZE)
      send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      return result
    },
  }
}

/** Counts queries in flight; answers when told to, or fails a query that is aborted. */
function createHeldDns() {
  const zone = createZoneDns('zone', ZONE)
  let letGo = () => {}
  let onQuery = () => {}
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const asked = new Promise<void>((resolve) => {
    onQuery = resolve
  })
  const subjects = new Set<string>()
  const dns: AbortableDns = {
    async query(name, type, signal) {
      const [subject] = /d\d+\.test$/.exec(name) ?? []
      if (subject) subjects.add(subject)
      onQuery()
      const aborted = signal ? once(signal, 'abort') : new Promise(() => {})
      await Promise.race([released, aborted])
      return zone.query(name, type)
    },
  }
  return { dns, letGo: () => letGo(), asked, subjects }
}

test('introduces itself without a service', async () => {
  const result = await start().initialize()
  expect(result.serverInfo).toMatchObject({ name: 'mailgrade', title: 'Mailgrade' })
  expect(result.serverInfo.icons[0].src).toMatch(/^data:image\/svg\+xml;base64,/)
  expect(result.instructions).toMatch(/^Mailgrade reads live DNS/)
  expect(result.instructions).not.toMatch(/free|pay|price|charge/i)
})

test('lists the four tools in less than 16 KB', async () => {
  const { initialize, request } = start()
  await initialize()
  const { result } = await request(1, 'tools/list')
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual([
    'check_domain_email_security',
    SCORE,
    'check_email_address',
    'email_fix_plan',
  ])
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(16_384)
})

test('answers a call with the report', async () => {
  const { initialize, callTool } = start()
  await initialize()
  const { result } = await callTool(1, SCORE, { domain: 'acme.test' })
  expect(result.structuredContent).toMatchObject({ domain: 'acme.test', grade: 'F' })
})

test('a plan starts today', async () => {
  const { initialize, callTool } = start()
  await initialize()
  const { result } = await callTool(1, 'email_fix_plan', { domain: 'acme.test' })
  expect(result.structuredContent.meta.checkedAt).toBe('2026-11-17T12:00:00.000Z')
})

describe('ends with exit code 0, without open connections', () => {
  test('when standard input ends', async () => {
    const { stdin, exitCode, initialize, isDnsClosed } = start()
    await initialize()
    stdin.end()
    expect([await exitCode, isDnsClosed()]).toEqual([0, true])
  })

  test('when standard input ends before any message', async () => {
    const { stdin, exitCode } = start()
    stdin.end()
    expect(await exitCode).toBe(0)
  })

  test('on Ctrl-C', async () => {
    const { exitCode, initialize, interrupt, isDnsClosed, stdin } = start()
    await initialize()
    interrupt()
    expect([await exitCode, isDnsClosed(), stdin.destroyed]).toEqual([0, true, true])
  })

  test.each(['stdin', 'signal'])('while a call waits for DNS: %s', async (cause) => {
    const { dns, asked } = createHeldDns()
    const { stdin, exitCode, initialize, interrupt, callTool, output } = start({ dns })
    await initialize()
    void callTool(1, SCORE, { domain: 'acme.test' })
    await asked
    if (cause === 'stdin') stdin.end()
    else interrupt()
    expect(await exitCode).toBe(0)
    expect(output).toHaveLength(1)
  })
})

test('of 100 calls at once, no more than 8 use DNS at a time, and all are answered', async () => {
  const { dns, letGo, subjects } = createHeldDns()
  const { initialize, callTool, request } = start({ dns })
  await initialize()
  const domains = Array.from({ length: 100 }, (_, index) => `d${index}.test`)
  const replies = domains.map((domain, index) => callTool(index + 1, SCORE, { domain }))
  // Messages are handled in order, and nothing but DNS takes a call to another turn.
  await request(101, 'ping')
  await new Promise(setImmediate)
  expect(subjects.size).toBe(8)
  letGo()
  const codes = (await Promise.all(replies)).map(({ result }) => result.structuredContent.code)
  expect(codes).toEqual(domains.map(() => 'unknown_domain'))
})

test('a cancelled call frees its place', async () => {
  const { dns, asked, letGo } = createHeldDns()
  const { initialize, callTool, send } = start({ dns })
  await initialize()
  for (let id = 1; id <= 9; id++) void callTool(id, SCORE, { domain: `d${id}.test` })
  const last = callTool(10, SCORE, { domain: 'acme.test' })
  await asked
  for (let requestId = 1; requestId <= 9; requestId++) {
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  }
  letGo()
  expect((await last).result.structuredContent.domain).toBe('acme.test')
})

test('a line that is no message is reported on standard error and ignored', async () => {
  const { initialize, request, stdin, messages } = start()
  await initialize()
  stdin.write('{"hello":1}\n')
  await request(1, 'ping')
  expect(messages).toEqual(['Ignored a line that isn’t a JSON-RPC message.\n'])
})

test('a person at a terminal learns that the server waits for a client', async () => {
  const { initialize, messages } = start({ isTTY: true })
  await initialize()
  expect(messages).toEqual(['Waiting for an MCP client on standard input. Press Ctrl-C to stop.\n'])
})

test('names for private networks in public records are looked up only with ALLOW_PRIVATE_NAMES', async () => {
  const zone = ZONE.replaceAll('mx.acme.test', 'mx.acme.internal')
  const check = async (env: Record<string, string>) => {
    const server = start({ dns: createZoneDns('zone', zone), env })
    await server.initialize()
    const input = { domain: 'acme.test' }
    return JSON.stringify(await server.callTool(1, 'check_domain_email_security', input))
  }
  expect(await check({})).toContain('mx.dangling')
  expect(await check({ ALLOW_PRIVATE_NAMES: 'true' })).not.toContain('mx.dangling')
})

test('names for private networks are checked only with ALLOW_PRIVATE_NAMES', async () => {
  const dns = createZoneDns('zone', ZONE.replaceAll('acme.test', 'acme.internal'))
  const call = async (env: Record<string, string>) => {
    const server = start({ dns, env })
    await server.initialize()
    const { result } = await server.callTool(1, SCORE, { domain: 'acme.internal' })
    return result
  }
  expect(await call({})).toMatchObject({
    isError: true,
    structuredContent: { code: 'invalid_input' },
  })
  expect(await call({ ALLOW_PRIVATE_NAMES: 'true' })).not.toHaveProperty('isError', true)
})

const never = new AbortController().signal

/** Acquires slots as calls would, and says which of them have one. */
function setUp(limit: number) {
  const acquire = createReportSlots(limit)
  const held: string[] = []
  const releases = new Map<string, () => void>()
  return {
    held,
    async call(name: string, signal = never) {
      const release = await acquire('caller', signal)
      if (!release) return 'none'
      held.push(name)
      releases.set(name, release)
      return 'slot'
    },
    async end(name: string) {
      held.splice(held.indexOf(name), 1)
      releases.get(name)?.()
      // A slot is passed on in a later turn.
      await new Promise(setImmediate)
    },
  }
}

test('as many calls as there are slots run at once; others wait for their turn', async () => {
  const { call, end, held } = setUp(2)
  const calls = ['a', 'b', 'c', 'd'].map((name) => call(name))
  await Promise.all(calls.slice(0, 2))
  expect(held).toEqual(['a', 'b'])
  await end('b')
  expect(held).toEqual(['a', 'c'])
  await end('a')
  expect(held).toEqual(['c', 'd'])
  await end('c')
  await end('d')
  expect(await Promise.all(calls)).toEqual(Array(4).fill('slot'))
  expect(await Promise.all([call('e'), call('f')])).toEqual(['slot', 'slot'])
})

test('a call that is cancelled while it waits gets no slot and takes none', async () => {
  const { call, end, held } = setUp(1)
  const cancelled = new AbortController()
  await call('a')
  const second = call('b', cancelled.signal)
  const third = call('c')
  cancelled.abort()
  expect(await second).toBe('none')
  await end('a')
  expect([held, await third]).toEqual([['c'], 'slot'])
})

test('a call that was cancelled before gets no slot', async () => {
  const { call } = setUp(1)
  expect(await call('a', AbortSignal.abort())).toBe('none')
  expect(await call('b')).toBe('slot')
})
