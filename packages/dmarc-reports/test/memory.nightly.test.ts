/** A large report is read in bounded memory. Each run takes seconds, so this is no unit test. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { aggregateFile } from '@mailgrade/testing/aggregate-file'
import { expect, test } from 'vitest'
import type { ByteStream } from '../src/byte-stream.js'
import { readAggregateReports } from '../src/read-aggregate-reports.js'
import { largeReport } from './large-report.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const MAX_GROWTH = 40_000_000
const CHECK_EVERY = 5_000_000

/** Passes the stream on, and keeps the largest heap on the way and the number of bytes. */
function measured(source: ByteStream) {
  const seen = { bytes: 0, peak: 0 }
  let checkAt = 0
  async function* stream() {
    for await (const chunk of source) {
      seen.bytes += chunk.length
      if (seen.bytes >= checkAt) {
        collectGarbage()
        seen.peak = Math.max(seen.peak, process.memoryUsage().heapUsed)
        checkAt += CHECK_EVERY
      }
      yield chunk
    }
  }
  return { seen, stream: stream() }
}

test('reads 90 MB with 182,000 sources and a bounded heap', async () => {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const { seen, stream } = measured(largeReport(182_000))
  const read = await readAggregateReports(() => [{ ...aggregateFile(''), open: () => stream }])
  expect(seen.bytes).toBeGreaterThan(90_000_000)
  expect(read.problems).toEqual([])
  expect(read.domains[0]?.messages).toBe(364_000)
  expect(read.domains[0]?.sources.reduce((sum, { messages }) => sum + messages, 0)).toBe(364_000)
  expect(seen.peak - before).toBeLessThan(MAX_GROWTH)
})

test('stops at 100 MB with a clear error', async () => {
  const { seen, stream } = measured(largeReport(2_000_000, 100))
  const read = await readAggregateReports(() => [{ ...aggregateFile(''), open: () => stream }])
  expect(read.problems.map(({ kind }) => kind)).toEqual(['too-large'])
  expect(read.domains).toEqual([])
  expect(seen.bytes).toBeLessThan(100_200_000)
})
