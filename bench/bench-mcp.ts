/** What a tool call over MCP costs, compared with the same report over HTTP. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import type { PaymentRequired } from '@x402/core/types'
import { MCP_PROTOCOL_VERSION, REQUEST_META } from '../packages/server/test/support/mcp-message.js'
import {
  type ChainProcess,
  type MeasuredServer,
  openPaymentProcesses,
} from './bench-environment.js'
import { fetchPaymentRequired, paidContestant, unpaidContestant } from './bench-payment.js'
import {
  CHECK_PATH,
  CHECK_TOOL_CALL,
  MCP_MAX_RATIOS,
  MCP_REQUEST_COUNTS,
  PAYMENT_ROUNDS,
  PAYMENTS_IN_FLIGHT,
  type RequestCounts,
  SCORE_TOOL_CALL,
} from './bench-targets.js'
import {
  type BenchResponse,
  type Contestant,
  type Contestants,
  cpuPerRequestMs,
  type LoadMetric,
  type LoadSample,
  type LoadSamples,
  latencyPercentile,
  measureLoads,
  requestOnce,
  requestsPerSecond,
  warmUp,
} from './http-load.js'
import { median, medianRatio, printTarget, roundTo } from './measure.js'
import {
  createPaymentSource,
  expectResponse,
  getRequestText,
  httpRequestText,
  paidRequests,
  parseResponseJson,
  repeatRequest,
} from './payment-requests.js'

/** The two protocol eras that the endpoint serves. */
type Era = 'modern' | 'legacy'
type McpContestants = Contestants<'http' | Era>
type McpSamples = LoadSamples<'http' | Era>
type Rows = Record<string, ReturnType<typeof toRow>>

export async function benchMcp(): Promise<void> {
  console.log(
    `\nTool calls over MCP (modern: 2026-07-28, legacy: 2025-11-25) and the same over HTTP from the same process; medians of ${PAYMENT_ROUNDS} interleaved rounds; concurrent is ${PAYMENTS_IN_FLIGHT} in flight; CPU is the server's`,
  )
  const processes = openPaymentProcesses()
  try {
    const server = await processes.startServer({ BENCH_SERVER: 'ours' })
    const chain = await processes.startChain()
    const onChain = await processes.startServer({ BENCH_SERVER: 'ours', BENCH_RPC: chain.url })
    const rows = {
      ...(await measureRows('check', await freeContestants(server))),
      ...(await measureRows('unpaid', await unpaidContestants(server))),
      ...(await measureRows('paid', await paidContestants(server, null))),
      ...(await measureRows('chain', await paidContestants(onChain, chain))),
    }
    console.table(rows)
    await printListings(server)
    const { check, unpaid, chain: chainRatio } = MCP_MAX_RATIOS
    printTarget(
      `≤ ${check} × the same over HTTP (402: ${unpaid} ×, paid on a chain: ${chainRatio} ×)`,
      Object.entries(rows).map(([name, { met }]) => [name, met !== false]),
    )
  } finally {
    processes.stop()
  }
}

async function freeContestants(server: MeasuredServer): Promise<McpContestants> {
  const contestants = {
    http: repeatContestant(
      server,
      getRequestText(CHECK_PATH),
      expectResponse(200, '"status":"pass"'),
    ),
    ...forBothEras((era) =>
      repeatContestant(
        server,
        mcpRequestText(era, 'tools/call', CHECK_TOOL_CALL),
        expectToolResult('"status":"pass"'),
      ),
    ),
  }
  await compareReports(contestants)
  return contestants
}

async function unpaidContestants(server: MeasuredServer): Promise<McpContestants> {
  const contestants = {
    http: unpaidContestant(server),
    ...forBothEras((era) =>
      repeatContestant(
        server,
        mcpRequestText(era, 'tools/call', SCORE_TOOL_CALL),
        expectToolResult('"amount":"10000"', true),
      ),
    ),
  }
  const { accepts } = await fetchPaymentRequired(server)
  for (const era of [contestants.modern, contestants.legacy]) {
    deepStrictEqual((await fetchToolPaymentRequired(era)).accepts, accepts)
  }
  return contestants
}

/** Without a chain, the server accepts every payment. */
async function paidContestants(
  server: MeasuredServer,
  chain: ChainProcess | null,
): Promise<McpContestants> {
  const { modern } = await unpaidContestants(server)
  const createPayments = createPaymentSource(await fetchToolPaymentRequired(modern), chain !== null)
  const toText = (era: Era) => (payment: object) =>
    mcpRequestText(era, 'tools/call', { ...SCORE_TOOL_CALL, _meta: { 'x402/payment': payment } })
  const contestants = {
    http: (await paidContestant(server, chain)).contestant,
    ...forBothEras((era) => ({
      server,
      requests: paidRequests(createPayments, toText(era)),
      verify: expectToolResult('"x402/payment-response":{"success":true'),
    })),
  }
  await compareReports(contestants)
  return contestants
}

/** What a client requests before its first call. HTTP has no counterpart, so there is no target. */
async function printListings(server: MeasuredServer): Promise<void> {
  const listing = (era: Era, method: string, part: string) =>
    repeatContestant(server, mcpRequestText(era, method), expectToolResult(part))
  const contestants = {
    'tools/list, modern': listing('modern', 'tools/list', '"outputSchema"'),
    'tools/list, legacy': listing('legacy', 'tools/list', '"outputSchema"'),
    'server/discover': listing('modern', 'server/discover', '"instructions"'),
  }
  const { concurrent, warmUp: warmUpCount } = MCP_REQUEST_COUNTS.listing
  await warmUp(contestants, warmUpCount)
  const samples = await measureLoads(contestants, concurrent, PAYMENTS_IN_FLIGHT)
  const rows = Object.entries(samples).map(([name, all]) => [
    name,
    {
      'per second': Math.round(median(all.map(requestsPerSecond))),
      'CPU ms': roundTo(median(all.map(cpuPerRequestMs)), 3),
    },
  ])
  console.table(Object.fromEntries(rows))
}

function repeatContestant(
  server: MeasuredServer,
  text: string,
  verify: Contestant['verify'],
): Contestant {
  return { server, requests: repeatRequest(text), verify }
}

function forBothEras(create: (era: Era) => Contestant): Record<Era, Contestant> {
  return { modern: create('modern'), legacy: create('legacy') }
}

interface ToolParams {
  readonly name?: string
  readonly _meta?: object
}

function mcpRequestText(era: Era, method: string, params: ToolParams = {}): string {
  const { name, _meta } = params
  const isModern = era === 'modern'
  const full = isModern ? { ...params, _meta: { ..._meta, ...REQUEST_META } } : params
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: full })
  const headers = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'MCP-Protocol-Version': isModern ? MCP_PROTOCOL_VERSION : '2025-11-25',
    ...(isModern && { 'Mcp-Method': method, ...(name && { 'Mcp-Name': name }) }),
  }
  return httpRequestText('POST /mcp', headers, body)
}

/** JSON-RPC errors have status 200 too. */
function expectToolResult(part: string, isError = false) {
  const verify = expectResponse(200, part)
  return (response: BenchResponse): void => {
    verify(response)
    ok(response.body.includes('"result":'), response.body)
    strictEqual(response.body.includes('"isError":true'), isError, response.body)
  }
}

async function fetchToolPaymentRequired(contestant: Contestant): Promise<PaymentRequired> {
  return parseResponseJson(await requestOnce(contestant)).result.structuredContent
}

async function compareReports({ http, modern, legacy }: McpContestants): Promise<void> {
  const { meta, ...report } = parseResponseJson(await requestOnce(http))
  ok(meta)
  for (const contestant of [modern, legacy]) {
    const { content, structuredContent } = parseResponseJson(await requestOnce(contestant)).result
    const { meta, ...same } = structuredContent
    deepStrictEqual(same, report)
    strictEqual(content[1].text, JSON.stringify({ ...same, meta }))
  }
}

async function measureRows(
  name: keyof typeof MCP_MAX_RATIOS,
  contestants: McpContestants,
): Promise<Rows> {
  const counts: RequestCounts = MCP_REQUEST_COUNTS[name]
  const maxRatio = MCP_MAX_RATIOS[name]
  await warmUp(contestants, counts.warmUp)
  const { sequential, concurrent } = counts
  return {
    ...(sequential &&
      sequentialRows(name, await measureLoads(contestants, sequential, 1), maxRatio)),
    ...(concurrent &&
      concurrentRows(
        name,
        await measureLoads(contestants, concurrent, PAYMENTS_IN_FLIGHT),
        maxRatio,
      )),
  }
}

function sequentialRows(name: string, samples: McpSamples, max: number): Rows {
  return {
    [`${name}, sequential: median ms`]: toRow(samples, latencyPercentile(0.5), { max }),
    // No target: on a shared machine, p99 shows mostly the other processes.
    [`${name}, sequential: p99 ms`]: toRow(poolRounds(samples), latencyPercentile(0.99), null),
  }
}

function concurrentRows(name: string, samples: McpSamples, max: number): Rows {
  return {
    [`${name}, concurrent: CPU ms`]: toRow(samples, cpuPerRequestMs, { max }),
    [`${name}, concurrent: per second`]: toRow(samples, requestsPerSecond, {
      min: roundTo(1 / max, 2),
    }),
  }
}

/** Bound of the ratio MCP/HTTP. */
type Target = { readonly max: number } | { readonly min: number } | null

/** One metric of all three, as medians over the rounds. */
function toRow(samples: McpSamples, metric: LoadMetric, target: Target) {
  const values = (all: readonly LoadSample[]) => all.map(metric)
  const middle = (all: readonly LoadSample[]) => roundTo(median(values(all)), 3)
  const ratioToHttp = (era: Era) =>
    roundTo(medianRatio(values(samples[era]), values(samples.http)), 2)
  const [modern, legacy] = [ratioToHttp('modern'), ratioToHttp('legacy')]
  return {
    http: middle(samples.http),
    modern: middle(samples.modern),
    legacy: middle(samples.legacy),
    'modern/http': modern,
    'legacy/http': legacy,
    target: formatTarget(target),
    met: target === null ? '' : isMet(target, modern) && isMet(target, legacy),
  }
}

/** All rounds as one: the p99 of a single round would be its slowest request. */
function poolRounds({ http, modern, legacy }: McpSamples): McpSamples {
  const pool = (all: readonly LoadSample[]) =>
    all
      .slice(0, 1)
      .map((sample) => ({ ...sample, latenciesMs: all.flatMap((one) => one.latenciesMs) }))
  return { http: pool(http), modern: pool(modern), legacy: pool(legacy) }
}

function formatTarget(target: Target): string {
  if (target === null) return ''
  return 'max' in target ? `≤ ${target.max}` : `≥ ${target.min}`
}

function isMet(target: NonNullable<Target>, ratio: number): boolean {
  return 'max' in target ? ratio <= target.max : ratio >= target.min
}
