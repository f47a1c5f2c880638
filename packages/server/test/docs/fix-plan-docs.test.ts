import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { planDemoDomain } from '../support/plan-fixtures.js'

test.each(['README.md', 'docs/fix-plan.md'])(
  '%s shows the records of the demo plan',
  async (file) => {
    const { exports, records, current, projected } = await planDemoDomain('parked.test')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(`\`\`\`\n${exports.zoneFile}`)
    expect(text).toMatch(new RegExp(`score (from )?${current.score} (->|to) ${projected.score}\\b`))
    const lines = exports.zoneFile.trim().split('\n')
    expect(lines.filter((line) => !line.startsWith(';'))).toHaveLength(records.length)
  },
)
