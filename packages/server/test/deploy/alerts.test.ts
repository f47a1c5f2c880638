/** The alert rules, checked with promtool and compared with the operations guide. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ALERT_CASES, type AlertCase } from './alert-cases.js'
import { promtoolErrors } from './promtool.js'

const RULES = 'deploy/prometheus/rules.yaml'

interface Rule {
  readonly alert: string
  readonly labels: { severity: string }
  readonly annotations: Record<string, string>
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const names = rules.map(({ alert }) => alert)

/** Errors of promtool unless exactly these alerts fire at these minutes. */
function evaluateRules(series: AlertCase['firing'], expected: Record<number, string[]>) {
  // A case about `up` has no other instance.
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

describe.each(ALERT_CASES)('$alert', ({ alert, firing, quiet, firesAtMinute }) => {
  test('fires at the expected minute, not earlier, and alone', () => {
    expect(evaluateRules(firing, { [firesAtMinute - 1]: [], [firesAtMinute]: [alert] })).toBeNull()
  })

  test('stays quiet below its threshold', () => {
    expect(evaluateRules(quiet, { [firesAtMinute]: [], [firesAtMinute + 20]: [] })).toBeNull()
  })
})

test('every alert rule has a test case', () => {
  expect(new Set(ALERT_CASES.map(({ alert }) => alert))).toEqual(new Set(names))
})

test('every alert has a severity, annotations and a section in the guide', () => {
  const guide = readFileSync('docs/operations.md', 'utf8')
  for (const { alert, labels, annotations } of rules) {
    expect(labels.severity).toMatch(/^(critical|warning)$/)
    expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook', 'summary'])
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`)
    expect(guide).toMatch(new RegExp(`^#+ ${alert}$`, 'm'))
  }
})
