/** What it costs to ask for a report as a tool, beside the same report over HTTP. */
import { median, rounded, tellAim } from './check-turns.js'
import { MOST, REQUESTS } from './mcp-aims.js'
import { challengeTrio, checkTrio, saleTrio, type Trio, talk } from './mcp-field.js'
import { aloneRows, busyRows, cpu, perSecond, type Rows } from './mcp-rows.js'
import { IN_FLIGHT, ROUNDS } from './pay-aims.js'
import { loadsOf, warmUp } from './pay-load.js'
import { openProcesses, type Server } from './pay-processes.js'

interface Plan {
  readonly alone: number
  readonly inFlight?: number
  readonly warmUp: number
}

export async function benchMcp(): Promise<void> {
  console.log(
    `\nTools over MCP (2026-07-28 and before) beside the same over HTTP from the same process, medians of ${ROUNDS} rounds in turns; busy is ${IN_FLIGHT} in flight, CPU the server's own`,
  )
  const processes = openProcesses()
  try {
    const server = await processes.startServer({ BENCH_SERVER: 'ours' })
    const chain = await processes.startChain()
    const onChain = await processes.startServer({ BENCH_SERVER: 'ours', BENCH_RPC: chain.url })
    const rows = {
      ...(await rowsOf('check', await checkTrio(server), REQUESTS.check, MOST.check)),
      ...(await rowsOf('402', await challengeTrio(server), REQUESTS.challenge, MOST.challenge)),
      ...(await rowsOf('sale', await saleTrio(server, null), REQUESTS.sale, MOST.sale)),
      ...(await rowsOf('chain', await saleTrio(onChain, chain), REQUESTS.chain, MOST.chain)),
    }
    console.table(rows)
    await tellTalk(server)
    tellAim(
      `at most ${MOST.check} × the same over HTTP, of a challenge ${MOST.challenge} ×, of a sale on a chain ${MOST.chain} ×`,
      Object.entries(rows).map(([what, { met }]) => [what, met !== false]),
    )
  } finally {
    processes.end()
  }
}

async function rowsOf(what: string, trio: Trio, plan: Plan, most: number): Promise<Rows> {
  await warmUp(trio, plan.warmUp)
  const { alone, inFlight } = plan
  return {
    ...aloneRows(what, await loadsOf(trio, alone, 1), most),
    ...(inFlight && busyRows(what, await loadsOf(trio, inFlight, IN_FLIGHT), most)),
  }
}

/** What has no counterpart over HTTP, for information. */
async function tellTalk(server: Server): Promise<void> {
  const contestants = talk(server)
  await warmUp(contestants, REQUESTS.talk.warmUp)
  const loads = await loadsOf(contestants, REQUESTS.talk.inFlight, IN_FLIGHT)
  const rows = Object.entries(loads).map(([name, all]) => [
    name,
    {
      'per second': Math.round(median(all.map(perSecond))),
      'CPU ms': rounded(median(all.map(cpu)), 3),
    },
  ])
  console.table(Object.fromEntries(rows))
}
