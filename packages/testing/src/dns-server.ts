/** DNS servers as child processes. */
import { Resolver } from 'node:dns/promises'
import { type ChildServer, startChildServer } from './child-server.js'
import type { ServerDirectory } from './server-directory.js'

export interface DnsServerCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Its working directory, which also gets its log. */
  readonly directory: string
  /** Its plain DNS port, used for the readiness check. */
  readonly port: number
  /** A name in one of its zones. */
  readonly knownName: string
}

/** Resolves when the server answers for the known name. */
export function startDnsServer(command: DnsServerCommand): Promise<ChildServer> {
  return startChildServer({
    ...command,
    isReady: () => isAnswering(command.port, command.knownName),
  })
}

export interface BindOptions {
  /** Of its configuration file: several may run in one directory. */
  readonly name: string
  readonly port: number
  readonly dohPort: number
  readonly knownName: string
  /** By zone name; the files are in the directory. */
  readonly zones: Readonly<Record<string, string>>
  /** Further lines of its `options`. */
  readonly options?: string
}

/** BIND, authoritative for its zones, over plain DNS and DoH (HTTP/2 only). */
export async function startBindServer(
  { directory, write }: ServerDirectory,
  options: BindOptions,
): Promise<ChildServer> {
  const configFile = await write(`${options.name}.conf`, bindConfig(directory, options))
  const { port, knownName } = options
  // In the foreground, with the log on standard error, on one thread.
  const args = ['-g', '-n', '1', '-c', configFile]
  return startDnsServer({ program: 'named', args, directory, port, knownName })
}

// BIND sends no notifications and listens on these ports only.
function bindConfig(directory: string, { port, dohPort, zones, options = '' }: BindOptions) {
  const zoneLines = Object.entries(zones).map(
    ([zone, statements]) => `zone "${zone}" { type primary; ${statements} };`,
  )
  return `
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
  ${options}
};
${zoneLines.join('\n')}
`
}

/** Uses Node's own resolver, so the check does not depend on our client. */
async function isAnswering(port: number, knownName: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver.resolveSoa(knownName).then(
    () => true,
    // The name exists, but it is not the apex of its zone.
    (error) => error.code === 'ENODATA',
  )
}
