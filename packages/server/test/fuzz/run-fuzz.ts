/** Sends random requests, counts responses and collects problems. */
import fc from 'fast-check'
import { decodeBase64Json } from '../support/test-payer.js'
import { anyFuzzRequest } from './any-request.js'
import { parseRpcResponse } from './check-mcp-response.js'
import { createFuzzRandom } from './fuzz-random.js'
import { encodeRequestText, type FuzzRequest, toReproduceCommand } from './fuzz-request.js'
import { RESPONSE_DEADLINE_MS } from './fuzz-settings.js'
import type { FuzzedService } from './fuzzed-service.js'
import { exchangeRawHttp, type RawExchange, type RawResponse } from './raw-http.js'

export interface FuzzResults {
  /** Responses by request label and status. */
  readonly counts: Map<string, Map<string, number>>
  /** The first problem of each kind, with a command that reproduces it. */
  readonly problems: Map<string, string>
}

const WORKERS = 8
const BATCH = 25

/** Goes on until the rare responses were seen too, for at most twice as many requests again. */
export async function runFuzz(
  fuzzed: FuzzedService,
  requestCount: number,
  hasSeenAll: (results: FuzzResults) => boolean,
): Promise<FuzzResults> {
  const results: FuzzResults = { counts: new Map(), problems: new Map() }
  const requests = anyFuzzRequest(fuzzed.surface)
  // Each worker has its share, so which requests are sent does not depend on how fast they are.
  const batches = Math.ceil(requestCount / WORKERS / BATCH)
  const isOver = (batch: number) =>
    batch >= 3 * batches || (batch >= batches && hasSeenAll(results))
  const workers = Array.from({ length: WORKERS }, async (_, worker) => {
    for (let batch = 0; !isOver(batch); batch++) {
      const seed = createFuzzRandom(`${fuzzed.name} ${worker} ${batch}`).integerBelow(2 ** 31)
      for (const request of fc.sample(requests, { seed, numRuns: BATCH })) {
        await sendAndCheck(fuzzed, request, results)
      }
    }
  })
  await Promise.all(workers)
  return results
}

async function sendAndCheck(
  fuzzed: FuzzedService,
  request: FuzzRequest,
  results: FuzzResults,
): Promise<void> {
  const paid =
    request.payment && request.resource
      ? await fuzzed.wallet.createPayment(request.payment, request.resource)
      : null
  const bytes = encodeRequest(request, paid)
  const exchangeOptions = {
    port: fuzzed.port,
    bytes,
    isComplete: request.kind === 'raw',
    deadlineMs: RESPONSE_DEADLINE_MS,
  }
  const copies = Array.from({ length: request.copies }, () => exchangeRawHttp(exchangeOptions))
  for (const exchange of await Promise.all(copies)) {
    const problems = findProblems(fuzzed, request, exchange).join('; ')
    const kind = `${fuzzed.name}, ${request.label}: ${problems}`
    if (problems !== '' && !results.problems.has(kind)) {
      results.problems.set(kind, toReproduceCommand(bytes, fuzzed.port))
    }
    for (const response of exchange.responses) {
      fuzzed.accounting.record(paid?.payload, readSettlement(response))
      count(results, request.label, String(response.status))
    }
    if (exchange.responses.length === 0) {
      const outcome = exchange.kind === 'responses' ? 'closed without response' : exchange.kind
      count(results, request.label, outcome)
    }
  }
}

interface FuzzPayment {
  readonly payload: unknown
  readonly header: string
}

function encodeRequest(request: FuzzRequest, paid: FuzzPayment | null): Buffer {
  if (request.kind === 'raw') return encodeRequestText(request.target)
  const body = request.body ? Buffer.from(request.body(paid?.payload)) : null
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    'Host: localhost',
    ...request.headers.map((header) => header.join(': ')),
    ...(paid && !body ? [`PAYMENT-SIGNATURE: ${paid.header}`] : []),
    ...(body ? [`Content-Length: ${body.length}`] : []),
    'Connection: close',
  ]
  return Buffer.concat([
    encodeRequestText(`${lines.join('\r\n')}\r\n\r\n`),
    body ?? Buffer.alloc(0),
  ])
}

function findProblems(
  { checkResponse }: FuzzedService,
  request: FuzzRequest,
  exchange: RawExchange,
): string[] {
  if (exchange.kind === 'timeout') return [`no response in ${RESPONSE_DEADLINE_MS} ms`]
  if (exchange.kind === 'unparsable') return [exchange.reason]
  if (exchange.responses.length !== 1 && request.kind !== 'raw') {
    return [`${exchange.responses.length} responses`]
  }
  return exchange.responses.flatMap((response) => checkResponse(request, response))
}

function readSettlement(response: RawResponse): unknown {
  const header = response.headers.get('payment-response')
  if (header !== undefined) return decodeBase64Json(header)
  return response.body.includes('x402/payment-response')
    ? parseRpcResponse(response).result?._meta?.['x402/payment-response']
    : null
}

function count({ counts }: FuzzResults, label: string, outcome: string): void {
  const row = counts.get(label) ?? new Map<string, number>()
  counts.set(label, row.set(outcome, (row.get(outcome) ?? 0) + 1))
}

export function formatResponseCounts({ counts }: FuzzResults): string {
  const rows = [...counts].toSorted(([a], [b]) => a.localeCompare(b))
  return rows
    .map(([label, statuses]) => {
      const cells = [...statuses].toSorted(([a], [b]) => a.localeCompare(b))
      return `  ${label.padEnd(26)}${cells.map(([status, n]) => `${status}: ${n}`).join('  ')}`
    })
    .join('\n')
}

export function countResponses({ counts }: FuzzResults): number {
  return [...counts.values()].flatMap((row) => [...row.values()]).reduce((sum, n) => sum + n, 0)
}
