/** Sends raw bytes to a listening service, which no HTTP client would send. */
import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { createApp } from '../../src/app.js'
import { startHttpServer } from '../../src/http/http-server.js'
import { createMemoryState } from '../../src/state/open-state.js'
import { SILENT_LOG } from '../support/silent-log.js'
import { CLOSED_PAYMENT_BACKEND } from '../support/test-app.js'
import { testConfig } from '../support/test-config.js'

const BASE_URL = 'https://mailgrade.example'
const HOST = '127.0.0.1'
const SHORT_LIMITS = {
  headersTimeout: 300,
  requestTimeout: 300,
  connectionsCheckingInterval: 10,
  keepAliveTimeout: 50,
  maxConnections: 10,
}

/** Sends exactly this text to a service with short timeouts. */
export async function sendRawRequest(request: string): Promise<Response> {
  const config = testConfig({ BASE_URL })
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const app = createApp({
    config,
    isDraining: () => false,
    paymentBackend: CLOSED_PAYMENT_BACKEND,
    state: createMemoryState({ config, ...clocks }),
    log: SILENT_LOG,
  })
  const server = await startHttpServer(app.http, {
    host: HOST,
    port: 0,
    limits: SHORT_LIMITS,
    baseUrl: BASE_URL,
    newRequestId: () => randomUUID(),
    onClientError: () => {},
  })
  try {
    const socket = net.connect(server.port, HOST)
    socket.write(request)
    return parseResponse(await text(socket))
  } finally {
    await server.stop(0, 0)
    app.close()
  }
}

function parseResponse(raw: string): Response {
  const [head = '', body = ''] = raw.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ')
    return [name, value.join(': ')]
  })
  return new Response(body, { status: Number(statusLine.split(' ')[1]), headers })
}
