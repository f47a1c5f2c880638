import { readFileSync } from 'node:fs'
import type { DomainName, FixPlan } from '@mailgrade/core'
import { planDomain } from '@mailgrade/core'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { createDemoDns } from '../../src/demo/demo-dns.js'
import { createTestApp } from '../support/test-app.js'

const readme = readFileSync('README.md', 'utf8')

test('the answer that the README shows is the answer that a newcomer gets', async () => {
  const path = /curl 'http:\/\/localhost:3000(.*)'/.exec(readme)?.[1] ?? ''
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  const answer = await createTestApp(zoneDns(''), { env: {} }).get(path)
  expect(await answer.json()).toEqual({
    ...shown,
    meta: { ...shown.meta, checkedAt: expect.any(String), durationMs: expect.any(Number) },
  })
})

test('every demo domain that the README names exists', async () => {
  const table = readme.slice(readme.indexOf('## Demo domains'), readme.indexOf('## Configuration'))
  const domains = [...table.matchAll(/^\| `(\S+)`/gm)].map(([, domain]) => domain)
  expect(domains).toHaveLength(7)
  for (const domain of domains) {
    const answer = await createTestApp(zoneDns(''), { env: {} }).get(`/v1/mx?domain=${domain}`)
    expect([domain, answer.status]).toEqual([domain, 200])
  }
})

test('the plan that the README shows is the plan that a newcomer buys', async () => {
  const block = readme.slice(
    readme.indexOf('### Fix a domain'),
    readme.indexOf('### Check an address'),
  )
  const shown = [...block.matchAll(/^ {4}"(.* TTL 3600\.)",$/gm)].map(([, step]) => step)
  const { steps, current, projected } = await demoPlan('parked.test')
  expect(steps.slice(1, 4)).toEqual(shown)
  expect(block).toContain(`"current": { "score": ${current.score}, "grade": "${current.grade}" }`)
  expect(block).toContain(
    `"projected": { "score": ${projected.score}, "grade": "${projected.grade}"`,
  )
})

async function demoPlan(domain: string): Promise<FixPlan> {
  const dns = createDemoDns(zoneDns(''))(domain)
  const checked = await planDomain(dns, domain as DomainName, { randomLabel: () => 'made-up' })
  if (checked.kind !== 'report') throw new Error(`no plan but ${checked.kind}`)
  return checked.report
}
