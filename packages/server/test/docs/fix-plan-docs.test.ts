import { readFileSync } from 'node:fs'
import { type DomainName, type FixPlan, planDomain } from '@mailgrade/core'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { createDemoDns } from '../../src/demo/demo-dns.js'

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

async function planDemoDomain(domain: string): Promise<FixPlan> {
  const dns = createDemoDns(zoneDns(''))(domain)
  const checked = await planDomain(
    dns,
    domain as DomainName,
    { randomLabel: () => 'made-up' },
    { now: new Date() },
  )
  if (checked.kind !== 'report') throw new Error(`no plan but ${checked.kind}`)
  return checked.report
}
