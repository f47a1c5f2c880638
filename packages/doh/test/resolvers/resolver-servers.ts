/** The servers of the resolver tests, started and stopped together. */
import { type ChildServer, startDnsServer } from '@mailgrade/testing/child-server'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { createServerDirectory, type ServerDirectory } from '@mailgrade/testing/server-directory'
import { type Bind, KNOWN_NAME, startBind } from './bind.js'
import { startTcpProxy } from './tcp-proxy.js'

/** They speak HTTP/2, HTTP/2, HTTP/1.1 without TLS and HTTP/1.1 with TLS. */
export const RESOLVER_NAMES = ['BIND', 'Unbound', 'dnsdist', 'dnsdist behind TLS'] as const

export type ResolverName = (typeof RESOLVER_NAMES)[number]

export interface ResolverServers {
  /** The certificate of the authority to trust. */
  readonly ca: string
  readonly urls: Record<ResolverName, URL>
  stop(): Promise<void>
}

export async function startResolverServers(): Promise<ResolverServers> {
  const directory = await createServerDirectory()
  const stops = [directory.remove]
  const stop = async () => {
    for (const stopServer of stops.reverse()) await stopServer()
  }
  async function started<T extends ChildServer>(starting: Promise<T>): Promise<T> {
    const server = await starting
    stops.push(server.kill)
    return server
  }

  try {
    // One after another, so every running server is stopped when one fails to start.
    const bind = await started(startBind(directory))
    const unbound = await started(startUnbound(directory, bind))
    const dnsdist = await started(startDnsdist(directory, bind))
    const tlsProxy = await startTcpProxy(dnsdist.dohPort, directory)
    stops.push(tlsProxy.stop)
    return {
      ca: directory.ca,
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

interface DohServerProcess extends ChildServer {
  readonly dohPort: number
}

/** A validating, caching resolver that forwards to BIND; DoH over HTTP/2 only. */
async function startUnbound(
  { directory, write }: ServerDirectory,
  bind: Bind,
): Promise<DohServerProcess> {
  const [port, dohPort] = await findFreePorts()
  const configFile = await write('unbound.conf', unboundConfig(directory, port, dohPort, bind))
  const args = ['-d', '-c', configFile]
  const server = await startDnsServer({
    program: 'unbound',
    args,
    directory,
    port,
    knownName: KNOWN_NAME,
  })
  return { ...server, dohPort }
}

/** Matches no key, so nothing under it can be validated. */
const WRONG_ANCHOR = `bogus.test. DS 12345 13 2 ${'0'.repeat(64)}`

// Everything is forwarded: as a stub, Unbound would query the zones' name servers, which do not
// exist.
const unboundConfig = (directory: string, port: number, dohPort: number, bind: Bind) => `
server:
  directory: "${directory}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  do-ip6: no
  interface: 127.0.0.1@${port}
  interface: 127.0.0.1@${dohPort}
  outgoing-interface: 127.0.0.1
  https-port: ${dohPort}
  tls-service-pem: "cert.pem"
  tls-service-key: "key.pem"
  do-not-query-localhost: no
  local-zone: "test." nodefault
  ede: yes
  trust-anchor-file: "${bind.trustAnchorFile}"
  trust-anchor: "${WRONG_ANCHOR}"
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${bind.port}
remote-control:
  control-enable: no
`

/** dnsdist in front of BIND: DoH over HTTP/1.1 without TLS. */
async function startDnsdist(
  { directory, write }: ServerDirectory,
  bind: Bind,
): Promise<DohServerProcess> {
  const [port, dohPort] = await findFreePorts()
  const configFile = await write('dnsdist.conf', dnsdistConfig(port, dohPort, bind))
  const args = ['--supervised', '--disable-syslog', '-C', configFile]
  const server = await startDnsServer({
    program: 'dnsdist',
    args,
    directory,
    port,
    knownName: KNOWN_NAME,
  })
  return { ...server, dohPort }
}

// `tcpOnly` avoids truncated answers, `setUp` skips the health checks, and the empty suffix turns
// off security polling.
const dnsdistConfig = (port: number, dohPort: number, bind: Bind) => `
setSecurityPollSuffix("")
setLocal("127.0.0.1:${port}")
addDOHLocal("127.0.0.1:${dohPort}", nil, nil, "/dns-query")
newServer({ address = "127.0.0.1:${bind.port}", tcpOnly = true }):setUp()
`
