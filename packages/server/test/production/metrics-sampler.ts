/** What the instance says of itself, second by second, in stretches of time. */
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

export interface MetricsSampler {
  /** Tells all stretches. */
  stop(): Promise<SampleWindow[]>
}

/** `onStretch` is told of each stretch when it is over. */
export function startMetricsSampler(
  { metrics }: SoakEnvironment,
  stretchSeconds: number,
  onStretch: (stretch: SampleWindow) => void,
): MetricsSampler {
  const beginAt = performance.now()
  const stretches: SampleWindow[] = []
  let current: SampleWindow = []
  let isStopped = false

  async function take(): Promise<Sample> {
    const series = await metrics()
    const values = Object.entries(GAUGES).map(([gauge, name]) => [gauge, series[name] ?? 0])
    return { ...Object.fromEntries(values), seconds: (performance.now() - beginAt) / 1_000 }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await delay(1_000)
      const sample = await take()
      current.push(sample)
      if (sample.seconds < stretchSeconds * (stretches.length + 1)) continue
      stretches.push(current)
      onStretch(current)
      current = []
    }
  }

  const running = run()
  return {
    async stop() {
      isStopped = true
      await running
      return stretches
    },
  }
}

/** The least of it: what is left of a heap after it was cleared, of sockets when few are busy. */
export const lowestSample = (stretch: SampleWindow, gauge: keyof Sample): number =>
  Math.min(...stretch.map((sample) => sample[gauge]))

/** One line, for who waits. */
export function formatSampleWindow(stretch: SampleWindow): string {
  const [first, last] = [stretch[0], stretch.at(-1)] as [Sample, Sample]
  const mb = (gauge: keyof Sample) => `${Math.round(lowestSample(stretch, gauge) / 1_000_000)} MB`
  const cpu = (last.cpu - first.cpu) / (last.seconds - first.seconds)
  return [
    `${String(Math.round(last.seconds)).padStart(6)} s  heap ${mb('heap')}, RSS ${mb('rss')}`,
    `${lowestSample(stretch, 'handles')} handles, ${last.ledger} payments kept`,
    `CPU ${Math.round(100 * cpu)} %, event loop p99 ${Math.round(1_000 * last.lag)} ms`,
  ].join(', ')
}
