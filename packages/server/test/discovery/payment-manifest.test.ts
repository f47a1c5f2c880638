/** The x402 manifest states the same offers as the endpoints. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { describe, expect, test } from 'vitest'
import { DEPLOYMENTS, deployApp } from '../support/discovery-fixture.js'

interface Item {
  resource: string
  description: string
  mimeType: string
  accepts: object[]
  extensions: object
}

interface Manifest {
  resources: string[]
  items: Item[]
}

describe.each(DEPLOYMENTS)('$name', (deployment) => {
  const { baseUrl, isSandbox } = deployment
  const service = deployApp(deployment)
  const read = async (path: string) => (await service.get(path)).json() as Promise<Manifest>

  test('lists exactly the paid operations, in the format of every draft', async () => {
    const resources = OPERATIONS.filter(isPaid).map(({ path }) => baseUrl + path)
    const manifest = await read('/.well-known/x402')
    expect(manifest).toMatchObject({
      version: 1,
      x402Version: 2,
      kind: 'resource-server',
      name: 'Mailgrade',
      sandbox: isSandbox,
      resources,
      instructions: expect.stringContaining('PAYMENT-SIGNATURE'),
      mcp: { url: `${baseUrl}/mcp` },
      docs: `${baseUrl}/docs`,
    })
    expect(manifest.items.map(({ resource }) => resource)).toEqual(resources)
    expect(await read('/.well-known/x402.json')).toEqual(manifest)
  })

  test('has the same offers as the endpoints', async () => {
    const { items } = await read('/.well-known/x402')
    for (const { resource, description, mimeType, accepts, extensions } of items) {
      const response = await service.fetchUrl(resource)
      expect(response.status).toBe(402)
      const header = response.headers.get('payment-required') ?? ''
      const paymentRequired = JSON.parse(Buffer.from(header, 'base64').toString())
      expect({ accepts, extensions }).toEqual({
        accepts: paymentRequired.accepts,
        extensions: paymentRequired.extensions,
      })
      expect(paymentRequired.resource).toMatchObject({ url: resource, description, mimeType })
    }
  })
})

test('names a contact only if one is configured', async () => {
  const at = { baseUrl: 'https://mailgrade.example', isSandbox: false }
  const contact = async (env = {}) =>
    ((await (await deployApp(at, env).get('/.well-known/x402')).json()) as { contact?: string })
      .contact
  expect(await contact()).toBeUndefined()
  expect(await contact({ CONTACT_EMAIL: 'ops@mailgrade.example' })).toBe('ops@mailgrade.example')
})

describe('ownership proofs', () => {
  const proof = `0x${'1b'.repeat(65)}`
  const live = { baseUrl: 'https://mailgrade.example', isSandbox: false }
  const read = async (path: string, env = {}) => (await deployApp(live, env).get(path)).json()

  test('are the signature of the payee, where catalogs look for it', async () => {
    const env = { OWNERSHIP_PROOF: proof }
    expect(await read('/.well-known/x402', env)).toHaveProperty('ownershipProofs', [proof])
    expect(await read('/openapi.json', env)).toHaveProperty('x-agentcash-provenance', {
      ownershipProofs: [proof],
    })
  })

  test('are absent without one', async () => {
    expect(await read('/.well-known/x402')).not.toHaveProperty('ownershipProofs')
    expect(await read('/openapi.json')).not.toHaveProperty('x-agentcash-provenance')
  })

  test('are absent where nothing real is sold', async () => {
    const sandbox = deployApp({ ...live, isSandbox: true }, { OWNERSHIP_PROOF: proof })
    const manifest = await (await sandbox.get('/.well-known/x402')).json()
    expect(manifest).not.toHaveProperty('ownershipProofs')
  })
})

test('offers have the icon of the service', async () => {
  const service = deployApp({ baseUrl: 'https://x.example/mail', isSandbox: false })
  const { resource } = (await (await service.get('/v1/score')).json()) as {
    resource: { iconUrl: string }
  }
  expect(resource.iconUrl).toBe('https://x.example/mail/favicon.svg')
  const icon = await service.fetchUrl(resource.iconUrl)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
})
