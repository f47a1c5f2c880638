/** The API catalog, checked against RFC 9727 and RFC 9264. */

import { OPERATIONS } from '@mailgrade/operations/operations'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DEPLOYMENTS, deployApp, parseLinkHeader } from '../support/discovery-fixture.js'

const PATH = '/.well-known/api-catalog'

/** RFC 9264 §4.2: contexts by anchor, each with lists of targets by relation. */
const targets = z.array(z.strictObject({ href: z.url(), type: z.string().optional() })).nonempty()
/** The registered relations that we use: RFC 6573 and RFC 8631. */
const context = z.strictObject({
  anchor: z.url(),
  item: targets.optional(),
  'service-desc': targets.optional(),
  'service-doc': targets.optional(),
  'service-meta': targets.optional(),
  status: targets.optional(),
})
const document = z.strictObject({ linkset: z.array(context).nonempty() })

describe.each(DEPLOYMENTS)('$name', (deployment) => {
  const { baseUrl } = deployment
  const service = deployApp(deployment)
  const read = async () => document.parse(await (await service.get(PATH)).json()).linkset

  test.each(['GET', 'HEAD'])('%s returns a link to itself', async (method) => {
    const { headers } = await service.request(PATH, { method })
    expect(parseLinkHeader(headers.get('link'))).toEqual({ 'api-catalog': baseUrl + PATH })
  })

  test('links to the API and MCP, and from the API to its endpoints', async () => {
    const [self, api, mcp, ...others] = await read()
    expect(others).toEqual([])
    expect([self?.anchor, api?.anchor, mcp?.anchor]).toEqual([
      baseUrl + PATH,
      `${baseUrl}/`,
      `${baseUrl}/mcp`,
    ])
    expect(self?.item).toEqual([{ href: `${baseUrl}/` }, { href: `${baseUrl}/mcp` }])
    expect(api?.item).toEqual(OPERATIONS.map(({ path }) => ({ href: baseUrl + path })))
  })

  test('links each API to its description, documentation and status', async () => {
    const [, ...apis] = await read()
    const hrefs = apis.map((api) => [api['service-desc'], api['service-doc'], api.status])
    expect(hrefs.map((lists) => lists.map((list) => list?.map(({ href }) => href)))).toEqual(
      ['/openapi.json', '/mcp/server-card'].map((description) => [
        [baseUrl + description],
        [`${baseUrl}/docs`, `${baseUrl}/llms.txt`],
        [`${baseUrl}/healthz`, `${baseUrl}/readyz`],
      ]),
    )
  })

  test('states the media type that each target is served with', async () => {
    const links = (await read()).flatMap(({ anchor: _, ...relations }) =>
      Object.values(relations).flatMap((list) => list ?? []),
    )
    const typed = links.filter(({ type }) => type !== undefined)
    expect(typed.length).toBeGreaterThan(8)
    const served = await Promise.all(
      typed.map(async ({ href }) => {
        const { headers } = await service.fetchUrl(href)
        return { href, type: headers.get('content-type')?.split(';')[0] }
      }),
    )
    expect(served).toEqual(typed)
  })
})
