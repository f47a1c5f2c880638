/** A server that others wrote, as a child process that cannot outlive this one. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { SERVER_ENV } from '@mailgrade/testing/dns-server-process'
import { waitUntil } from './wait-until.js'

export interface ChildServer {
  isAlive(): boolean
  /** Without a chance to say goodbye. */
  kill(): Promise<void>
}

export interface ChildServerOptions {
  readonly program: string
  readonly args: readonly string[]
  /** Where it runs, and where its log goes. */
  readonly directory: string
  readonly isReady: () => Promise<boolean>
}

/** Has the kernel kill the server with us, even when we are killed and cannot tidy up (util-linux). */
export const [LEASH, ...LEASH_OPTIONS] = ['setpriv', '--pdeathsig', 'KILL'] as const

export async function startChildServer(command: ChildServerOptions): Promise<ChildServer> {
  const { program, args, directory, isReady } = command
  const logFile = join(directory, `${program}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(LEASH, [...LEASH_OPTIONS, program, ...args], {
    cwd: directory,
    env: SERVER_ENV,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  let isAlive = true
  const ended = new Promise<void>((resolve) => {
    const note = () => {
      isAlive = false
      resolve()
    }
    child.once('error', note)
    child.once('exit', note)
  })
  const kill = () => {
    child.kill('SIGKILL')
    return ended
  }
  try {
    await waitUntil(`${program} is up`, async () => {
      if (!isAlive) throw new Error(`${program} ended`)
      return isReady()
    })
  } catch (error) {
    await kill()
    throw new Error(`${error}\n${readFileSync(logFile, 'utf8')}`)
  }
  return { isAlive: () => isAlive, kill }
}

/** Whether somebody listens there. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isUp: boolean) => () => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', end(true)).once('error', end(false))
  })
}
