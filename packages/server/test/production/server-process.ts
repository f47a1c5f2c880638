/** A server that others wrote, as a child process that cannot outlive this one. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ENVIRONMENT } from '@mailgrade/testing/process'
import { until } from './until.js'

export interface ServerProcess {
  isAlive(): boolean
  /** Without a chance to say goodbye. */
  kill(): Promise<void>
}

export interface ServerCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Where it runs, and where its log goes. */
  readonly directory: string
  readonly isUp: () => Promise<boolean>
}

/** Has the kernel kill the server with us, even when we are killed and cannot tidy up (util-linux). */
export const [LEASH, ...LEASH_OPTIONS] = ['setpriv', '--pdeathsig', 'KILL'] as const

export async function startServerProcess(command: ServerCommand): Promise<ServerProcess> {
  const { program, args, directory, isUp } = command
  const logFile = join(directory, `${program}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(LEASH, [...LEASH_OPTIONS, program, ...args], {
    cwd: directory,
    env: ENVIRONMENT,
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
    await until(`${program} is up`, async () => {
      if (!isAlive) throw new Error(`${program} ended`)
      return isUp()
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
