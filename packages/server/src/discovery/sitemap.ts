/** The pages for people, for search engines. When each was last changed we cannot tell. */
import { PATHS } from '../operations/service-paths.js'
import { isCrawlable } from './robots.js'

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

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
