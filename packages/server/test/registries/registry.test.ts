/** The x402 registry's own client reads the service: all endpoints, no warnings. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadAgentcashDiscovery } from './agentcash-discovery.js'
import { type SandboxService, startSandboxService } from './sandbox-service.js'

const discovery = await loadAgentcashDiscovery()
let sandbox: SandboxService
beforeAll(async () => {
  sandbox = await startSandboxService()
})
afterAll(() => void sandbox?.process.kill('SIGKILL'))

test('finds every endpoint with its price, the guidance and the contact', async () => {
  const found = await discovery.discoverOriginSchema({ target: sandbox.url })
  const routes = found.endpoints.map(({ path, authMode, price, protocols }) => [
    path,
    authMode,
    price,
    protocols,
  ])
  const expected = OPERATIONS.map((operation) =>
    isPaid(operation)
      ? [operation.path, 'paid', `${operation.price} USD`, ['x402']]
      : [operation.path, 'unprotected', undefined, undefined],
  )
  expect(routes).toEqual(expected)
  expect(found.info).toMatchObject({
    title: 'Mailgrade',
    version: '1.0.0',
    contactEmail: 'hello@mailgrade.example',
  })
  expect(found.guidance).toContain('Start with the first free check')
})

test('has no warning about the document, its routes or its guidance', async () => {
  const openApi = await discovery.getOpenAPI(sandbox.url).unwrapOr(null)
  const { getWarningsForOpenAPI, getWarningsForL2, getWarningsForL4 } = discovery
  expect([
    getWarningsForOpenAPI(openApi),
    getWarningsForL2(discovery.checkL2ForOpenAPI(openApi)),
    getWarningsForL4(discovery.checkL4ForOpenAPI(openApi)),
  ]).toEqual([[], [], []])
})

test('finds the icon', async () => {
  expect(await discovery.getWarningsForFavicon(sandbox.url).unwrapOr(null)).toEqual([])
})

test('notes the legacy manifest as info', async () => {
  const probe = await discovery.probeLegacyWellKnown(sandbox.url).unwrapOr(null)
  expect(discovery.getWarningsForLegacyWellKnown(probe)).toMatchObject([
    { code: 'LEGACY_WELL_KNOWN_FOUND', severity: 'info' },
  ])
})

describe.each(OPERATIONS)('$path', (operation) => {
  const check = async (probe: boolean) => {
    const url = sandbox.url + operation.path
    const { found, advisories } = await discovery.checkEndpointSchema({ url, probe })
    const warnings = advisories.flatMap((advisory) => discovery.getWarningsForL3(advisory))
    expect([found, warnings]).toEqual([true, []])
    return advisories
  }

  test('reads the call from the document', async () => {
    expect(await check(false)).toMatchObject([
      {
        method: 'GET',
        source: 'openapi',
        authMode: isPaid(operation) ? 'paid' : 'unprotected',
        ...(isPaid(operation) && { estimatedPrice: `${operation.price} USD` }),
        inputSchema: expect.any(Object),
        outputSchema: expect.any(Object),
      },
    ])
  })

  test('finds the same by calling it', async () => {
    const advisories = await check(true)
    const modes = advisories.map(({ method, authMode }) => `${method} ${authMode}`)
    // Without parameters, a free check is a 400 and a paid report still a 402.
    expect(modes).toEqual(
      isPaid(operation)
        ? ['GET paid', 'HEAD paid', 'OPTIONS unprotected']
        : ['OPTIONS unprotected'],
    )
  })
})
