/**
 * What others know about the MCP server, without its SDK: the server card (SEP-2127), the AI catalog
 * that links to it, the registry entry, and the names that a payment needs.
 */
import { type McpServiceInfo, serverIdentity } from '@mailgrade/operations/mcp/server-identity'
import { PATHS } from '@mailgrade/operations/service-paths'

const SCHEMAS = 'https://static.modelcontextprotocol.io/schemas'

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json'
/** The second path is the one that scanners used before the standard. */
export const SERVER_CARD_PATHS = [
  `${PATHS.mcp}/server-card`,
  '/.well-known/mcp/server-card.json',
] as const

export const AI_CATALOG_TYPE = 'application/ai-catalog+json'
export const AI_CATALOG_PATH = '/.well-known/ai-catalog.json'

/** The only tool that is not an operation. */
export const PRICING_TOOL_NAME = 'pricing'

export const PAYMENT_META_KEY = 'x402/payment'
export const PAYMENT_RESPONSE_META_KEY = 'x402/payment-response'

/** Copied from the SDK, because importing it would load all of it. */
const PROTOCOL_VERSIONS = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]

export function serverCard(service: McpServiceInfo): object {
  return {
    $schema: `${SCHEMAS}/v1/server-card.schema.json`,
    ...serverIdentity(service),
    remotes: [{ ...remoteEndpoint(service), supportedProtocolVersions: PROTOCOL_VERSIONS }],
  }
}

/** For a client that knows only the domain. */
export function aiCatalog(service: McpServiceInfo): object {
  const { name, title, description } = serverIdentity(service)
  const [namespace = '', shortName] = name.split('/')
  const host = namespace.split('.').reverse().join('.')
  return {
    specVersion: '1.0',
    host: { displayName: title, identifier: host },
    entries: [
      {
        identifier: `urn:air:${host}:mcp:${shortName}`,
        type: SERVER_CARD_TYPE,
        url: service.baseUrl + SERVER_CARD_PATHS[0],
        displayName: title,
        description,
      },
    ],
  }
}

/** `server.json` for the official registry. */
export function registryEntry(service: McpServiceInfo): object {
  return {
    $schema: `${SCHEMAS}/2025-12-11/server.schema.json`,
    ...serverIdentity(service),
    remotes: [remoteEndpoint(service)],
  }
}

function remoteEndpoint({ baseUrl }: McpServiceInfo) {
  return { type: 'streamable-http', url: baseUrl + PATHS.mcp }
}
