/** The server card and the registry entry match what a client sees. */
import { readFileSync } from 'node:fs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { registryEntry, serverCard } from '../../src/mcp/server-card.js'
import { connectMcpClient } from '../support/mcp-client.js'
import { createAppFetch } from '../support/mcp-message.js'
import { createTestApp } from '../support/test-app.js'

/** The common rules of SEP-2127 and schema 2025-12-11. */
const listed = z.strictObject({
  $schema: z.string(),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]\/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  websiteUrl: z.url(),
  icons: z.tuple([
    z.strictObject({
      src: z.url().max(255),
      mimeType: z.literal('image/svg+xml'),
    }),
  ]),
  remotes: z.tuple([
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.url(),
      supportedProtocolVersions: z.array(z.string()).optional(),
    }),
  ]),
})

const entry = listed.parse(JSON.parse(readFileSync('server.json', 'utf8')))
/** The URL that server.json was generated for. */
const BASE_URL = entry.remotes[0].url.replace(/\/mcp$/, '')
const openApp = () => createTestApp(zoneDns(''), { env: { BASE_URL } })

describe.each(['/mcp/server-card', '/.well-known/mcp/server-card.json'])('%s', (path) => {
  test('serves the card, public and cacheable', async () => {
    const response = await openApp().get(path)
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
      200,
      {
        'content-type': 'application/mcp-server-card+json',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      },
    ])
    const card = listed.parse(await response.json())
    expect(card.$schema).toBe(
      'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    )
    expect(card.remotes[0]).toEqual({
      type: 'streamable-http',
      url: `${BASE_URL}/mcp`,
      supportedProtocolVersions: ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS],
    })
  })
})

test.each(['current', 'previous'] as const)(
  'the card and server.json match the identity that a client sees: %s',
  async (kind) => {
    const app = openApp()
    const { $schema: _, remotes, ...identity } = entry
    const { client } = await connectMcpClient(
      kind,
      BASE_URL,
      createAppFetch(app, new URL(BASE_URL).host),
    )
    expect(client.getServerVersion()).toEqual(identity)
    expect(await (await app.get('/mcp/server-card')).json()).toMatchObject(identity)
  },
)

test('server.json is up to date', () => {
  expect(entry).toEqual(registryEntry({ baseUrl: BASE_URL, name: 'Mailgrade', siteUrl: null }))
  expect(entry).toMatchObject({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${new URL(BASE_URL).hostname.split('.').reverse().join('.')}/mailgrade`,
    websiteUrl: BASE_URL,
  })
})

test.each([
  ['https://mail.example.co.uk', 'uk.co.example.mail/mailgrade'],
  ['https://example.com/tools/mail', 'com.example/mailgrade'],
  ['http://localhost:3000', 'local/mailgrade'],
  ['http://127.0.0.1:3000', 'local/mailgrade'],
  ['http://[::1]:3000', 'local/mailgrade'],
])('names the server at %s %s', (baseUrl, name) => {
  const card = listed.parse(serverCard({ baseUrl, name: 'Mail', siteUrl: 'https://site.example' }))
  expect([card.name, card.remotes[0].url]).toEqual([name, `${baseUrl}/mcp`])
  expect([card.title, card.websiteUrl]).toEqual(['Mail', 'https://site.example'])
})
