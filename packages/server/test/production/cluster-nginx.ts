/** nginx with the files that are shipped; only addresses and places are those of the test. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerDirectory } from '@mailgrade/testing/server-directory'
import { isListening, startChildServer } from './child-server.js'

export interface ClusterNginx {
  /** What it wrote about each request that it has answered. */
  accessLog(): Promise<PassedOn[]>
  isAlive(): boolean
  kill(): Promise<void>
}

interface PassedOn {
  readonly requestId: string
  readonly path: string
  readonly status: number
  /** Of the last instance it tried. */
  readonly instance: string
}

const SHIPPED = ['nginx.conf', 'mailgrade.conf', 'proxy.conf', 'upstream.conf']

export async function startClusterNginx(
  site: ServerDirectory,
  port: number,
  instances: readonly string[],
): Promise<ClusterNginx> {
  const directory = join(site.directory, 'nginx')
  await mkdir(directory)
  for (const file of SHIPPED) {
    const shipped = await readFile(join('deploy/nginx', file), 'utf8')
    await writeFile(join(directory, file), moved(shipped, directory, port, instances))
  }
  const server = await startChildServer({
    program: 'nginx',
    args: [
      ...['-e', 'stderr', '-p', directory, '-c', join(directory, 'nginx.conf')],
      // Without a master: nobody would end the workers of one that is killed.
      ...['-g', 'daemon off; master_process off;'],
    ],
    directory,
    isReady: () => isListening(port),
  })
  return {
    ...server,
    async accessLog() {
      const log = await readFile(join(directory, 'access.log'), 'utf8')
      return log.trimEnd().split('\n').map(readLine)
    },
  }
}

function moved(
  text: string,
  directory: string,
  port: number,
  instances: readonly string[],
): string {
  // As many servers as there are instances here, each with the parameters of the first.
  const [, parameters] = /^server \S+( .*);$/m.exec(text) ?? []
  const servers = instances.map((address) => `server ${address}${parameters};\n`)
  return text
    .replace(/(^server \S+ .*;\n)+/m, servers.join(''))
    .replace(/^( *listen) 8080;/m, `$1 127.0.0.1:${port};`)
    .replace(/ (\/etc\/nginx|\/tmp)\//g, ` ${directory}/`)
    .replaceAll('/dev/stdout', join(directory, 'access.log'))
}

function readLine(line: string): PassedOn {
  const { requestId, path, status, upstream } = JSON.parse(line)
  return { requestId, path, status, instance: upstream.split(', ').at(-1) }
}
