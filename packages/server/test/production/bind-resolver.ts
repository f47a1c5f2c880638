/** BIND as a DoH resolver with TLS, which knows only the domains of the benchmarks. */
import { Resolver as PlainResolver } from 'node:dns/promises'
import { findFreePorts } from '@mailgrade/testing/free-port'
import type { ServerDirectory } from '@mailgrade/testing/server-directory'
import { benchZoneText } from '../../../../bench/bench-zones.js'
import { startChildServer } from '../support/child-server.js'

export interface BindResolver {
  readonly url: string
  kill(): Promise<void>
  restart(): Promise<void>
}

/** BIND needs these records in a zone. */
const ZONE_HEAD = `
$TTL 300
. SOA ns.reports.test. hostmaster.reports.test. 1 1h 15m 2w 120
ns.reports.test. A 192.0.2.121
`

export async function startBindResolver(
  site: ServerDirectory,
  name: string,
): Promise<BindResolver> {
  const [port, dohPort] = await findFreePorts()
  await site.write(`${name}.zone`, ZONE_HEAD + benchZoneText())
  const configFile = await site.write(
    `${name}.conf`,
    bindConfig(site.directory, name, port, dohPort),
  )

  const start = () =>
    startChildServer({
      program: 'named',
      // In the foreground, with the log on standard error, on one thread.
      args: ['-g', '-n', '1', '-c', configFile],
      directory: site.directory,
      isReady: () => isAnswering(port),
    })
  let server = await start()
  return {
    url: `https://127.0.0.1:${dohPort}/dns-query`,
    kill: () => server.kill(),
    async restart() {
      server = await start()
    },
  }
}

/** Over plain DNS, with Node's own resolver. */
async function isAnswering(port: number): Promise<boolean> {
  const resolver = new PlainResolver({ timeout: 500, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver.resolveMx('flat-0.test').then(
    () => true,
    () => false,
  )
}

const bindConfig = (directory: string, name: string, port: number, dohPort: number) => `
tls local { cert-file "cert.pem"; key-file "key.pem"; };
http doh { endpoints { "/dns-query"; }; streams-per-connection 256; };
controls { };
options {
  directory "${directory}";
  pid-file none;
  session-keyfile none;
  recursion no;
  dnssec-validation no;
  notify no;
  listen-on-v6 { none; };
  listen-on port ${port} { 127.0.0.1; };
  listen-on port ${dohPort} tls local http doh { 127.0.0.1; };
};
zone "." { type primary; file "${name}.zone"; };
`
