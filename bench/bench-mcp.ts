/** What it costs to ask for a report as a tool, beside the same report over HTTP. */

import { MCP_MAX_RATIOS, MCP_REQUEST_COUNTS } from './mcp-aims.js'
import {
  freeToolContestants,
  type McpContestants,
  paidToolContestants,
  toolListingContestants,
  unpaidToolContestants,
} from './mcp-field.js'
import {
  cpuPerRequestMs,
  type McpRows,
  mcpConcurrentRows,
  mcpSequentialRows,
  requestsPerSecond,
} from './mcp-rows.js'
import { median, printTarget, roundTo } from './measure.js'
import { PAYMENT_ROUNDS, PAYMENTS_IN_FLIGHT } from './pay-aims.js'
import { measureLoads, warmUp } from './pay-load.js'
import { openPaymentProcesses, type PaymentServer } from './pay-processes.js'

interface Plan {
  readonly alone: number
  readonly inFlight?: number
  readonly warmUp: number
}

export async function benchMcp(): Promise<void> {
  console.log(
    `\nTools over MCP (2026-07-28 and before) beside the same over HTTP from the same process, medians of ${PAYMENT_ROUNDS} rounds in turns; busy is ${PAYMENTS_IN_FLIGHT} in flight, CPU the server's own`,
  )
  const processes = openPaymentProcesses()
  try {
    const server = await processes.startServer({ BENCH_SERVER: 'ours' })
    const chain = await processes.startChain()
    const onChain = await processes.startServer({ BENCH_SERVER: 'ours', BENCH_RPC: chain.url })
    const rows = {
      ...(await rowsOf(
        'check',
        await freeToolContestants(server),
        MCP_REQUEST_COUNTS.check,
        MCP_MAX_RATIOS.check,
      )),
      ...(await rowsOf(
        '402',
        await unpaidToolContestants(server),
        MCP_REQUEST_COUNTS.challenge,
        MCP_MAX_RATIOS.challenge,
      )),
      ...(await rowsOf(
        'sale',
        await paidToolContestants(server, null),
        MCP_REQUEST_COUNTS.sale,
        MCP_MAX_RATIOS.sale,
      )),
      ...(await rowsOf(
        'chain',
        await paidToolContestants(onChain, chain),
        MCP_REQUEST_COUNTS.chain,
        MCP_MAX_RATIOS.chain,
      )),
    }
    console.table(rows)
    await tellTalk(server)
    printTarget(
      `at most ${MCP_MAX_RATIOS.check} × the same over HTTP, of a challenge ${MCP_MAX_RATIOS.challenge} ×, of a sale on a chain ${MCP_MAX_RATIOS.chain} ×`,
      Object.entries(rows).map(([what, { met }]) => [what, met !== false]),
    )
  } finally {
    processes.stop()
  }
}

async function rowsOf(
  what: string,
  trio: McpContestants,
  plan: Plan,
  most: number,
): Promise<McpRows> {
  await warmUp(trio, plan.warmUp)
  const { alone, inFlight } = plan
  return {
    ...mcpSequentialRows(what, await measureLoads(trio, alone, 1), most),
    ...(inFlight &&
      mcpConcurrentRows(what, await measureLoads(trio, inFlight, PAYMENTS_IN_FLIGHT), most)),
  }
}

/** What has no counterpart over HTTP, for information. */
async function tellTalk(server: PaymentServer): Promise<void> {
  const contestants = toolListingContestants(server)
  await warmUp(contestants, MCP_REQUEST_COUNTS.talk.warmUp)
  const loads = await measureLoads(
    contestants,
    MCP_REQUEST_COUNTS.talk.inFlight,
    PAYMENTS_IN_FLIGHT,
  )
  const rows = Object.entries(loads).map(([name, all]) => [
    name,
    {
      'per second': Math.round(median(all.map(requestsPerSecond))),
      'CPU ms': roundTo(median(all.map(cpuPerRequestMs)), 3),
    },
  ])
  console.table(Object.fromEntries(rows))
}
