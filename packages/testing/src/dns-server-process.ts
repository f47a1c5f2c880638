/** A DNS server as a child process that cannot outlive this one. */
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
  /** Where it runs, and where its log goes. */
  readonly directory: string
  /** Its port for plain DNS, over which it is asked whether it is up. */
  readonly port: number
}

const START_TIMEOUT_MS = 10_000
const POLL_EVERY_MS = 20
const LOG_TAIL_LINES = 20

/** Has the kernel kill the server with us, even when we are killed and cannot tidy up (util-linux). */
const LEASH = 'setpriv'

/** Debian keeps servers where only root's PATH looks. */
export const SERVER_ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/** Resolves once the server answers for the world, and rejects with its last words if it does not. */
export async function startDnsServer(command: DnsServerCommand): Promise<DnsServerProcess> {
  const { program, args, directory, port } = command
  const logFile = join(directory, `${program}.log`)
  const log = openSync(logFile, 'w')
  const child = spawn(LEASH, ['--pdeathsig', 'KILL', program, ...args], {
    cwd: directory,
    env: SERVER_ENV,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  let end: string | null = null
  const ended = new Promise<void>((resolve) => {
    const note = (reason: string) => {
      end = reason
      resolve()
    }
    child.once('error', (error) => note(error.message))
    child.once('exit', (code, signal) => note(`it ended with ${signal ?? `code ${code}`}`))
  })
  const kill = () => child.kill('SIGKILL')
  // Tests run in a process of their own, which may be left behind when the runner is interrupted.
  process.once('disconnect', kill)
  const stop = () => {
    process.off('disconnect', kill)
    kill()
    return ended
  }

  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await answers(port))) {
    if (end === null && performance.now() < deadline) {
      await delay(POLL_EVERY_MS)
      continue
    }
    const reason = end ?? `no answer within ${START_TIMEOUT_MS} ms`
    await stop()
    throw new Error(`${program} did not start: ${reason}\n${tail(logFile)}`)
  }
  return { stop }
}

/** Asked in plain DNS by Node's own resolver, so that our engine has no part in the judgement. */
async function answers(port: number): Promise<boolean> {
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  return resolver.resolveSoa('world.test').then(
    () => true,
    () => false,
  )
}

function tail(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n')
}
