/** What an instance can do, in one table: the figures that operators size by. */

import { openBenchEnvironment } from './bench-environment.js'
import { RESOLVER_DELAY_MS } from './bench-targets.js'
import { shortResponseCpuMs, shortResponseRows } from './service-answers.js'
import {
  concurrencyRows,
  latencyRow,
  memoryRows,
  RAISED_LIMITS,
  throughputRows,
  twoProcessRows,
} from './service-checks.js'
import type { ServiceRow } from './service-row.js'

export async function benchService(): Promise<void> {
  console.log(
    `\nAn instance on one core, its resolver ${RESOLVER_DELAY_MS} ms away; whoever asks and answers has the other core`,
  )
  const stand = await openBenchEnvironment(RESOLVER_DELAY_MS)
  const rows: ServiceRow[] = []
  const measure = async (what: string, run: () => Promise<ServiceRow[]>) => {
    console.log(`… ${what}`)
    rows.push(...(await run()))
  }
  try {
    const service = await stand.startService(RAISED_LIMITS)
    await measure('checks', async () => throughputRows(service, await shortResponseCpuMs(stand)))
    await measure('402 and 429', () => shortResponseRows(stand))
    await measure('latency', async () => [await latencyRow(service)])
    await measure('cost as concurrency grows', () => concurrencyRows(service))
    await measure('memory', () => memoryRows(stand))
    await measure('a second process', async () =>
      twoProcessRows(service, await stand.startService()),
    )
  } finally {
    await stand.stop()
  }
  console.table(Object.fromEntries(rows.map(({ what, ...row }) => [what, row])))
}
