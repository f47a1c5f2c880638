/** The README shows exactly what the service in the sandbox returns. */
import { readFileSync, statSync } from 'node:fs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { createTestApp } from '../support/test-app.js'

const README = readFileSync('README.md', 'utf8')

const EXAMPLES = [...README.matchAll(/```sh\ncurl (.*)\n```\n\n```json\n([\s\S]*?)\n```/g)].map(
  ([, command = '', output = '']) => ({ command, output }),
)

function get(path: string) {
  return createTestApp(zoneDns(''), { env: {} }).get(path)
}

function pathIn(command: string): string {
  return /'http:\/\/localhost:3000(\/[^']*)'/.exec(command)?.[1] ?? ''
}

test('has at most 150 lines', () => {
  expect(README.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

test('shows the response of the first curl command as curl prints it', async () => {
  const [{ command, output } = { command: '', output: '' }] = EXAMPLES
  expect(command).not.toContain('|')
  const shown = JSON.parse(output)
  const body = await (await get(pathIn(command))).text()
  const varying = ({ checkedAt, durationMs }: Record<string, unknown>) => ({
    checkedAt,
    durationMs,
  })
  const actual = JSON.parse(body)
  const aligned = { ...actual, meta: { ...actual.meta, ...varying(shown.meta) } }
  expect(JSON.stringify(aligned)).toBe(output)
  expect(JSON.stringify(actual)).toBe(body)
})

test('shows the record that the second curl command extracts', async () => {
  const { command, output } = EXAMPLES[1] ?? { command: '', output: '' }
  expect(command).toMatch(/ \| jq '\.issues\[0\]\.record'$/)
  const { issues } = await (await get(pathIn(command))).json()
  expect(JSON.stringify(issues[0].record, null, 2)).toBe(output)
})

test('names eight demo domains, all of which exist', async () => {
  const [table = ''] = README.split('### Demo domains')[1]?.split('\n## ') ?? []
  const domains = [...table.matchAll(/^\| `(\S+)`/gm)].map(([, domain]) => domain)
  expect(domains).toHaveLength(8)
  for (const domain of domains) {
    const response = await get(`/v1/mx?domain=${domain}`)
    expect([domain, response.status]).toEqual([domain, 200])
  }
})

test('has a screenshot under 200 KB', () => {
  const [, image = ''] = /!\[[^\]]+\]\((\S+\.png)\)/.exec(README) ?? []
  expect(statSync(image).size).toBeLessThan(200_000)
})
