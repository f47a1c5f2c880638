/**
 * HTTP/1.1 load over plain sockets: keeps a number of requests in flight until all are answered.
 * Node's own HTTP client takes more CPU time per request than some of the measured servers.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { MeasuredServer } from './bench-environment.js'
import { PAYMENT_ROUNDS, PAYMENTS_IN_FLIGHT } from './bench-targets.js'
import { median, percentile, runInterleaved } from './measure.js'

export interface BenchResponse {
  readonly status: number
  header(name: string): string | null
  /** Status line and headers, with the empty line after them. */
  readonly head: string
  /** One character per byte, with the lengths of chunks still in it. */
  readonly body: string
}

/** A response as a server can send it without any work of its own. */
export interface FixedResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

export interface HttpLoadOptions {
  /** Connections are spread over the servers. */
  readonly servers: readonly MeasuredServer[]
  /** Texts of whole requests. */
  readonly requests: readonly string[]
  readonly inFlight: number
  /** Throws on a wrong response: a server that is fast because it fails does not count. */
  readonly verify: (response: BenchResponse) => void
}

export interface HttpLoadResult {
  readonly latenciesMs: readonly number[]
  /** CPU time of all servers, per request. */
  readonly cpuMs: number
  /** Elapsed time per request. */
  readonly wallMs: number
}

export async function runHttpLoad({
  servers,
  requests,
  inFlight,
  verify,
}: HttpLoadOptions): Promise<HttpLoadResult> {
  const ports = servers.map(({ port }) => port)
  const connections = await Promise.all(
    Array.from({ length: inFlight }, (_, index) =>
      openConnection(ports[index % ports.length] ?? 0),
    ),
  )
  const responses: BenchResponse[] = []
  const latenciesMs: number[] = []
  const queue = requests.values()
  const work = async (connection: BenchConnection) => {
    for (const request of queue) {
      const startedAt = performance.now()
      responses.push(await connection.send(request))
      latenciesMs.push(performance.now() - startedAt)
    }
  }
  const cpuBefore = await totalCpuMs(servers)
  const startedAt = performance.now()
  await Promise.all(connections.map(work))
  const elapsedMs = performance.now() - startedAt
  const cpuMs = (await totalCpuMs(servers)) - cpuBefore
  for (const connection of connections) connection.close()
  for (const response of responses) verify(response)
  const count = requests.length
  return { latenciesMs, cpuMs: cpuMs / count, wallMs: elapsedMs / count }
}

async function totalCpuMs(servers: readonly MeasuredServer[]): Promise<number> {
  const usages = await Promise.all(servers.map((server) => server.usage()))
  return usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

/** Creates the texts of a number of requests before the clock starts. */
export type RequestSource = (count: number) => Promise<readonly string[]>

/** One server and the requests it is measured with. */
export interface Contestant {
  readonly server: MeasuredServer
  readonly requests: RequestSource
  readonly verify: HttpLoadOptions['verify']
  /** JSON-RPC calls to its chain so far, where the benchmark counts them. */
  readonly chainCalls?: () => Promise<number>
}

export type Contestants<Name extends string> = Readonly<Record<Name, Contestant>>

export interface LoadSample extends HttpLoadResult {
  /** JSON-RPC calls per request. */
  readonly chainCalls: number
}

/** One sample per round. */
export type LoadSamples<Name extends string> = Readonly<Record<Name, readonly LoadSample[]>>

export type LoadMetric = (sample: LoadSample) => number

export const cpuPerRequestMs: LoadMetric = ({ cpuMs }) => cpuMs
export const requestsPerSecond: LoadMetric = ({ wallMs }) => 1_000 / wallMs
export const medianLatencyMs = ({ latenciesMs }: HttpLoadResult) => median(latenciesMs)
export const latencyPercentile =
  (share: number): LoadMetric =>
  ({ latenciesMs }) =>
    percentile(latenciesMs, share)

export async function warmUp(contestants: Contestants<string>, count: number): Promise<void> {
  for (const contestant of Object.values(contestants)) {
    await measureContestant(contestant, count, PAYMENTS_IN_FLIGHT)
  }
}

export function measureLoads<Name extends string>(
  contestants: Contestants<Name>,
  count: number,
  inFlight: number,
): Promise<LoadSamples<Name>> {
  const runs = Object.entries<Contestant>(contestants).map(
    ([name, contestant]) => [name, () => measureContestant(contestant, count, inFlight)] as const,
  )
  return runInterleaved(
    Object.fromEntries(runs) as Record<Name, () => Promise<LoadSample>>,
    PAYMENT_ROUNDS,
  )
}

async function measureContestant(
  { server, requests, verify, chainCalls = async () => 0 }: Contestant,
  count: number,
  inFlight: number,
): Promise<LoadSample> {
  const texts = await requests(count)
  const callsBefore = await chainCalls()
  const result = await runHttpLoad({ servers: [server], requests: texts, inFlight, verify })
  return { ...result, chainCalls: ((await chainCalls()) - callsBefore) / count }
}

/** One response outside of any measurement. */
export async function requestOnce({
  server,
  requests,
  verify,
}: Omit<Contestant, 'chainCalls'>): Promise<BenchResponse> {
  const [request = ''] = await requests(1)
  const connection = await openConnection(server.port)
  const response = await connection.send(request)
  connection.close()
  verify(response)
  return response
}

export function expectStatus(...statuses: number[]) {
  return ({ status, body }: BenchResponse): void => {
    if (!statuses.includes(status)) throw new Error(`HTTP ${status}: ${body.slice(0, 200)}`)
  }
}

/** Headers that Node adds to every response by itself. */
const FRAMING_HEADERS = /^(date|connection|keep-alive|content-length|transfer-encoding)$/i

export function toFixedResponse(response: BenchResponse): FixedResponse {
  const [, ...lines] = response.head.trimEnd().split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  return {
    status: response.status,
    headers: Object.fromEntries(headers.filter(([name]) => !FRAMING_HEADERS.test(name))),
    body: decodeBody(response),
  }
}

export function decodeBody({ header, body }: BenchResponse): string {
  const isChunked = header('transfer-encoding') === 'chunked'
  return Buffer.from(isChunked ? joinChunks(body) : body, 'latin1').toString()
}

function joinChunks(chunks: string): string {
  const startsAt = chunks.indexOf('\r\n') + 2
  const length = Number.parseInt(chunks, 16)
  if (!length) return ''
  const endsAt = startsAt + length
  return chunks.slice(startsAt, endsAt) + joinChunks(chunks.slice(endsAt + 2))
}

interface BenchConnection {
  send(request: string): Promise<BenchResponse>
  close(): void
}

async function openConnection(port: number): Promise<BenchConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  socket.setEncoding('latin1')
  let received = ''
  let waiting = { resolve: (_: string) => {}, reject: (_: Error) => {} }
  socket.on('data', (text: string) => {
    received += text
    if (isComplete(received)) waiting.resolve(received)
  })
  socket.on('error', (error) => waiting.reject(error))
  socket.on('close', () => waiting.reject(new Error('the server closed the connection')))
  return {
    async send(request) {
      received = ''
      const complete = new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject }
      })
      socket.write(request)
      return parseResponse(await complete)
    },
    close: () => socket.destroy(),
  }
}

function isComplete(text: string): boolean {
  const bodyAt = text.indexOf('\r\n\r\n') + 4
  if (bodyAt < 4) return false
  const length = readHeader(text.slice(0, bodyAt), 'content-length')
  return length === null ? text.endsWith('\r\n0\r\n\r\n') : text.length - bodyAt >= Number(length)
}

function parseResponse(text: string): BenchResponse {
  const bodyAt = text.indexOf('\r\n\r\n') + 4
  const head = text.slice(0, bodyAt)
  return {
    status: Number(head.slice(9, 12)),
    header: (name) => readHeader(head, name),
    head,
    body: text.slice(bodyAt),
  }
}

function readHeader(head: string, name: string): string | null {
  return new RegExp(`\r\n${name}: *([^\r]*)`, 'i').exec(head)?.[1] ?? null
}
