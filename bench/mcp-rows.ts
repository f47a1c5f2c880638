/** What was measured, as rows of one table. */

import type { BenchMcpEra } from './bench-mcp-messages.js'
import { median, roundTo } from './measure.js'
import type { LoadSample, LoadSamples } from './pay-load.js'
import { type LoadMetric, latencyPercentile, medianRatio } from './pay-rows.js'

type TrioLoads = LoadSamples<'http' | BenchMcpEra>

export type McpRows = Record<string, ReturnType<typeof row>>

/** Of times, the most that MCP may take beside HTTP; of what is done in them, the least. */
type Aim = { readonly most: number } | { readonly least: number } | null

export const requestsPerSecond: LoadMetric = ({ wallMs }) => 1_000 / wallMs
export const cpuPerRequestMs: LoadMetric = ({ cpuMs }) => cpuMs

export function mcpSequentialRows(what: string, loads: TrioLoads, most: number): McpRows {
  return {
    [`${what}, alone: median ms`]: row(loads, latencyPercentile(0.5), { most }),
    // Only told: on a shared machine it is mostly the others.
    [`${what}, alone: p99 ms`]: row(pooled(loads), latencyPercentile(0.99), null),
  }
}

export function mcpConcurrentRows(what: string, loads: TrioLoads, most: number): McpRows {
  return {
    [`${what}, busy: CPU ms`]: row(loads, cpuPerRequestMs, { most }),
    [`${what}, busy: per second`]: row(loads, requestsPerSecond, { least: 1 / most }),
  }
}

/** What one figure is for each, as the median of all rounds. */
function row(loads: TrioLoads, figure: LoadMetric, aim: Aim) {
  const middle = (all: readonly LoadSample[]) => roundTo(median(all.map(figure)), 3)
  const timesHttp = (era: BenchMcpEra) => medianRatio(loads[era], loads.http, figure)
  const [modern, legacy] = [timesHttp('modern'), timesHttp('legacy')]
  return {
    http: middle(loads.http),
    modern: middle(loads.modern),
    legacy: middle(loads.legacy),
    'modern/http': modern,
    'legacy/http': legacy,
    aim: wordsFor(aim),
    met: aim === null ? '' : isMet(aim, modern) && isMet(aim, legacy),
  }
}

/** All rounds as one: the hundredth part of a single one is its slowest request. */
function pooled({ http, modern, legacy }: TrioLoads): TrioLoads {
  const pool = (all: readonly LoadSample[]) =>
    all.slice(0, 1).map((load) => ({ ...load, latenciesMs: all.flatMap((one) => one.latenciesMs) }))
  return { http: pool(http), modern: pool(modern), legacy: pool(legacy) }
}

function wordsFor(aim: Aim): string {
  if (aim === null) return ''
  return 'most' in aim ? `≤ ${aim.most}` : `≥ ${roundTo(aim.least, 2)}`
}

function isMet(aim: NonNullable<Aim>, ratio: number): boolean {
  return 'most' in aim ? ratio <= aim.most : ratio >= roundTo(aim.least, 2)
}
