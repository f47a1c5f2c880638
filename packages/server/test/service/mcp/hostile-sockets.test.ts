/** What only a socket shows: bodies in pieces, in excess, cut off, and requests that are none. */
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
  })
})
afterAll(async () => {
  service.process.kill('SIGKILL')
  await resolver.close()
})

const ping = JSON.stringify(PING_MESSAGE)
const PONG = expectedRpcResult({})
const TOO_LARGE = expectedRpcError(-32_000, null, 'The body must be at most 64 KB.')
const NO_JSON = expectedRpcError(-32_700, null, 'The body is not JSON. Send one JSON-RPC message.')
const HOST = 'Host: mailgrade.example'

function head(lines: string[], version = '1.1'): string {
  const fixed = ['Content-Type: application/json', 'Connection: close']
  return [`POST /mcp HTTP/${version}`, ...fixed, ...lines, '', ''].join('\r\n')
}
const length = (text: string) => `Content-Length: ${Buffer.byteLength(text)}`
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked'

function connect(): net.Socket {
  return net.connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {})
}

/** What the service says to this, until it hangs up. */
async function say(sent: string): Promise<Response> {
  const socket = connect()
  socket.write(sent)
  let heard = ''
  for await (const part of socket) heard += part
  const [head = '', ...body] = heard.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => line.split(/: (.*)/, 2) as [string, string])
  return new Response(body.join('\r\n\r\n'), { status: Number(first.split(' ')[1]), headers })
}

const said = async (sent: string): Promise<McpReply> => readMcpReply(await say(sent))

async function expectMalformed(sent: string): Promise<void> {
  const response = await say(sent)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ status: 400, code: 'malformed_request' })
}

describe('a body', () => {
  const large = JSON.stringify({ ...PING_MESSAGE, params: { x: 'y'.repeat(1_048_576) } })
  const fitting = ping.replace('}', `${' '.repeat(65_536 - ping.length)}}`)

  test.each([
    ['of 1 MB that says so', head([HOST, length(large)]) + large, 413, TOO_LARGE],
    ['of 1 MB in a chunk', `${head([HOST, CHUNKED])}${chunk(large)}0\r\n\r\n`, 413, TOO_LARGE],
    ['of 1 MB that never comes', head([HOST, length(large)]), 413, TOO_LARGE],
    ['that fits', head([HOST, length(fitting)]) + fitting, 200, PONG],
    ['that fits in a chunk', `${head([HOST, CHUNKED])}${chunk(fitting)}0\r\n\r\n`, 200, PONG],
    [
      'in chunks of one byte',
      `${head([HOST, CHUNKED])}${[...ping].map(chunk).join('')}0\r\n\r\n`,
      200,
      PONG,
    ],
    ['of no chunks', `${head([HOST, CHUNKED])}0\r\n\r\n`, 400, NO_JSON],
  ])('%s', async (_, sent, status, answer) => {
    expect(await said(sent)).toEqual([status, answer])
  })

  test.each([
    ['in a chunk of no length', `${head([HOST, CHUNKED])}zz\r\n${ping}`],
    ['with a length that is none', head([HOST, 'Content-Length: x']) + ping],
    ['with two lengths', head([HOST, length(ping), 'Content-Length: 5']) + ping],
    ['with a length and in chunks', head([HOST, length(ping), CHUNKED]) + chunk(ping)],
  ])('%s', async (_, sent) => {
    await expectMalformed(sent)
  })
})

describe('a host', () => {
  const REFUSED = expectedRpcError(
    -32_000,
    null,
    expect.stringMatching(/^The Host header names another/),
  )

  test.each([
    ['named by HTTP/1.0', head([HOST, length(ping)], '1.0'), 200, PONG],
    ['not named by HTTP/1.0', head([length(ping)], '1.0'), 403, REFUSED],
    ['named with another', head([HOST, 'Host: evil.test', length(ping)]), 403, REFUSED],
    ['of nobody', head(['Host:', length(ping)]), 403, REFUSED],
    ['of this machine', head(['Host: 127.0.0.1', length(ping)]), 403, REFUSED],
  ])('%s', async (_, sent, status, answer) => {
    expect(await said(sent + ping)).toEqual([status, answer])
  })

  test.each(['evil@mailgrade.example', 'mailgrade.example/evil', 'mailgrade.example#evil'])(
    'written as %s is none',
    async (host) => {
      await expectMalformed(head([`Host: ${host}`, length(ping)]) + ping)
    },
  )
})

test.each(PROTOCOL_ERAS)('a caller who hangs up is not worked for any longer (%s)', async (era) => {
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
  // Long before the resolver is given up, which would end the question, too.
  for (let others = 0; others < 20 && !response.closed; others++) {
    expect(await said(head([HOST, length(ping)]) + ping)).toEqual([200, PONG])
  }
  expect(response.closed).toBe(true)
  expect(service.output.stdout.slice(logBefore)).not.toContain('"msg":"internal error"')
})
