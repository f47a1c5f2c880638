/** Where everything stands that is no operation. */
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
  /** Below these, a page for each operation. */
  endpoints: '/docs/api',
  reports: '/reports',
  sandboxChain: '/sandbox/chain',
  sandboxWallet: '/sandbox/wallet',
} as const
