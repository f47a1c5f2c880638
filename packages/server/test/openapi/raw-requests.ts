/** What is sent past every client to a listening service, and what comes back. */
import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { createApp } from '../../src/app.js'
import { startServer } from '../../src/http/server.js'
import { memoryState } from '../../src/state/open-state.js'
import { configOf } from '../support/load-config.js'
import { SILENT } from '../support/silent-log.js'
import { CLOSED_TILL } from '../support/test-app.js'

const BASE_URL = 'https://mailgrade.example'
const HOST = '127.0.0.1'
const IMPATIENT = {
  headersTimeout: 50,
  requestTimeout: 50,
  connectionsCheckingInterval: 10,
  keepAliveTimeout: 50,
  maxConnections: 10,
}

/** Sends these characters, and no more, to a service that does not wait long. */
export async function sendRaw(request: string): Promise<Response> {
  const config = configOf({ BASE_URL })
  const clocks = { now: () => performance.now(), wallClock: () => Date.now() }
  const app = createApp({
    config,
    isDraining: () => false,
    till: CLOSED_TILL,
    state: memoryState({ config, ...clocks }),
    log: SILENT,
  })
  const server = await startServer(app.http, {
    host: HOST,
    port: 0,
    limits: IMPATIENT,
    baseUrl: BASE_URL,
    newRequestId: () => randomUUID(),
    onRefused: () => {},
  })
  try {
    const socket = net.connect(server.port, HOST)
    socket.write(request)
    return responseFrom(await text(socket))
  } finally {
    await server.stop(0, 0)
    app.close()
  }
}

function responseFrom(heard: string): Response {
  const [head = '', body = ''] = heard.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ')
    return [name, value.join(': ')]
  })
  return new Response(body, { status: Number(statusLine.split(' ')[1]), headers })
}
