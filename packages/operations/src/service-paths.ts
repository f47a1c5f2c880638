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
  /** How to run an instance, apart from how to call one. */
  operators: '/docs/operators',
  problems: '/problems',
  learn: '/learn',
  faq: '/faq',
  privacy: '/privacy',
  terms: '/terms',
  /** One row for each of several domains. */
  domains: '/domains',
  /** The parent of one badge for each domain. */
  badge: '/badge',
  /** The parent of one image for each domain, for links to its result. */
  share: '/share',
  /** The parent of one page for each operation. */
  endpoints: '/docs/api',
  /** The reports of this tab, and the parent of one page for each paid operation. */
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

/** A paid report on a demo domain: `/reports/score/sample`. */
export function sampleReportPath(operation: Pick<Operation, 'path'>): string {
  return `${reportPagePath(operation)}/sample`
}

/** A picture of the verdict for other websites. */
export function badgePath(domain: string, query = ''): string {
  return `${PATHS.badge}/${encodeURIComponent(domain)}.svg${query}`
}

/** A picture of the verdict for messengers and social networks. */
export function shareImagePath(domain: string, query = ''): string {
  return `${PATHS.share}/${encodeURIComponent(domain)}.png${query}`
}
