/** BIND: authoritative for every zone, over plain DNS and DoH (HTTP/2 only). */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type DnsServerProcess,
  SERVER_ENV,
  startDnsServer,
} from '@mailgrade/testing/dns-server-process'
import { findFreePorts } from '@mailgrade/testing/free-port'
import type { ServerDirectory } from '@mailgrade/testing/server-directory'
import {
  BROKEN_ZONE,
  LIMITS_ZONE,
  MAIN_ZONE,
  SIGNED_ZONE,
  UNSIGNED_ZONE,
} from './resolver-zones.js'

export interface Bind extends DnsServerProcess {
  /** Plain DNS, over UDP and TCP. */
  readonly port: number
  readonly dohPort: number
  /** The file with the public key of signed.test. */
  readonly trustAnchorFile: string
}

const run = promisify(execFile)

export async function startBind(serverDirectory: ServerDirectory): Promise<Bind> {
  const { directory, write } = serverDirectory
  const [port, dohPort] = await findFreePorts()
  await write('world.zone', MAIN_ZONE)
  await write('unsigned.zone', UNSIGNED_ZONE)
  await write('limits.zone', LIMITS_ZONE)
  await write('broken.zone', BROKEN_ZONE)
  const trustAnchorFile = await signZone(serverDirectory)
  const configFile = await write('named.conf', config(directory, port, dohPort))
  // In the foreground, with the log on standard error.
  const args = ['-g', '-c', configFile]
  const server = await startDnsServer({ program: 'named', args, directory, port })
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

// `max-records-per-type 0` lifts BIND's default of 100, which would reject the huge TXT set.
// BIND sends no notifications and listens on these ports only.
const config = (directory: string, port: number, dohPort: number) => `
tls local { cert-file "cert.pem"; key-file "key.pem"; };
http doh { endpoints { "/dns-query"; }; streams-per-connection 256; };
controls { };
options {
  directory "${directory}";
  pid-file none;
  session-keyfile none;
  recursion no;
  dnssec-validation no;
  empty-zones-enable no;
  notify no;
  max-records-per-type 0;
  listen-on-v6 { none; };
  listen-on port ${port} { 127.0.0.1; };
  listen-on port ${dohPort} tls local http doh { 127.0.0.1; };
};
zone "world.test" { type primary; file "world.zone"; };
zone "signed.test" { type primary; file "signed.zone"; };
zone "bogus.test" { type primary; file "unsigned.zone"; };
zone "forbidden.test" { type primary; file "unsigned.zone"; allow-query { none; }; };
zone "limits.test" { type primary; file "limits.zone"; };
zone "broken.test" { type primary; file "broken.zone"; };
`
