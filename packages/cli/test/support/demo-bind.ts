/** BIND with the demo domains and the providers that they use, over DoH. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { startBindServer } from '@mailgrade/testing/child-server'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { createServerDirectory } from '@mailgrade/testing/server-directory'

export interface DemoBind {
  readonly url: string
  /** The file with the certificate of the authority to trust. */
  readonly caFile: string
  stop(): Promise<void>
}

const ZONES = resolve('packages/server/zones')

/** The start of a zone file; the root zone says that any other name does not exist. */
const APEX = `$TTL 1h
@ SOA ns1.demo.test. hostmaster.demo.test. 1 1h 15m 4w 5m
@ NS ns1.demo.test.
`
const ROOT_ZONE = `${APEX}ns1.demo.test. A 192.0.2.1
`

export async function startDemoBind(): Promise<DemoBind> {
  const directory = await createServerDirectory()
  const [port, dohPort] = await findFreePorts()
  const zones = new Map([['.', ROOT_ZONE], ...demoZones(), ...providerZones()])
  for (const [name, text] of zones) await directory.write(`${name}.zone`, text)
  const server = await startBindServer(directory, {
    name: 'demo',
    port,
    dohPort,
    knownName: 'good.test',
    zones: Object.fromEntries([...zones.keys()].map((name) => [name, `file "${name}.zone";`])),
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

function demoZones(): [string, string][] {
  const files = readdirSync(ZONES).filter((file) => file.endsWith('.test.zone'))
  return files.map((file) => [basename(file, '.zone'), readFileSync(join(ZONES, file), 'utf8')])
}

/** One zone for each provider: BIND follows a CNAME record into another zone, but not into the root. */
function providerZones(): Map<string, string> {
  const zones = new Map<string, string>()
  const text = readFileSync(join(ZONES, 'providers.zone'), 'utf8')
  // A record begins with its name; further lines of it are indented.
  for (const [record = '', name = ''] of text.matchAll(/^([\w.*-]+)\.\s.*\n(?:[ \t].*\n)*/gm)) {
    const zone = name.split('.').slice(-2).join('.')
    zones.set(zone, (zones.get(zone) ?? APEX) + record)
  }
  return zones
}
