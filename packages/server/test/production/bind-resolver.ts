/** BIND as a DoH resolver with TLS, which knows only the domains of the benchmarks. */
import { startBindServer } from '@mailgrade/testing/child-server'
import { findFreePorts } from '@mailgrade/testing/free-port'
import type { ServerDirectory } from '@mailgrade/testing/server-directory'
import { benchZoneText } from '../../../../bench/bench-zones.js'

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
  const zones = { '.': `file "${name}.zone";` }
  const start = () =>
    startBindServer(site, { name, port, dohPort, knownName: 'flat-0.test', zones })
  let server = await start()
  return {
    url: `https://127.0.0.1:${dohPort}/dns-query`,
    kill: () => server.kill(),
    async restart() {
      server = await start()
    },
  }
}
