/**
 * Loaded into the instance under test: SIGUSR2 collects garbage and logs the heap that is kept. A
 * metrics request sent after the signal may be answered before the collection.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
let collections = 0
process.on('SIGUSR2', () => {
  collectGarbage()
  const { heapUsed } = process.memoryUsage()
  process.stdout.write(`${JSON.stringify({ msg: `collection ${++collections}`, heapUsed })}\n`)
})
