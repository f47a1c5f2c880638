/** Which APIs there are, as a set of links (RFC 9727, RFC 9264). */

import { PATHS } from '../operations/service-paths.js'
import type { DiscoverySource } from './discovery-source.js'

export const LINKSET_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

export function apiCatalog({ operations, service: { baseUrl }, mcp }: DiscoverySource): object {
  const link = (path: string, type: string) => ({ href: baseUrl + path, type })
  const docs = [link(PATHS.docs, 'text/html'), link(PATHS.llms, 'text/plain')]
  const meta = [link(PATHS.manifest, 'application/json')]
  const status = [link(PATHS.alive, 'application/json'), link(PATHS.ready, 'application/json')]
  const items = (paths: readonly string[]) => paths.map((path) => ({ href: baseUrl + path }))
  return {
    linkset: [
      {
        anchor: baseUrl + PATHS.apiCatalog,
        item: items([PATHS.description, mcp.path]),
      },
      {
        anchor: baseUrl + PATHS.description,
        item: items(operations.map(({ path }) => path)),
        'service-desc': [link(PATHS.openapi, 'application/json')],
        'service-doc': docs,
        'service-meta': meta,
        status,
      },
      {
        anchor: baseUrl + mcp.path,
        'service-desc': [link(mcp.cardPath, mcp.cardType)],
        'service-doc': docs,
        'service-meta': meta,
        status,
      },
    ],
  }
}
