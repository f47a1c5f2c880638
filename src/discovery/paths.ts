/** Where the documents stand, and what else they point to. */
export const PATHS = {
  description: '/',
  openapi: '/openapi.json',
  manifest: '/.well-known/x402',
  llms: '/llms.txt',
  apiCatalog: '/.well-known/api-catalog',
  sitemap: '/sitemap.xml',
  robots: '/robots.txt',
  alive: '/healthz',
  ready: '/readyz',
  problems: '/problems',
} as const
