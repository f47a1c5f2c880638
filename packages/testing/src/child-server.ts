/** Third-party servers, such as BIND, as child processes that cannot outlive this one. */
import { spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { ServerDirectory } from './server-directory.js'
import { waitUntil } from './wait-until.js'

export interface ChildServer {
  isAlive(): boolean
  signal(name: NodeJS.Signals): void
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>
}

interface ChildServerOptions {
  readonly program: string
  readonly args: readonly string[]
  /** Its working directory, also for its log. */
  readonly directory: string
  readonly isReady: () => Promise<boolean>
  /** User and group to run as, where the tests run as root. */
  readonly uid?: number
}

/** Debian installs servers in a directory that only root has in PATH. */
export const SERVER_ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/** setpriv (util-linux) has the kernel kill the child when this process dies, however it dies. */
export const [SETPRIV, ...SETPRIV_ARGS] = ['setpriv', '--pdeathsig', 'KILL'] as const

export async function startChildServer(options: ChildServerOptions): Promise<ChildServer> {
  const { program, args, directory, isReady, uid } = options
  const user =
    uid !== undefined && process.getuid?.() === 0
      ? [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
      : []
  const logFile = join(directory, `${program}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(SETPRIV, [...SETPRIV_ARGS, ...user, program, ...args], {
    cwd: directory,
    env: SERVER_ENV,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  let isAlive = true
  const exited = new Promise<void>((resolve) => {
    const onExit = () => {
      isAlive = false
      resolve()
    }
    child.once('error', onExit)
    child.once('exit', onExit)
  })
  const sendKill = () => child.kill('SIGKILL')
  // A worker process may outlive an interrupted test runner.
  process.once('disconnect', sendKill)
  const kill = () => {
    process.off('disconnect', sendKill)
    sendKill()
    return exited
  }
  try {
    await waitUntil(`${program} is ready`, async () => {
      if (!isAlive) throw new Error(`${program} exited`)
      return isReady()
    })
  } catch (error) {
    await kill()
    throw new Error(`${error}\n${readFileSync(logFile, 'utf8')}`)
  }
  return { isAlive: () => isAlive, signal: (name) => void child.kill(name), kill }
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const finish = (isUp: boolean) => () => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', finish(true)).once('error', finish(false))
  })
}

/** Sends text to a port of this machine, and reads until the server closes the connection. */
export function exchangeText(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(sent)
  return text(socket)
}

interface DnsServerCommand {
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

interface BindOptions {
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
