/** Expressions of the dashboard and the alerts are valid, and their metrics exist. */
import { readFileSync } from 'node:fs'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startServiceProcess } from '../support/service-process.js'
import { promtoolErrors } from './promtool.js'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { x: number; y: number; w: number; h: number }
  readonly targets?: readonly { expr: string }[]
}

const { panels } = JSON.parse(readFileSync('deploy/grafana/mailgrade.json', 'utf8')) as {
  panels: Panel[]
}
const { groups } = parse(readFileSync('deploy/prometheus/rules.yaml', 'utf8')) as {
  groups: { rules: { expr: string }[] }[]
}

/** With the variables that Grafana fills in. */
const dashboardExpressions = panels
  .flatMap(({ targets = [] }) => targets)
  .map(({ expr }) =>
    expr
      .replaceAll('$__rate_interval', '5m')
      .replaceAll('$__range', '1h')
      .replaceAll('$instance', '.*'),
  )
const alertExpressions = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))

let metrics: ReadonlySet<string>
beforeAll(async () => {
  metrics = await readMetricNames()
})

/** Without labels, ranges, functions and keywords. */
function extractMetricNames(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|on) \([^)]*\)/g, '')
  const words = bare.match(/\b[a-z]\w*\b(?! *\()/g) ?? []
  return words.filter((word) => !['or', 'unless', 'and'].includes(word))
}

test('every expression of the dashboard is valid', () => {
  const rules = dashboardExpressions.map((expr, index) => ({ record: `dashboard:${index}`, expr }))
  expect(rules.length).toBeGreaterThan(30)
  expect(promtoolErrors('check', { groups: [{ name: 'dashboard', rules }] })).toBeNull()
})

test('every metric of the dashboard and the alerts exists', () => {
  const used = new Set([...dashboardExpressions, ...alertExpressions].flatMap(extractMetricNames))
  expect([...used].filter((name) => !metrics.has(name))).toEqual([])
})

test('every metric of the service is on the dashboard', () => {
  const own = [...metrics].filter(
    (name) => name.startsWith('mailgrade_') && !/_(sum|count)$/.test(name),
  )
  const used = new Set(dashboardExpressions.flatMap(extractMetricNames))
  expect(own.length).toBeGreaterThan(15)
  expect(own.filter((name) => !used.has(name))).toEqual([])
})

test('panels do not overlap', () => {
  const taken = new Map<string, string>()
  for (const { title, gridPos } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined])
        taken.set(`${x} ${y}`, title)
      }
    }
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
})

/** Names of all series that an instance with a store exports. */
async function readMetricNames(): Promise<ReadonlySet<string>> {
  const [metricsPort, unusedPort] = await findFreePorts()
  const service = await startServiceProcess({
    METRICS_PORT: String(metricsPort),
    // An unreachable store has metrics too.
    REDIS_URL: `redis://127.0.0.1:${unusedPort}`,
  })
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  service.process.kill('SIGKILL')
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  const names = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : name,
  )
  // Prometheus adds `up` for every target.
  return new Set([...names, 'up'])
}
