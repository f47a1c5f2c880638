/** What crawlers read first: robots.txt and the sitemap. */
import { escapeXml } from '@mailgrade/operations/escape-xml'
import { PATHS } from '@mailgrade/operations/service-paths'

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
