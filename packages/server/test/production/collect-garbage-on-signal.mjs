/** Loaded into the instance under test: SIGUSR2 collects garbage, so that samples compare what is kept. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
process.on('SIGUSR2', () => collectGarbage())
