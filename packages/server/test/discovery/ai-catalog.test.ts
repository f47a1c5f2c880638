/** The AI catalog links a client that knows only the domain to the server card. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { aiCatalog } from '../../src/mcp/server-card.js'
import { DEPLOYMENTS, deployApp } from '../support/discovery-fixture.js'

const catalog = z.strictObject({
  specVersion: z.literal('1.0'),
  host: z.strictObject({ displayName: z.string(), identifier: z.string() }),
  entries: z.tuple([
    z.strictObject({
      identifier: z.string().regex(/^urn:air:[a-z0-9.-]+:mcp:[a-z0-9-]+$/),
      type: z.literal('application/mcp-server-card+json'),
      url: z.url(),
      displayName: z.string(),
      description: z.string(),
    }),
  ]),
})

test.each(DEPLOYMENTS)('lists the server card as its only entry: $name', async (deployment) => {
  const service = deployApp(deployment)
  const { entries } = catalog.parse(
    await (await service.get('/.well-known/ai-catalog.json')).json(),
  )
  const [{ url, type, displayName, description }] = entries
  const card = await service.fetchUrl(url)
  expect(card.headers.get('content-type')).toBe(type)
  expect(await card.json()).toMatchObject({
    title: displayName,
    description,
    remotes: [{ url: `${deployment.baseUrl}/mcp` }],
  })
})

test.each([
  ['https://mail.example.co.uk', 'urn:air:mail.example.co.uk:mcp:mailgrade'],
  ['https://x.example/mail', 'urn:air:x.example:mcp:mailgrade'],
  ['http://[::1]:3000', 'urn:air:local:mcp:mailgrade'],
])('at %s the identifier is %s', (baseUrl, identifier) => {
  const { entries, host } = catalog.parse(aiCatalog({ baseUrl, name: 'Mail', siteUrl: null }))
  expect([entries[0].identifier, host.displayName]).toEqual([identifier, 'Mail'])
})
