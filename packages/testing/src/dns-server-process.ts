/** A DNS server as a child process that ends with this process. */
import { spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export interface DnsServerProcess {
  stop(): Promise<void>
}

export interface DnsServerCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Its working directory, which also gets its log. */
  readonly directory: string
  /** Its plain DNS port, used for the readiness check. */
  readonly port: number
}

const START_TIMEOUT_MS = 10_000
const POLL_EVERY_MS = 20
const LOG_TAIL_LINES = 20

/** From util-linux: makes the kernel kill the server when this process ends. */
const SETPRIV = 'setpriv'

/** Debian installs servers in a directory that only root has in PATH. */
export const SERVER_ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/** Resolves when the server answers for `world.test`; rejects with the end of its log otherwise. */
export async function startDnsServer(command: DnsServerCommand): Promise<DnsServerProcess> {
  const { program, args, directory, port } = command
  const logFile = join(directory, `${program}.log`)
  const log = openSync(logFile, 'w')
  const child = spawn(SETPRIV, ['--pdeathsig', 'KILL', program, ...args], {
    cwd: directory,
    env: SERVER_ENV,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  let exitReason: string | null = null
  const ended = new Promise<void>((resolve) => {
    const onExit = (reason: string) => {
      exitReason = reason
      resolve()
    }
    child.once('error', (error) => onExit(error.message))
    child.once('exit', (code, signal) => onExit(`it ended with ${signal ?? `code ${code}`}`))
  })
  const kill = () => child.kill('SIGKILL')
  // The worker process may outlive an interrupted test runner.
  process.once('disconnect', kill)
  const stop = () => {
    process.off('disconnect', kill)
    kill()
    return ended
  }

  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await isAnswering(port))) {
    if (exitReason === null && performance.now() < deadline) {
      await delay(POLL_EVERY_MS)
      continue
    }
    const reason = exitReason ?? `no answer within ${START_TIMEOUT_MS} ms`
    await stop()
    throw new Error(`${program} did not start: ${reason}\n${readLogTail(logFile)}`)
  }
  return { stop }
}

/** Uses Node's own resolver, so the check does not depend on our client. */
async function isAnswering(port: number): Promise<boolean> {
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver.resolveSoa('world.test').then(
    () => true,
    () => false,
  )
}

function readLogTail(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n')
}
