/** Unbound: a validating, caching resolver that forwards to BIND; DoH over HTTP/2 only. */

import { type DnsServerProcess, startDnsServer } from '@mailgrade/testing/dns-server-process'
import { findFreePorts, type ServerDirectory } from '@mailgrade/testing/server-directory'
import type { Bind } from './bind.js'

export interface Unbound extends DnsServerProcess {
  readonly dohPort: number
}

export async function startUnbound(
  { directory, write }: ServerDirectory,
  bind: Bind,
): Promise<Unbound> {
  const [port, dohPort] = await findFreePorts()
  const configFile = await write('unbound.conf', config(directory, port, dohPort, bind))
  const args = ['-d', '-c', configFile]
  const server = await startDnsServer({ program: 'unbound', args, directory, port })
  return { ...server, dohPort }
}

/** Fits no key in the world, so nothing under it can be validated. */
const UNFIT_ANCHOR = `bogus.test. DS 12345 13 2 ${'0'.repeat(64)}`

// Everything is forwarded: as a stub, Unbound would go on to ask the name servers that the zones
// name, which do not exist. Bound to 127.0.0.1, it could not reach them anyway.
const config = (directory: string, port: number, dohPort: number, bind: Bind) => `
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
  trust-anchor: "${UNFIT_ANCHOR}"
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${bind.port}
remote-control:
  control-enable: no
`
