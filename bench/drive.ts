/** Keeps so many requests under way until all are answered, and tells what that took. */
import { median } from './check-turns.js'
import { openLine, type Reply } from './pay-line.js'
import type { Server, Usage } from './stand.js'

export interface Drive {
  /** By whom the requests are answered, in turns. */
  readonly servers: readonly Server[]
  readonly paths: readonly string[]
  readonly inFlight: number
  /** All that there should be: what is fast because it is broken does not count. */
  readonly statuses: readonly number[]
}

export interface Driven {
  readonly perSecond: number
  /** Of one request, over all who answered. */
  readonly cpuMs: number
  readonly medianMs: number
  /** While it lasted, of the first server. */
  readonly peak: Usage
}

const SAMPLE_EVERY_MS = 100

export async function drive({ servers, paths, inFlight, statuses }: Drive): Promise<Driven> {
  const lines = await Promise.all(
    Array.from({ length: inFlight }, (_, index) => openLine(portOf(servers, index))),
  )
  const left = paths.values()
  const times: number[] = []
  const work = async (line: Awaited<ReturnType<typeof openLine>>) => {
    for (const path of left) {
      const startedAt = performance.now()
      verify(path, await line.send(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`), statuses)
      times.push(performance.now() - startedAt)
    }
  }
  const watching = watchPeak(servers[0] as Server)
  const before = await cpuOf(servers)
  const startedAt = performance.now()
  await Promise.all(lines.map(work))
  const seconds = (performance.now() - startedAt) / 1_000
  const cpuMs = ((await cpuOf(servers)) - before) / paths.length
  const peak = await watching.stop()
  for (const line of lines) line.close()
  return { perSecond: paths.length / seconds, cpuMs, medianMs: median(times), peak }
}

function portOf(servers: readonly Server[], index: number): number {
  return (servers[index % servers.length] as Server).port
}

function verify(path: string, { status, body }: Reply, expected: readonly number[]): void {
  if (!expected.includes(status)) throw new Error(`${path}: HTTP ${status}, ${body.slice(0, 200)}`)
}

async function cpuOf(servers: readonly Server[]): Promise<number> {
  const usages = await Promise.all(servers.map((server) => server.usage()))
  return usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

function watchPeak(server: Server) {
  let peak: Usage = { cpuMs: 0, rss: 0, heap: 0 }
  const look = async () => {
    const { cpuMs, rss, heap } = await server.usage()
    peak = { cpuMs, rss: Math.max(peak.rss, rss), heap: Math.max(peak.heap, heap) }
  }
  const timer = setInterval(look, SAMPLE_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await look()
      return peak
    },
  }
}
