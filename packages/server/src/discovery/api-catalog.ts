/**
 * Links for programs: the API catalog (RFC 9727, RFC 9264) with the links to it, and what crawlers
 * read first, robots.txt and the sitemap.
 */
import { escapeXml } from '@mailgrade/operations/escape-xml'
import { PATHS } from '@mailgrade/operations/service-paths'
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

const LINK_TARGETS = {
  'api-catalog': { path: PATHS.apiCatalog, type: 'application/linkset+json' },
  'service-desc': { path: PATHS.openapi, type: 'application/json' },
  'service-doc': { path: PATHS.docs, type: 'text/html' },
} as const

/** A Link header (RFC 8288), for clients that fetched something else first. */
export function linkHeader(
  baseUrl: string,
  relations: readonly (keyof typeof LINK_TARGETS)[],
): string {
  return relations
    .map((relation) => {
      const { path, type } = LINK_TARGETS[relation]
      // A header holds ASCII only; the base URL may contain other characters.
      const { href } = new URL(baseUrl + path)
      return `<${href}>; rel="${relation}"; type="${type}"`
    })
    .join(', ')
}

/** The API stays open: an agent that acts for a user may follow these rules. */
const DISALLOWED_PREFIXES = [`${PATHS.reports}/`, '/sandbox/', '/?domain=', `${PATHS.domains}?`]

export function robotsText(baseUrl: string): string {
  // Rules are relative to the host, and the service may be mounted under a path.
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '')
  return [
    `# Summary for language models: ${baseUrl}${PATHS.llms}`,
    'User-agent: *',
    ...DISALLOWED_PREFIXES.map((path) => `Disallow: ${prefix}${path}`),
    '',
    `Sitemap: ${baseUrl}${PATHS.sitemap}`,
    '',
  ].join('\n')
}

/** The pages for people. Their dates of change are unknown, so there is no `lastmod`. */
export function sitemap(baseUrl: string, pages: readonly string[]): string {
  const paths = new Set<string>([PATHS.description, ...pages])
  const entries = [...paths]
    .filter(isCrawlable)
    .map((path) => `<url><loc>${escapeXml(new URL(baseUrl + path).href)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`
}

function isCrawlable(path: string): boolean {
  return !DISALLOWED_PREFIXES.some((prefix) => path.startsWith(prefix))
}
