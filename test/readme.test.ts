import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testApp } from './support/test-app.js'
import { world } from './support/world.js'

const readme = readFileSync('README.md', 'utf8')

test('the answer that the README shows is the answer that a newcomer gets', async () => {
  const path = /curl 'http:\/\/localhost:3000(.*)'/.exec(readme)?.[1] ?? ''
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  const answer = await testApp(world(''), { env: {} }).get(path)
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
    const answer = await testApp(world(''), { env: {} }).get(`/v1/mx?domain=${domain}`)
    expect([domain, answer.status]).toEqual([domain, 200])
  }
})
