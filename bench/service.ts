/** What an instance can do, in one table: the figures that operators size by. */

import { DELAY_MS } from './check-aims.js'
import { answerRows, shortAnswerMs } from './service-answers.js'
import {
  checkRows,
  growthRows,
  latencyRow,
  memoryRows,
  processRows,
  WIDE_OPEN,
} from './service-checks.js'
import type { Row } from './service-row.js'
import { openStand } from './stand.js'

export async function benchService(): Promise<void> {
  console.log(
    `\nAn instance on one core, its resolver ${DELAY_MS} ms away; whoever asks and answers has the other core`,
  )
  const stand = await openStand(DELAY_MS)
  const rows: Row[] = []
  const measure = async (what: string, run: () => Promise<Row[]>) => {
    console.log(`… ${what}`)
    rows.push(...(await run()))
  }
  try {
    const service = await stand.startService(WIDE_OPEN)
    await measure('checks', async () => checkRows(service, await shortAnswerMs(stand)))
    await measure('402 and 429', () => answerRows(stand))
    await measure('latency', async () => [await latencyRow(service)])
    await measure('cost as concurrency grows', () => growthRows(service))
    await measure('memory', () => memoryRows(stand))
    await measure('a second process', async () => processRows(service, await stand.startService()))
  } finally {
    await stand.end()
  }
  console.table(Object.fromEntries(rows.map(({ what, ...row }) => [what, row])))
}
