/** Links in a header (RFC 8288), for whoever has asked for anything else first. */

import { PATHS } from '../operations/service-paths.js'

const TARGETS = {
  'api-catalog': { path: PATHS.apiCatalog, type: 'application/linkset+json' },
  'service-desc': { path: PATHS.openapi, type: 'application/json' },
  'service-doc': { path: PATHS.docs, type: 'text/html' },
} as const

export function linkHeader(baseUrl: string, relations: readonly (keyof typeof TARGETS)[]): string {
  return relations
    .map((relation) => {
      const { path, type } = TARGETS[relation]
      // A header holds ASCII only, and a base address may be written with more.
      const { href } = new URL(baseUrl + path)
      return `<${href}>; rel="${relation}"; type="${type}"`
    })
    .join(', ')
}
