/** Messages that no client of good will sends, and what is heard in return. */

import { type World, world } from '@mailgrade/testing/world'
import { expect } from 'vitest'
import { ENVELOPE, HOST, REVISION } from './mcp-message.js'
import { CLOSED_TILL, type TestApp, testApp } from './test-app.js'

export const ERAS = ['legacy', 'modern'] as const
export type Era = (typeof ERAS)[number]
export type Headers = Record<string, string>
type Params = Readonly<Record<string, unknown>>

export const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** Whatever tells how we are built, or what broke in us. */
const LEAKS = /\bat \S+ \(|\.[cm]?[jt]s:\d|node_modules|zod|hono|@modelcontextprotocol|ECONN|Error:/

export interface House {
  readonly app: TestApp
  readonly dns: World
  send(body: BodyInit | object | null, headers?: Headers): Promise<Heard>
  ask(era: Era, method: string, params?: Params): Promise<Heard>
  call(era: Era, name: unknown, given?: unknown, meta?: object): Promise<Heard>
}

/** The status and what the body says: null when there is none. */
export type Heard = [status: number, answer: unknown]

/** Live, and open to as many calls as a story needs. */
const ENV = {
  PAY_TO_ADDRESS: CLOSED_TILL.terms.payTo,
  FACILITATOR_URL: 'http://127.0.0.1:9',
  RATE_LIMIT_PER_MINUTE: '1000000',
}

export function openHouse(): House {
  const dns = world('acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1')
  const app = testApp(dns, { env: ENV })

  const send: House['send'] = async (body, headers = {}) =>
    hear(
      await app.request('/mcp', {
        method: 'POST',
        headers: { ...HOST, ...headers },
        body: isMessage(body) ? JSON.stringify(body) : body,
      }),
    )
  const ask: House['ask'] = (era, method, params = {}) =>
    send({ ...PING, method, params: paramsIn(era, params) }, headersIn(era, method, params))
  const call: House['call'] = (era, name, given, meta) =>
    ask(era, 'tools/call', { name, arguments: given, ...(meta && { _meta: meta }) })
  return { app, dns, send, ask, call }
}

function isMessage(body: BodyInit | object | null): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array)
}

export function paramsIn(era: Era, params: Params): Params {
  const { _meta, ...others } = params
  return era === 'legacy' ? params : { ...others, _meta: { ...ENVELOPE, ...Object(_meta) } }
}

/** The headers that belong to a message, which must say the same as it does. */
export function headersIn(era: Era, method: string, params: Params = {}) {
  if (era === 'legacy') return {}
  const { name } = params
  return {
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encoded(name) }),
  }
}

/** As a header can carry it. */
function encoded(name: string): string {
  const isPlain = /^[\x21-\x7e]*$/.test(name)
  return isPlain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}

export async function hear(response: Response): Promise<Heard> {
  const text = await response.text()
  expect(text + JSON.stringify([...response.headers])).not.toMatch(LEAKS)
  const type = response.headers.get('content-type')
  if (text === '') return [response.status, null]
  expect(type).toBe('application/json')
  const answer = JSON.parse(text)
  // One of the two, and nothing besides.
  expect([
    ['id', 'jsonrpc', 'result'],
    ['error', 'id', 'jsonrpc'],
  ]).toContainEqual(Object.keys(answer).sort())
  expect(answer.jsonrpc).toBe('2.0')
  const { content, structuredContent } = answer.result ?? {}
  // What a program is told, a model is told, too.
  if (structuredContent) {
    const texts = content.map(({ text }: { text: string }) => text)
    expect(texts).toContain(JSON.stringify(structuredContent))
  }
  return [response.status, answer]
}

/** An error of JSON-RPC, in these words if they are given. */
export function rpcError(code: number, id: unknown = 1, words: unknown = expect.any(String)) {
  return { jsonrpc: '2.0', id, error: { code, message: words } }
}

/** The same with data that is looked at elsewhere. */
export function rpcErrorWith(data: unknown, code: number, id: unknown = 1) {
  return { jsonrpc: '2.0', id, error: { code, message: expect.any(String), data } }
}

/** A tool's answer that is a problem, to a program and in words. */
export function problemResult(code: string, detail: unknown): unknown {
  const problem = expect.objectContaining({
    type: `https://mailgrade.example/problems/${code.replaceAll('_', '-')}`,
    code,
    detail,
  })
  return resultOf(expect.objectContaining({ isError: true, structuredContent: problem }))
}

export function resultOf(result: unknown, id: unknown = 1): unknown {
  return { jsonrpc: '2.0', id, result }
}

/** Nobody was asked, nothing broke, nothing was sold. */
export function expectQuiet({ app, dns }: House): void {
  expect([dns.asked, app.faults, app.sales]).toEqual([[], [], []])
}

/** Arrays or objects in one another, this deep. */
export function nested(levels: number, open = '[', close = ']'): string {
  return open.repeat(levels) + (open === '[' ? '' : '1') + close.repeat(levels)
}
