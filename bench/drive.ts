/** Keeps so many requests under way until all are answered, and tells what that took. */

import type { MeasuredServer, ProcessUsage } from './bench-environment.js'
import { type BenchResponse, openBenchConnection } from './http-load.js'
import { median } from './measure.js'

export interface HttpLoadOptions {
  /** By whom the requests are answered, in turns. */
  readonly servers: readonly MeasuredServer[]
  readonly paths: readonly string[]
  readonly inFlight: number
  /** All that there should be: what is fast because it is broken does not count. */
  readonly statuses: readonly number[]
}

export interface HttpLoadResult {
  readonly perSecond: number
  /** Of one request, over all who answered. */
  readonly cpuMs: number
  readonly medianMs: number
  /** While it lasted, of the first server. */
  readonly peak: ProcessUsage
}

const SAMPLE_EVERY_MS = 100

export async function runHttpLoad({
  servers,
  paths,
  inFlight,
  statuses,
}: HttpLoadOptions): Promise<HttpLoadResult> {
  const lines = await Promise.all(
    Array.from({ length: inFlight }, (_, index) => openBenchConnection(portOf(servers, index))),
  )
  const left = paths.values()
  const times: number[] = []
  const work = async (line: Awaited<ReturnType<typeof openBenchConnection>>) => {
    for (const path of left) {
      const startedAt = performance.now()
      verify(path, await line.send(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`), statuses)
      times.push(performance.now() - startedAt)
    }
  }
  const watching = watchPeak(servers[0] as MeasuredServer)
  const before = await cpuOf(servers)
  const startedAt = performance.now()
  await Promise.all(lines.map(work))
  const seconds = (performance.now() - startedAt) / 1_000
  const cpuMs = ((await cpuOf(servers)) - before) / paths.length
  const peak = await watching.stop()
  for (const line of lines) line.close()
  return { perSecond: paths.length / seconds, cpuMs, medianMs: median(times), peak }
}

function portOf(servers: readonly MeasuredServer[], index: number): number {
  return (servers[index % servers.length] as MeasuredServer).port
}

function verify(path: string, { status, body }: BenchResponse, expected: readonly number[]): void {
  if (!expected.includes(status)) throw new Error(`${path}: HTTP ${status}, ${body.slice(0, 200)}`)
}

async function cpuOf(servers: readonly MeasuredServer[]): Promise<number> {
  const usages = await Promise.all(servers.map((server) => server.usage()))
  return usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

function watchPeak(server: MeasuredServer) {
  let peak: ProcessUsage = { cpuMs: 0, rss: 0, heap: 0 }
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
