/** dnsdist in front of BIND: DoH over HTTP/1.1, without TLS. */

import { type DnsServerProcess, startDnsServer } from '@mailgrade/testing/dns-server-process'
import { findFreePorts, type ServerDirectory } from '@mailgrade/testing/server-directory'
import type { Bind } from './bind.js'

export interface Dnsdist extends DnsServerProcess {
  readonly dohPort: number
}

export async function startDnsdist(
  { directory, write }: ServerDirectory,
  bind: Bind,
): Promise<Dnsdist> {
  const [port, dohPort] = await findFreePorts()
  const configFile = await write('dnsdist.conf', config(port, dohPort, bind))
  const args = ['--supervised', '--disable-syslog', '-C', configFile]
  const server = await startDnsServer({ program: 'dnsdist', args, directory, port })
  return { ...server, dohPort }
}

// `tcpOnly` so that no answer is cut to a datagram; `setUp` spares the health checks; the empty
// suffix stops dnsdist from asking its makers for security news.
const config = (port: number, dohPort: number, bind: Bind) => `
setSecurityPollSuffix("")
setLocal("127.0.0.1:${port}")
addDOHLocal("127.0.0.1:${dohPort}", nil, nil, "/dns-query")
newServer({ address = "127.0.0.1:${bind.port}", tcpOnly = true }):setUp()
`
