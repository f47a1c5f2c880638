/** A third-party server as a child process that cannot outlive this one. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { waitUntil } from './wait-until.js'

export interface ChildServer {
  isAlive(): boolean
  signal(name: NodeJS.Signals): void
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>
}

export interface ChildServerOptions {
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
