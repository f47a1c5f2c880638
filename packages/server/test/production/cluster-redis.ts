/** A Redis of our own, as the compose file runs it, that can be killed and started again. */
import { mkdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findFreePorts } from '@mailgrade/testing/free-port'
import type { ServerDirectory } from '@mailgrade/testing/server-directory'
import { startChildServer } from './child-server.js'

export interface ClusterRedis {
  readonly url: string
  kill(): Promise<void>
  /** With what it had written to its disk. */
  restart(): Promise<void>
  /** As if its disk were lost. */
  restartEmpty(): Promise<void>
  /** Sends one command and tells the reply, undecoded. */
  command(command: string): Promise<string>
}

export async function startClusterRedis(site: ServerDirectory): Promise<ClusterRedis> {
  const [port] = await findFreePorts()
  const directory = join(site.directory, 'redis')

  async function tell(command: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${command}\r\nQUIT\r\n`)
    return text(socket)
  }

  async function start() {
    await mkdir(directory, { recursive: true })
    return startChildServer({
      program: 'redis-server',
      args: [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
        ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''],
        ...['--maxmemory', '256mb', '--maxmemory-policy', 'noeviction'],
      ],
      directory,
      // It listens before it has read its data, and then says LOADING.
      isReady: async () => (await tell('PING').catch(() => '')).startsWith('+PONG'),
    })
  }

  let server = await start()
  const restart = async () => {
    server = await start()
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    kill: () => server.kill(),
    restart,
    async restartEmpty() {
      await rm(directory, { recursive: true })
      await restart()
    },
    command: tell,
  }
}
