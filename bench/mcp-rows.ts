/** What was measured, as rows of one table. */
import { median, rounded } from './check-turns.js'
import type { Era } from './mcp-messages.js'
import type { Load, Loads } from './pay-load.js'
import { type Figure, latency, ratioOf } from './pay-rows.js'

type TrioLoads = Loads<'http' | Era>

export type Rows = Record<string, ReturnType<typeof row>>

/** Of times, the most that MCP may take beside HTTP; of what is done in them, the least. */
type Aim = { readonly most: number } | { readonly least: number } | null

export const perSecond: Figure = ({ wallMs }) => 1_000 / wallMs
export const cpu: Figure = ({ cpuMs }) => cpuMs

export function aloneRows(what: string, loads: TrioLoads, most: number): Rows {
  return {
    [`${what}, alone: median ms`]: row(loads, latency(0.5), { most }),
    // Only told: on a shared machine it is mostly the others.
    [`${what}, alone: p99 ms`]: row(pooled(loads), latency(0.99), null),
  }
}

export function busyRows(what: string, loads: TrioLoads, most: number): Rows {
  return {
    [`${what}, busy: CPU ms`]: row(loads, cpu, { most }),
    [`${what}, busy: per second`]: row(loads, perSecond, { least: 1 / most }),
  }
}

/** What one figure is for each, as the median of all rounds. */
function row(loads: TrioLoads, figure: Figure, aim: Aim) {
  const middle = (all: readonly Load[]) => rounded(median(all.map(figure)), 3)
  const timesHttp = (era: Era) => ratioOf(loads[era], loads.http, figure)
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
  const pool = (all: readonly Load[]) =>
    all.slice(0, 1).map((load) => ({ ...load, latenciesMs: all.flatMap((one) => one.latenciesMs) }))
  return { http: pool(http), modern: pool(modern), legacy: pool(legacy) }
}

function wordsFor(aim: Aim): string {
  if (aim === null) return ''
  return 'most' in aim ? `≤ ${aim.most}` : `≥ ${rounded(aim.least, 2)}`
}

function isMet(aim: NonNullable<Aim>, ratio: number): boolean {
  return 'most' in aim ? ratio <= aim.most : ratio >= rounded(aim.least, 2)
}
