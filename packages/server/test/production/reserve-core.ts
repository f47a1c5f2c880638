/** Cores of this machine, shared out so that one process has one to itself. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Of util-linux. */
export const TASKSET = 'taskset'

/** Leaves a core to others: this process, and all it starts from now on, keep to the rest. */
export function reserveCore(): string | null {
  const [core, ...others] = allowedCores()
  if (core === undefined || others.length === 0) return null
  // With all its threads.
  execFileSync(TASKSET, ['-a', '-c', '-p', others.join(','), String(process.pid)], {
    stdio: 'ignore',
  })
  return String(core)
}

/** Linux writes them as `0-3,8`. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8')
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status) ?? []
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}
