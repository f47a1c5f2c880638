/** What every page knows about the service. */

import type { Operation } from '@mailgrade/operations/operation'
import { createContext, useContext } from 'hono/jsx'
import type { ServiceInfo } from '../service-info.js'

export interface SiteInfo extends ServiceInfo {
  /** What this instance offers. */
  readonly operations: readonly Operation[]
  /** The path of styles and scripts, which changes when they do. */
  readonly assets: string
}

const SiteContext = createContext<SiteInfo | null>(null)
export const SiteProvider = SiteContext.Provider

export function useSite(): SiteInfo {
  const site = useContext(SiteContext)
  if (!site) throw new Error('the page has no SiteProvider')
  return site
}

/** Adds the path of the base URL; links stay relative to the host, which may have other names. */
export function useLink(): (path: string) => string {
  const { baseUrl } = useSite()
  const { pathname } = new URL(baseUrl)
  return (path) => (pathname === '/' ? path : pathname + path)
}
