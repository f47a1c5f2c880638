/** The registry's own discovery client, loaded from the suite, with the functions used here. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { REGISTRIES_SUITE_PACKAGES } from './suite-tools.js'

interface Warning {
  readonly code: string
  readonly severity: string
}

interface Route {
  readonly path: string
  readonly method: string
  readonly authMode?: string
  readonly price?: string
  readonly protocols?: readonly string[]
}

interface Advisory {
  readonly method: string
  readonly source: 'openapi' | 'probe'
  readonly authMode?: string
  readonly estimatedPrice?: string
  readonly inputSchema?: object
  readonly outputSchema?: object
  readonly paymentOptions?: readonly object[]
}

interface AsyncResult<Value> {
  unwrapOr(fallback: null): Promise<Value | null>
}

interface Discovery {
  discoverOriginSchema(options: {
    target: string
  }): Promise<{ found: boolean; endpoints: Route[]; guidance?: string; info?: object }>
  checkEndpointSchema(options: {
    url: string
    probe: boolean
  }): Promise<{ found: boolean; advisories: Advisory[] }>
  getOpenAPI(origin: string): AsyncResult<object>
  checkL2ForOpenAPI(openApi: object | null): object
  checkL4ForOpenAPI(openApi: object | null): object
  getWarningsForOpenAPI(openApi: object | null): Warning[]
  getWarningsForL2(l2: object): Warning[]
  getWarningsForL3(l3: Advisory): Warning[]
  getWarningsForL4(l4: object): Warning[]
  getWarningsForFavicon(origin: string): AsyncResult<Warning[]>
  probeLegacyWellKnown(origin: string): AsyncResult<object>
  getWarningsForLegacyWellKnown(probe: object | null): Warning[]
}

export async function loadAgentcashDiscovery(): Promise<Discovery> {
  const file = join(REGISTRIES_SUITE_PACKAGES, '@agentcash/discovery/dist/index.js')
  return (await import(pathToFileURL(file).href)) as Discovery
}
