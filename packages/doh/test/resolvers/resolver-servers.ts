/** All the servers of the suite, started and stopped together. */

import { createServerDirectory } from '@mailgrade/testing/server-directory'
import { startBind } from './bind.js'
import { startDnsdist } from './dnsdist.js'
import { startTcpProxy } from './tcp-proxy.js'
import { startUnbound } from './unbound.js'

/** What is reached at each one's URL: HTTP/2, HTTP/2, HTTP/1.1 without and with TLS. */
export const RESOLVER_NAMES = ['BIND', 'Unbound', 'dnsdist', 'dnsdist behind TLS'] as const

export type ResolverName = (typeof RESOLVER_NAMES)[number]

export interface ResolverServers {
  /** The authority to trust. */
  readonly ca: string
  readonly urls: Record<ResolverName, URL>
  stop(): Promise<void>
}

export async function startResolverServers(): Promise<ResolverServers> {
  const site = await createServerDirectory()
  const stops = [site.remove]
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne()
  }
  async function started<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
    const server = await starting
    stops.push(server.stop)
    return server
  }

  try {
    // One after the other, so that whatever is running when one of them fails is known and stopped.
    const bind = await started(startBind(site))
    const unbound = await started(startUnbound(site, bind))
    const dnsdist = await started(startDnsdist(site, bind))
    const tlsProxy = await started(startTcpProxy(dnsdist.dohPort, site))
    return {
      ca: site.ca,
      urls: {
        BIND: dohUrl('https', bind.dohPort),
        Unbound: dohUrl('https', unbound.dohPort),
        dnsdist: dohUrl('http', dnsdist.dohPort),
        'dnsdist behind TLS': dohUrl('https', tlsProxy.port),
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export function dohUrl(protocol: 'http' | 'https', port: number): URL {
  return new URL(`${protocol}://127.0.0.1:${port}/dns-query`)
}
