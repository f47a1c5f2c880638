/** The path of everything that is not an operation. */
import type { Operation } from './operation.js'

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
  mcp: '/mcp',
  docs: '/docs',
  findings: '/docs/findings',
  problems: '/problems',
  /** The parent of one page for each operation. */
  endpoints: '/docs/api',
  /** The parent of one page for each paid operation. */
  reports: '/reports',
  sandboxChain: '/sandbox/chain',
  sandboxWallet: '/sandbox/wallet',
} as const

/** The documentation of one endpoint: `/docs/api/score`. */
export function endpointDocsPath({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1', PATHS.endpoints)
}

/** The page where people buy and read a paid report: `/reports/score`. */
export function reportPagePath({ path }: Pick<Operation, 'path'>): string {
  return path.replace('/v1', PATHS.reports)
}
