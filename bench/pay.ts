/** What the gate adds to a report, beside the same report free and behind the stock x402 middleware. */
import { tellAim } from './check-turns.js'
import { IN_FLIGHT, MOST, REQUESTS, ROUNDS } from './pay-aims.js'
import { openField, type Trio } from './pay-field.js'
import { type Loads, loadsOf, warmUp } from './pay-load.js'
import { openProcesses } from './pay-processes.js'
import { latency, type Row, row } from './pay-rows.js'

type Rows = Record<string, Row>
interface Plan {
  readonly alone?: number
  readonly inFlight: number
  readonly warmUp: number
}

export async function benchPay(): Promise<void> {
  console.log(
    `\nA paid report beside the same report free and behind @x402/hono, per request, times in ms, medians of ${ROUNDS} rounds in turns; CPU is the server's own, and the free 402 a constant`,
  )
  const processes = openProcesses()
  try {
    const field = await openField(processes)
    const rows = {
      ...(await payRows('no chain', field.instant, REQUESTS.instant)),
      ...(await payRows('chain', field.chain, REQUESTS.chain)),
      ...(await payRows('402', field.challenge, REQUESTS.challenge)),
    }
    await field.audit()
    console.table(rows)
    tellAim(
      `at most ${MOST} × the stock middleware`,
      Object.entries(rows).map(([what, { met }]) => [what, met]),
    )
  } finally {
    processes.end()
  }
}

async function payRows(what: string, trio: Trio, plan: Plan): Promise<Rows> {
  await warmUp(trio, plan.warmUp)
  const { alone, inFlight } = plan
  return {
    ...(alone && aloneRows(`${what}, alone`, await loadsOf(trio, alone, 1))),
    ...busyRows(`${what}, ${IN_FLIGHT} in flight`, await loadsOf(trio, inFlight, IN_FLIGHT)),
  }
}

function aloneRows(what: string, loads: Loads<keyof Trio>): Rows {
  return {
    [`${what}: median`]: row(loads, latency(0.5)),
    [`${what}: p95`]: row(loads, latency(0.95)),
    ...costRows(what, loads),
  }
}

function busyRows(what: string, loads: Loads<keyof Trio>): Rows {
  return { [`${what}: 1/throughput`]: row(loads, ({ wallMs }) => wallMs), ...costRows(what, loads) }
}

function costRows(what: string, loads: Loads<keyof Trio>): Rows {
  const calls = row(loads, (load) => load.calls)
  return {
    [`${what}: CPU`]: row(loads, ({ cpuMs }) => cpuMs),
    ...(calls.stock > 0 && { [`${what}: JSON-RPC calls`]: calls }),
  }
}
