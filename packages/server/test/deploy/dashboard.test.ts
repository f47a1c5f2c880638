/** What the dashboard and the alerts ask for is asked in Prometheus's language, and is there. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readMetricNames } from './metric-names.js'
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

/** As Grafana fills in its variables. */
const shown = panels
  .flatMap(({ targets = [] }) => targets)
  .map(({ expr }) =>
    expr
      .replaceAll('$__rate_interval', '5m')
      .replaceAll('$__range', '1h')
      .replaceAll('$instance', '.*'),
  )
const alerting = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))

let metrics: ReadonlySet<string>
beforeAll(async () => {
  metrics = await readMetricNames()
}, 30_000)

/** Names, without labels, what they must be, functions, and words that take labels. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|on) \([^)]*\)/g, '')
  const words = bare.match(/\b[a-z]\w*\b(?! *\()/g) ?? []
  return words.filter((word) => !['or', 'unless', 'and'].includes(word))
}

test('every expression of the dashboard is one', () => {
  const rules = shown.map((expr, index) => ({ record: `shown:${index}`, expr }))
  expect(rules.length).toBeGreaterThan(30)
  expect(promtoolErrors('check', { groups: [{ name: 'dashboard', rules }] })).toBeNull()
})

test('every metric that is shown or watched is one that the service has', () => {
  const asked = new Set([...shown, ...alerting].flatMap(metricsIn))
  expect([...asked].filter((name) => !metrics.has(name))).toEqual([])
})

test('every metric of the service is shown', () => {
  const own = [...metrics].filter(
    (name) => name.startsWith('mailgrade_') && !/_(sum|count)$/.test(name),
  )
  const asked = new Set(shown.flatMap(metricsIn))
  expect(own.length).toBeGreaterThan(15)
  expect(own.filter((name) => !asked.has(name))).toEqual([])
})

test('no panel lies on another', () => {
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
