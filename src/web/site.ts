/** What every page knows of the service it belongs to. */
import { createContext, useContext } from 'hono/jsx'
import type { Terms } from '../payments/terms.js'

export interface Site {
  readonly baseUrl: string
  readonly name: string
  readonly monitoringUrl: string | null
  readonly contactEmail: string | null
  readonly terms: Terms
  readonly isSandbox: boolean
  /** Of free requests, which one caller has in any `windowSeconds`. */
  readonly limit: number
  readonly windowSeconds: number
  /** The folder of styles and scripts, which changes with them. */
  readonly assets: string
}

const SiteContext = createContext<Site | null>(null)
export const SiteProvider = SiteContext.Provider

export function useSite(): Site {
  const site = useContext(SiteContext)
  if (!site) throw new Error('a page outside its site')
  return site
}

/** Paths stand below that of the public address; its host may have other names, too. */
export function useLink(): (path: string) => string {
  const { baseUrl } = useSite()
  const { pathname } = new URL(baseUrl)
  return (path) => (pathname === '/' ? path : pathname + path)
}
