/** What every page knows of the service it belongs to. */
import { createContext, useContext } from 'hono/jsx'
import type { ServiceInfo } from '../service-info.js'

export interface SiteInfo extends ServiceInfo {
  /** The folder of styles and scripts, which changes with them. */
  readonly assets: string
}

const SiteContext = createContext<SiteInfo | null>(null)
export const SiteProvider = SiteContext.Provider

export function useSite(): SiteInfo {
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
