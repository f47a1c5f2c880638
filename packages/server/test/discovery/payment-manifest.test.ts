/** Registries read in the manifest what a caller is asked to pay. */
import { describe, expect, test } from 'vitest'
import { isPaid } from '../../src/operations/operation.js'
import { OPERATIONS } from '../../src/operations/operations.js'
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

describe.each(DEPLOYMENTS)('$kind', (deployment) => {
  const { baseUrl, isSandbox } = deployment
  const service = deployApp(deployment)
  const read = async (path: string) => (await service.get(path)).json() as Promise<Manifest>

  test('lists exactly what has a price, in the form of every draft', async () => {
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

  test('offers what the endpoint itself offers', async () => {
    const { items } = await read('/.well-known/x402')
    for (const { resource, description, mimeType, accepts, extensions } of items) {
      const response = await service.fetchUrl(resource)
      expect(response.status).toBe(402)
      const header = response.headers.get('payment-required') ?? ''
      const challenge = JSON.parse(Buffer.from(header, 'base64').toString())
      expect({ accepts, extensions }).toEqual({
        accepts: challenge.accepts,
        extensions: challenge.extensions,
      })
      expect(challenge.resource).toMatchObject({ url: resource, description, mimeType })
    }
  })
})

test('it names whom to write to only where there is somebody', async () => {
  const at = { baseUrl: 'https://mailgrade.example', isSandbox: false }
  const contact = async (env = {}) =>
    ((await (await deployApp(at, env).get('/.well-known/x402')).json()) as { contact?: string })
      .contact
  expect(await contact()).toBeUndefined()
  expect(await contact({ CONTACT_EMAIL: 'ops@mailgrade.example' })).toBe('ops@mailgrade.example')
})
