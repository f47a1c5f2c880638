/** What the registry of x402 services makes of us: it finds every endpoint and has no warning. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPaid } from '../../src/operations/operation.js'
import { OPERATIONS } from '../../src/operations/operations.js'
import { loadAgentcashDiscovery } from './agentcash-discovery.js'
import { type SandboxService, startSandboxService } from './sandbox-service.js'

const discovery = await loadAgentcashDiscovery()
let sandbox: SandboxService
beforeAll(async () => {
  sandbox = await startSandboxService()
})
afterAll(() => void sandbox?.process.kill('SIGKILL'))

test('it finds every endpoint with its price, our guidance, and whom to write to', async () => {
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
  expect(found.guidance).toContain('Begin with the first free check')
})

test('it has no warning about the document, its routes or its guidance', async () => {
  const openApi = await discovery.getOpenAPI(sandbox.url).unwrapOr(null)
  const { getWarningsForOpenAPI, getWarningsForL2, getWarningsForL4 } = discovery
  expect([
    getWarningsForOpenAPI(openApi),
    getWarningsForL2(discovery.checkL2ForOpenAPI(openApi)),
    getWarningsForL4(discovery.checkL4ForOpenAPI(openApi)),
  ]).toEqual([[], [], []])
})

test('it finds our icon', async () => {
  expect(await discovery.getWarningsForFavicon(sandbox.url).unwrapOr(null)).toEqual([])
})

test('it remarks on the older manifest, which others still read', async () => {
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

  test('it reads how to call it from the document', async () => {
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

  test('and finds the same when it calls', async () => {
    const advisories = await check(true)
    const modes = advisories.map(({ method, authMode }) => `${method} ${authMode}`)
    // Without parameters a free check has nothing to answer, and a report has its price.
    expect(modes).toEqual(
      isPaid(operation)
        ? ['GET paid', 'HEAD paid', 'OPTIONS unprotected']
        : ['OPTIONS unprotected'],
    )
  })
})
