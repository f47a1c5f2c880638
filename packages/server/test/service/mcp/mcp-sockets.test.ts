/** MCP over a raw socket: chunked, oversized and incomplete bodies, and malformed requests. */
import net from 'node:net'
import { type DohExchange, type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  expectedRpcError,
  expectedRpcResult,
  headersForEra,
  type McpReply,
  PING_MESSAGE,
  PROTOCOL_ERAS,
  paramsForEra,
  readMcpReply,
} from '../../support/mcp-service-under-test.js'
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js'

let resolver: DohServer
let service: ServiceProcess
beforeAll(async () => {
  resolver = await startDohServer('', 'http/1.1')
  service = await startServiceProcess({
    BASE_URL: 'https://mailgrade.example',
    DOH_URLS: resolver.url.href,
    // Aborted requests and health checks are logged at debug only.
    LOG_LEVEL: 'debug',
  })
})
afterAll(async () => {
  service.process.kill('SIGKILL')
  await resolver.close()
})

const ping = JSON.stringify(PING_MESSAGE)
const PONG = expectedRpcResult({})
const TOO_LARGE = expectedRpcError(-32_000, null, 'The body must be at most 64 KB.')
const NOT_JSON = expectedRpcError(-32_700, null, 'The body is not JSON. Send one JSON-RPC message.')
const TOO_MANY_CHUNKS = expectedRpcError(
  -32_000,
  null,
  'The body can have at most 1,000 chunks. Send larger chunks, or use Content-Length.',
)
const HOST = 'Host: mailgrade.example'

function head(lines: string[], version = '1.1'): string {
  const fixed = ['Content-Type: application/json', 'Connection: close']
  return [`POST /mcp HTTP/${version}`, ...fixed, ...lines, '', ''].join('\r\n')
}
const length = (text: string) => `Content-Length: ${Buffer.byteLength(text)}`
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked'
const padded = (size: number) => ping.replace('}', `${' '.repeat(size - ping.length)}}`)
const inOctets = (text: string) =>
  `${head([HOST, CHUNKED])}${[...text].map(chunk).join('')}0\r\n\r\n`

function connect(): net.Socket {
  return net.connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {})
}

/** Sends raw text and reads the response until the service closes the connection. */
async function sendRaw(sent: string): Promise<Response> {
  const socket = connect()
  socket.write(sent)
  let received = ''
  for await (const part of socket) received += part
  const [head = '', ...body] = received.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => line.split(/: (.*)/, 2) as [string, string])
  return new Response(body.join('\r\n\r\n'), { status: Number(first.split(' ')[1]), headers })
}

const replyTo = async (sent: string): Promise<McpReply> => readMcpReply(await sendRaw(sent))

async function expectMalformed(sent: string): Promise<void> {
  const response = await sendRaw(sent)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ status: 400, code: 'malformed_request' })
}

describe('body', () => {
  const large = JSON.stringify({ ...PING_MESSAGE, params: { x: 'y'.repeat(1_048_576) } })
  const fitting = padded(65_536)

  test.each([
    ['1 MB with Content-Length', head([HOST, length(large)]) + large, 413, TOO_LARGE],
    ['1 MB in one chunk', `${head([HOST, CHUNKED])}${chunk(large)}0\r\n\r\n`, 413, TOO_LARGE],
    ['1 MB announced but not sent', head([HOST, length(large)]), 413, TOO_LARGE],
    ['64 KB', head([HOST, length(fitting)]) + fitting, 200, PONG],
    ['1,000 chunks of one octet', inOctets(padded(1_000)), 200, PONG],
    ['1,001 chunks of one octet', inOctets(padded(1_001)), 413, TOO_MANY_CHUNKS],
    ['64 KB in one chunk', `${head([HOST, CHUNKED])}${chunk(fitting)}0\r\n\r\n`, 200, PONG],
    [
      'chunks of one byte',
      `${head([HOST, CHUNKED])}${[...ping].map(chunk).join('')}0\r\n\r\n`,
      200,
      PONG,
    ],
    ['no chunks', `${head([HOST, CHUNKED])}0\r\n\r\n`, 400, NOT_JSON],
  ])('answers %s', async (_, sent, status, reply) => {
    expect(await replyTo(sent)).toEqual([status, reply])
  })

  test.each([
    ['an invalid chunk length', `${head([HOST, CHUNKED])}zz\r\n${ping}`],
    ['an invalid Content-Length', head([HOST, 'Content-Length: x']) + ping],
    ['two lengths', head([HOST, length(ping), 'Content-Length: 5']) + ping],
    ['a length and chunks', head([HOST, length(ping), CHUNKED]) + chunk(ping)],
  ])('rejects %s', async (_, sent) => {
    await expectMalformed(sent)
  })
})

describe('host', () => {
  const REJECTED = expectedRpcError(
    -32_000,
    null,
    expect.stringMatching(/^The Host header names a different/),
  )

  test.each([
    ['HTTP/1.0 with Host', head([HOST, length(ping)], '1.0'), 200, PONG],
    ['HTTP/1.0 without Host', head([length(ping)], '1.0'), 403, REJECTED],
    ['an empty Host', head(['Host:', length(ping)]), 403, REJECTED],
    ['the IP address', head(['Host: 127.0.0.1', length(ping)]), 403, REJECTED],
  ])('%s', async (_, sent, status, reply) => {
    expect(await replyTo(sent + ping)).toEqual([status, reply])
  })

  test('rejects two Hosts', async () => {
    await expectMalformed(head([HOST, 'Host: evil.test', length(ping)]) + ping)
  })

  test.each(['evil@mailgrade.example', 'mailgrade.example/evil', 'mailgrade.example#evil'])(
    'rejects the invalid host %s',
    async (host) => {
      await expectMalformed(head([`Host: ${host}`, length(ping)]) + ping)
    },
  )
})

test.each(PROTOCOL_ERAS)('stops working for a caller that disconnects (%s)', async (era) => {
  const domain = `${era}.example`
  const held = new Promise<DohExchange>((resolve) => {
    resolver.respond = (exchange) => exchange.query.endsWith(domain) && resolve(exchange)
  })
  const params = { name: 'check_domain_email_security', arguments: { domain } }
  const body = JSON.stringify({
    ...PING_MESSAGE,
    method: 'tools/call',
    params: paramsForEra(era, params),
  })
  const headers = Object.entries(headersForEra(era, 'tools/call', params)).map((pair) =>
    pair.join(': '),
  )
  const logBefore = service.output.stdout.length
  const socket = connect()
  socket.write(head([HOST, ...headers, length(body)]) + body)
  const { response } = await held
  socket.destroy()
  // Well before the DNS timeout, which would also end the query.
  for (let others = 0; others < 20 && !response.closed; others++) {
    expect(await replyTo(head([HOST, length(ping)]) + ping)).toEqual([200, PONG])
  }
  expect(response.closed).toBe(true)
  expect(service.output.stdout.slice(logBefore)).not.toContain('"msg":"internal error"')
})

test('does not log an incomplete body as an internal error', async () => {
  // The first message loads MCP; the second is incomplete.
  await fetch(`${service.url}/mcp`, { method: 'POST' })
  const logBefore = service.output.stdout.length
  const logAfterAbort = () =>
    service.output.stdout.slice(logBefore).split('"isAborted":true')[1] ?? ''
  connect().end(head([HOST, 'Content-Length: 100']) + ping)
  while (!/healthz[\s\S]*healthz/.test(logAfterAbort())) await fetch(`${service.url}/healthz`)
  expect(logAfterAbort()).not.toContain('"msg":"internal error"')
})
