/** The alert rules under Prometheus's own tools, and against what the guide says of them. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { SERVICE_ALERT_CASES } from './alert-cases.js'
import type { AlertCase } from './alert-series.js'
import { INSTANCE_ALERT_CASES } from './instance-alerts.js'
import { promtoolErrors } from './promtool.js'

const ALERT_STORIES = [...INSTANCE_ALERT_CASES, ...SERVICE_ALERT_CASES]
const RULES = 'deploy/prometheus/rules.yaml'

interface Rule {
  readonly alert: string
  readonly labels: { severity: string }
  readonly annotations: Record<string, string>
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const names = rules.map(({ alert }) => alert)

/** Which alerts fire, each named once, at these minutes. */
function tried(series: AlertCase['firing'], expected: Record<number, string[]>) {
  // A story about who is up has nobody else in it.
  const isAboutUp = Object.keys(series).some((name) => name.startsWith('up{'))
  const all = isAboutUp ? series : { ...series, 'up{job="mailgrade",instance="always"}': '1x120' }
  return promtoolErrors('test', {
    rule_files: [resolve(RULES)],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(all).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: Object.entries(expected).map(([minute, alerts]) => ({
          expr: 'max by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minute}m`,
          exp_samples: alerts.map((alertname) => ({
            labels: `{alertname="${alertname}"}`,
            value: 1,
          })),
        })),
      },
    ],
  })
}

describe.each(ALERT_STORIES)('$alert', ({ alert, firing, quiet, firesAtMinute }) => {
  test('fires when it should, not a minute sooner, and nothing else does', () => {
    expect(tried(firing, { [firesAtMinute - 1]: [], [firesAtMinute]: [alert] })).toBeNull()
  })

  test('stays quiet when it should', () => {
    expect(tried(quiet, { [firesAtMinute]: [], [firesAtMinute + 20]: [] })).toBeNull()
  })
})

test('every alert has its story', () => {
  expect(new Set(ALERT_STORIES.map(({ alert }) => alert))).toEqual(new Set(names))
})

test('every alert says how bad it is and what to do, and the guide has a place for it', () => {
  const guide = readFileSync('docs/production.md', 'utf8')
  for (const { alert, labels, annotations } of rules) {
    expect(labels.severity).toMatch(/^(critical|warning)$/)
    expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook', 'summary'])
    expect(annotations.runbook).toBe(`docs/production.md#${alert.toLowerCase()}`)
    expect(guide).toMatch(new RegExp(`^#+ ${alert}$`, 'm'))
  }
})
