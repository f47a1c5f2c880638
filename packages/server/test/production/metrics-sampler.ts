/** Metrics of an instance, sampled every second and grouped into windows. */
import { setTimeout as delay } from 'node:timers/promises'
import type { SoakEnvironment } from './soak-environment.js'

const GAUGES = {
  heap: 'nodejs_heap_size_used_bytes',
  rss: 'process_resident_memory_bytes',
  handles: 'nodejs_active_handles_total',
  ledger: 'mailgrade_ledger_entries',
  lag: 'nodejs_eventloop_lag_p99_seconds',
  cpu: 'process_cpu_seconds_total',
} as const

type Sample = Record<keyof typeof GAUGES | 'seconds', number>

export type SampleWindow = Sample[]

interface MetricsSampler {
  /** Returns all complete windows. */
  stop(): Promise<SampleWindow[]>
}

export function startMetricsSampler(
  { metrics }: SoakEnvironment,
  windowSeconds: number,
  onWindow: (window: SampleWindow) => void,
): MetricsSampler {
  const beginAt = performance.now()
  const windows: SampleWindow[] = []
  let current: SampleWindow = []
  let isStopped = false

  async function takeSample(): Promise<Sample> {
    const series = await metrics()
    const values = Object.entries(GAUGES).map(([gauge, name]) => [gauge, series[name] ?? 0])
    return { ...Object.fromEntries(values), seconds: (performance.now() - beginAt) / 1_000 }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await delay(1_000)
      const sample = await takeSample()
      current.push(sample)
      if (sample.seconds < windowSeconds * (windows.length + 1)) continue
      windows.push(current)
      onWindow(current)
      current = []
    }
  }

  const running = run()
  return {
    async stop() {
      isStopped = true
      await running
      return windows
    },
  }
}

/** The minimum: the memory after a collection, the handles while few connections are busy. */
export const lowestSample = (window: SampleWindow, gauge: keyof Sample): number =>
  Math.min(...window.map((sample) => sample[gauge]))

export function formatSampleWindow(window: SampleWindow): string {
  const [first, last] = [window[0], window.at(-1)] as [Sample, Sample]
  const mb = (gauge: keyof Sample) => `${Math.round(lowestSample(window, gauge) / 1_000_000)} MB`
  const cpu = (last.cpu - first.cpu) / (last.seconds - first.seconds)
  return [
    `${String(Math.round(last.seconds)).padStart(6)} s  heap ${mb('heap')}, RSS ${mb('rss')}`,
    `${lowestSample(window, 'handles')} handles, ${last.ledger} payments in the ledger`,
    `CPU ${Math.round(100 * cpu)} %, event loop p99 ${Math.round(1_000 * last.lag)} ms`,
  ].join(', ')
}
