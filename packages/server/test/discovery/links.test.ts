/** Every URL of ours in a document works. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { expect, test } from 'vitest'
import {
  DEPLOYMENTS,
  type DeployedApp,
  DISCOVERY_DOCUMENTS,
  deployApp,
} from '../support/discovery-fixture.js'

test.each(DEPLOYMENTS)('every link of $name works', async (deployment) => {
  const service = deployApp(deployment)
  const { baseUrl } = deployment
  const urls = new Set<string>()
  for (const path of Object.keys(DISCOVERY_DOCUMENTS)) {
    const found = await ownUrls(service, path, baseUrl)
    expect([path, found.length > 0]).toEqual([path, true])
    for (const url of found) urls.add(url)
  }
  expect(urls.size).toBeGreaterThan(OPERATIONS.length * 2)

  const statuses = await Promise.all(
    [...urls].map(async (url) => [url, (await service.fetchUrl(url)).status]),
  )
  const expected = [...urls].map((url) => [url, expectedStatus(url.slice(baseUrl.length))])
  expect(statuses).toEqual(expected)
})

test('under a path, no document links outside that path', async () => {
  const baseUrl = 'https://x.example/mail'
  const service = deployApp({ baseUrl, isSandbox: false })
  for (const path of Object.keys(DISCOVERY_DOCUMENTS)) {
    const response = await service.get(path)
    const text = `${response.headers.get('link')}\n${await response.text()}`
    const urls = text.match(/https:\/\/x\.example[^"\s]*/g) ?? []
    expect(urls.filter((url) => !url.startsWith(baseUrl))).toEqual([])
  }
})

/** URLs in the Link header or the body, up to the start of a URL template or other text. */
async function ownUrls(service: DeployedApp, path: string, baseUrl: string): Promise<string[]> {
  const response = await service.get(path)
  const text = `${response.headers.get('link')}\n${await response.text()}`
  return text
    .split(baseUrl)
    .slice(1)
    .map((rest) => /^[^\s"'<>(){}`\\]*/.exec(rest)?.[0] ?? '')
    .map((rest) => baseUrl + rest.replaceAll('&amp;', '&').replace(/[.,;:]$/, ''))
}

/** Without parameters or a payment, endpoints return 400 or 402, and MCP does not accept GET. */
function expectedStatus(path: string): number {
  const operation = OPERATIONS.find((candidate) => candidate.path === path)
  if (operation) return isPaid(operation) ? 402 : 400
  return path === '/mcp' ? 405 : 200
}
