/** BIND with every zone of these tests. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ChildServer, SERVER_ENV, startBindServer } from '@mailgrade/testing/child-server'
import { findFreePorts } from '@mailgrade/testing/free-port'
import type { ServerDirectory } from '@mailgrade/testing/server-directory'
import {
  BROKEN_ZONE,
  LIMITS_ZONE,
  MAIN_ZONE,
  SIGNED_ZONE,
  UNSIGNED_ZONE,
} from './resolver-zones.js'

export interface Bind extends ChildServer {
  /** Plain DNS, over UDP and TCP. */
  readonly port: number
  readonly dohPort: number
  /** The file with the public key of signed.test. */
  readonly trustAnchorFile: string
}

/** Every server of these tests answers for it. */
export const KNOWN_NAME = 'world.test'

const run = promisify(execFile)

export async function startBind(serverDirectory: ServerDirectory): Promise<Bind> {
  const { write } = serverDirectory
  const [port, dohPort] = await findFreePorts()
  await write('world.zone', MAIN_ZONE)
  await write('unsigned.zone', UNSIGNED_ZONE)
  await write('limits.zone', LIMITS_ZONE)
  await write('broken.zone', BROKEN_ZONE)
  const trustAnchorFile = await signZone(serverDirectory)
  const server = await startBindServer(serverDirectory, {
    name: 'named',
    port,
    dohPort,
    knownName: KNOWN_NAME,
    zones: {
      'world.test': 'file "world.zone";',
      'signed.test': 'file "signed.zone";',
      'bogus.test': 'file "unsigned.zone";',
      'forbidden.test': 'file "unsigned.zone"; allow-query { none; };',
      'limits.test': 'file "limits.zone";',
      'broken.test': 'file "broken.zone";',
    },
    // `max-records-per-type 0` lifts BIND's default of 100, which would reject the huge TXT set.
    options: 'empty-zones-enable no; max-records-per-type 0;',
  })
  return { ...server, port, dohPort, trustAnchorFile }
}

/** Signs signed.test with a new key and returns the file of its public key. */
async function signZone({ directory, write }: ServerDirectory): Promise<string> {
  const options = { cwd: directory, env: SERVER_ENV }
  const keygen = ['-a', 'ECDSAP256SHA256', '-f', 'KSK', 'signed.test']
  const keyName = (await run('dnssec-keygen', keygen, options)).stdout.trim()
  await write('signed.zone.plain', `${SIGNED_ZONE}\n$INCLUDE ${keyName}.key\n`)
  // -z: one key signs both the records and the keys.
  const signzone = ['-z', '-o', 'signed.test', '-f', 'signed.zone', 'signed.zone.plain', keyName]
  await run('dnssec-signzone', signzone, options)
  return join(directory, `${keyName}.key`)
}

/** The owner of every record of world.test, as BIND writes it. */
export async function listMainZoneOwners({ directory }: ServerDirectory): Promise<string[]> {
  const dump = ['-q', '-D', '-o', '-', 'world.test', 'world.zone']
  const { stdout } = await run('named-checkzone', dump, { cwd: directory, env: SERVER_ENV })
  const owners = stdout.match(/^\S+/gm) ?? []
  return [...new Set(owners)]
}
