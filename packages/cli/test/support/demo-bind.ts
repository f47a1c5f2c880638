/** BIND with the demo domains and the providers that they use, over DoH. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { startBindServer } from '@mailgrade/testing/dns-server'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { createServerDirectory } from '@mailgrade/testing/server-directory'

export interface DemoBind {
  readonly url: string
  /** The file with the certificate of the authority to trust. */
  readonly caFile: string
  stop(): Promise<void>
}

const ZONES = resolve('packages/server/zones')

/** The root zone has everything outside the demo domains, so any other name does not exist. */
const ROOT_ZONE = `$TTL 1h
. SOA ns1.demo.test. hostmaster.demo.test. 1 1h 15m 4w 5m
. NS ns1.demo.test.
ns1.demo.test. A 192.0.2.1
`

export async function startDemoBind(): Promise<DemoBind> {
  const directory = await createServerDirectory()
  const [port, dohPort] = await findFreePorts()
  const files = readdirSync(ZONES).filter((file) => file.endsWith('.test.zone'))
  for (const file of files) await directory.write(file, readFileSync(join(ZONES, file), 'utf8'))
  const providers = readFileSync(join(ZONES, 'providers.zone'), 'utf8')
  await directory.write('root.zone', ROOT_ZONE + providers)
  const zones = Object.fromEntries(
    files.map((file) => [basename(file, '.zone'), `file "${file}";`] as const),
  )
  const server = await startBindServer(directory, {
    name: 'demo',
    port,
    dohPort,
    knownName: 'good.test',
    zones: { ...zones, '.': 'file "root.zone";' },
  })
  return {
    url: `https://127.0.0.1:${dohPort}/dns-query`,
    caFile: await directory.write('ca.pem', directory.ca),
    async stop() {
      await server.kill()
      await directory.remove()
    },
  }
}
