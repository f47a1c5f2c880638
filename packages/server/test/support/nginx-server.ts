/** Debian's nginx with the configuration of deploy/nginx, in a folder of its own. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isListening, SERVER_ENV, startChildServer } from '@mailgrade/testing/child-server'
import { findFreePorts } from '@mailgrade/testing/free-port'
import { createTestCertificate } from '@mailgrade/testing/server-directory'
import { waitUntil } from '@mailgrade/testing/wait-until'

export interface NginxServer {
  readonly url: string
  readonly tlsUrl: string
  /** The certificate authority of its certificate. */
  readonly ca: string
  isAlive(): boolean
  /** Waits until the access log has this many lines. */
  accessLog(minLines?: number): Promise<AccessLogLine[]>
  stop(): Promise<void>
}

interface AccessLogLine {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Every instance it tried, separated by commas. */
  readonly upstream: string
  readonly upstreamStatus: string
}

interface NginxServerOptions {
  /** Host and port of each instance. */
  readonly instances: readonly string[]
  /** Where BASE_URL must be known before nginx starts. */
  readonly port?: number
  /** An operator's change to mailgrade.conf. */
  readonly edit?: (text: string) => string
}

const NGINX = 'nginx'
const SOURCE = 'deploy/nginx'
/** The user of the container in the compose file. */
const NGINX_UID = 101

export async function startNginxServer(options: NginxServerOptions): Promise<NginxServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mailgrade-nginx-'))
  const [freePort, tlsPort] = await findFreePorts()
  const port = options.port ?? freePort
  const { ca, cert, key } = await createTestCertificate()
  const log = join(folder, 'access.log')
  for (const name of readdirSync(SOURCE)) {
    const shipped = readFileSync(join(SOURCE, name), 'utf8')
    const edited = name === 'mailgrade.conf' && options.edit ? options.edit(shipped) : shipped
    const moved = edited
      .replaceAll(/\/(etc\/nginx|tmp)\//g, `${folder}/`)
      .replaceAll('/dev/stdout', log)
      .replaceAll('listen 8080', `listen 127.0.0.1:${port}`)
      .replaceAll('listen 8443', `listen 127.0.0.1:${tlsPort}`)
    const isUpstream = name === 'upstream.conf'
    const text = isUpstream ? replaceInstances(moved, options.instances) : toInstalledSyntax(moved)
    writeFileSync(join(folder, name), text)
  }
  mkdirSync(join(folder, 'tls'))
  writeFileSync(join(folder, 'tls/fullchain.pem'), cert)
  writeFileSync(join(folder, 'tls/privkey.pem'), key)
  chmodSync(folder, 0o777)
  const remove = () => rmSync(folder, { recursive: true, force: true })

  const server = await startChildServer({
    program: NGINX,
    args: [
      ...['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')],
      // Without a master: a killed one would leave its workers behind.
      ...['-g', 'daemon off; master_process off;'],
    ],
    directory: folder,
    uid: NGINX_UID,
    isReady: () => isListening(port),
  }).catch((error) => {
    remove()
    throw error
  })

  // The last one is empty, or not written in full yet.
  const readLines = () => readFileSync(log, 'utf8').split('\n').slice(0, -1)
  return {
    url: `http://127.0.0.1:${port}`,
    tlsUrl: `https://localhost:${tlsPort}`,
    ca,
    isAlive: server.isAlive,
    async accessLog(minLines = 0) {
      await waitUntil(`${minLines} lines in the access log`, () => readLines().length >= minLines)
      return readLines().map((line) => JSON.parse(line))
    },
    async stop() {
      await server.kill()
      remove()
    },
  }
}

/** Debian's nginx 1.22 has HTTP/2 as a parameter of `listen`, which 1.25.1 deprecates. */
function toInstalledSyntax(config: string): string {
  const { stderr } = spawnSync(NGINX, ['-v'], { encoding: 'utf8', env: SERVER_ENV })
  const [, major, minor] = /nginx\/(\d+)\.(\d+)/.exec(stderr) ?? []
  const isCurrent = Number(major) > 1 || Number(minor) > 25
  if (isCurrent || !/^ *http2 on;$/m.test(config)) return config
  return config.replaceAll(/^ *http2 on;\n/gm, '').replaceAll(/( ssl);$/gm, '$1 http2;')
}

/** One server line per instance, each with the parameters of the shipped ones. */
function replaceInstances(upstream: string, instances: readonly string[]): string {
  const [server = ''] = /^server .*$/m.exec(upstream) ?? []
  const rest = upstream.replace(/^server .*\n/gm, '')
  const servers = instances.map((address) => server.replace(/[\d.]+:\d+/, address))
  return `${servers.join('\n')}\n${rest}`
}
