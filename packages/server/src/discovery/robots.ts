/** What crawlers may read: everything about the service, and nothing that makes it work or costs. */
import { PATHS } from '../operations/service-paths.js'

/** The API stays open: an agent that asks on behalf of somebody may keep to these rules. */
const CLOSED = [`${PATHS.reports}/`, '/sandbox/', '/?domain=']

export function isCrawlable(path: string): boolean {
  return !CLOSED.some((beginning) => path.startsWith(beginning))
}

export function robotsText(baseUrl: string): string {
  // Rules begin at the root of the host, wherever we stand on it.
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '')
  return [
    `# In a few words, for models: ${baseUrl}${PATHS.llms}`,
    'User-agent: *',
    ...CLOSED.map((beginning) => `Disallow: ${prefix}${beginning}`),
    '',
    `Sitemap: ${baseUrl}${PATHS.sitemap}`,
    '',
  ].join('\n')
}
