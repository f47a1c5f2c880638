/** What the gate adds to a report, beside the same report free and behind the stock x402 middleware. */
import { printTarget } from './measure.js'
import {
  PAYMENT_MAX_RATIO,
  PAYMENT_REQUEST_COUNTS,
  PAYMENT_ROUNDS,
  PAYMENTS_IN_FLIGHT,
} from './pay-aims.js'
import { openPaymentComparison, type PaymentContestants } from './pay-field.js'
import { type LoadSamples, measureLoads, warmUp } from './pay-load.js'
import { openPaymentProcesses } from './pay-processes.js'
import { latencyPercentile, type PaymentRow, paymentRow } from './pay-rows.js'

type Rows = Record<string, PaymentRow>
interface Plan {
  readonly alone?: number
  readonly inFlight: number
  readonly warmUp: number
}

export async function benchPayment(): Promise<void> {
  console.log(
    `\nA paid report beside the same report free and behind @x402/hono, per request, times in ms, medians of ${PAYMENT_ROUNDS} rounds in turns; CPU is the server's own, and the free 402 a constant`,
  )
  const processes = openPaymentProcesses()
  try {
    const field = await openPaymentComparison(processes)
    const rows = {
      ...(await payRows('no chain', field.instant, PAYMENT_REQUEST_COUNTS.instant)),
      ...(await payRows('chain', field.chain, PAYMENT_REQUEST_COUNTS.chain)),
      ...(await payRows('402', field.unpaid, PAYMENT_REQUEST_COUNTS.challenge)),
    }
    await field.audit()
    console.table(rows)
    printTarget(
      `at most ${PAYMENT_MAX_RATIO} × the stock middleware`,
      Object.entries(rows).map(([what, { met }]) => [what, met]),
    )
  } finally {
    processes.stop()
  }
}

async function payRows(what: string, trio: PaymentContestants, plan: Plan): Promise<Rows> {
  await warmUp(trio, plan.warmUp)
  const { alone, inFlight } = plan
  return {
    ...(alone && aloneRows(`${what}, alone`, await measureLoads(trio, alone, 1))),
    ...busyRows(
      `${what}, ${PAYMENTS_IN_FLIGHT} in flight`,
      await measureLoads(trio, inFlight, PAYMENTS_IN_FLIGHT),
    ),
  }
}

function aloneRows(what: string, loads: LoadSamples<keyof PaymentContestants>): Rows {
  return {
    [`${what}: median`]: paymentRow(loads, latencyPercentile(0.5)),
    [`${what}: p95`]: paymentRow(loads, latencyPercentile(0.95)),
    ...costRows(what, loads),
  }
}

function busyRows(what: string, loads: LoadSamples<keyof PaymentContestants>): Rows {
  return {
    [`${what}: 1/throughput`]: paymentRow(loads, ({ wallMs }) => wallMs),
    ...costRows(what, loads),
  }
}

function costRows(what: string, loads: LoadSamples<keyof PaymentContestants>): Rows {
  const calls = paymentRow(loads, (load) => load.calls)
  return {
    [`${what}: CPU`]: paymentRow(loads, ({ cpuMs }) => cpuMs),
    ...(calls.stock > 0 && { [`${what}: JSON-RPC calls`]: calls }),
  }
}
